"""The dialect spettro, to the letter."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outrider.call import Approval, Call, Progress, Question
from outrider.types import Scope
from outrider.web.dialects.spettro import Stretch, cut
from outrider.web.web import Web
from web.dialects.sea import NOW, Golden, Sea, call
from world.listener import Connection
from world.messages import Request, page

FOOTER = re.compile(
    r"\[truncated: (\d+) of (\d+) lines omitted; "
    r'use job-output \{"job_id":"(spool:\d+)","offset":(\d+)\} to read more\]'
)


@pytest.fixture
async def web(sea: Sea) -> Web:
    return await sea.web("spettro", mode="yolo", retries=0)


async def test_its_tools(web: Web) -> None:
    assert {"web-search", "web-fetch", "job-output", "download", "job-kill"} == {tool.name for tool in web.tools()}
    by_name = {tool.name: tool.parameters["properties"] for tool in web.tools()}
    assert 10 == by_name["web-search"]["max_results"]["default"]
    assert 20000 == by_name["web-fetch"]["max_length"]["default"]


@pytest.mark.parametrize(("name", "query"), [("results", "tide tables"), ("nothing_found", "mountains")])
async def test_search_texts(web: Web, golden: Golden, name: str, query: str) -> None:
    golden(f"spettro/{name}", (await call(web, "web-search", query=query)).text)


@pytest.mark.parametrize("count", [-1, 0, 1, 20, 21, 10**9])
async def test_a_count_out_of_range_is_clamped(web: Web, count: int) -> None:
    assert not (await call(web, "web-search", query="tides", max_results=count)).is_error


@pytest.mark.parametrize(
    ("name", "path"),
    [("page", "article"), ("untitled", "untitled"), ("json", "data.json"), ("text", "notes.txt"), ("moved", "moved"),
     ("gone", "gone"), ("broken", "broken"), ("unsupported", "image")],
)  # fmt: skip
async def test_page_texts(sea: Sea, web: Web, golden: Golden, name: str, path: str) -> None:
    golden(f"spettro/{name}", sea.plain((await call(web, "web-fetch", url=sea.at(path))).text))


async def test_a_long_page_is_cut_at_a_line_with_a_footer(sea: Sea, web: Web, golden: Golden) -> None:
    result = await call(web, "web-fetch", url=sea.at("long"), max_length=600)
    assert len(result.text) <= 600
    # The offset counts the bytes of the true URL, whose port differs from run to run.
    shown, _, footer = result.text.rpartition("\n")
    match = FOOTER.fullmatch(footer)
    assert match is not None
    assert len((shown + "\n").encode()) == int(match[4])
    golden("spettro/cut", sea.plain(shown) + "\n" + footer.replace(match[4], "<offset>"))


async def read_on(web: Web, text: str) -> str:
    """Follow the footers to the end."""
    whole = ""
    while (match := FOOTER.search(text)) is not None:
        head = text[: match.start()]
        assert match.end() == len(text)
        assert len(text) <= 50_000
        assert int(match[1]) <= int(match[2])
        whole += head
        assert len(whole.encode()) == int(match[4])
        text = (await call(web, "job-output", job_id=match[3], offset=int(match[4]))).text
        assert len(text) <= 8_000
    return whole + text


async def test_reading_on_gives_back_the_whole_page(sea: Sea, web: Web) -> None:
    full = (await call(web, "web-fetch", url=sea.at("long"), max_length=50_000)).text
    cut_text = (await call(web, "web-fetch", url=sea.at("long"), max_length=700)).text
    assert full == await read_on(web, cut_text)
    footers = FOOTER.search(cut_text)
    assert footers is not None
    assert str(full.count("\n") + 1) == footers[2]


async def test_the_manifests_history_limit_holds_below_the_length(sea: Sea) -> None:
    folder = sea.project / ".spettro"
    folder.mkdir()
    folder.joinpath("manifest.toml").write_text("[tools.web-fetch]\nhistory_limit = 500\n")
    web = await sea.web("spettro", mode="yolo")
    assert len((await call(web, "web-fetch", url=sea.at("long"))).text) <= 500
    assert len((await call(web, "web-fetch", url=sea.at("long"), max_length=300)).text) <= 300


@pytest.mark.parametrize("length", [-5, 0, 50_001, 10**9])
async def test_a_length_out_of_range_is_clamped(sea: Sea, web: Web, length: int) -> None:
    sea.site.paths["/longer"] = page("line of text\n" * 10_000, content_type="text/plain")
    text = (await call(web, "web-fetch", url=sea.at("longer"), max_length=length)).text
    most = 20_000 if length <= 0 else 50_000
    assert most - 200 < len(text) <= most


async def test_a_body_over_its_limit_is_cut_without_an_error(sea: Sea, web: Web) -> None:
    result = await call(web, "web-fetch", url=sea.at("huge"))
    assert not result.is_error
    match = FOOTER.search(result.text)
    assert match is not None
    sea.site.paths["/rows"] = page("0123456789abcde\n" * 200_000, content_type="text/plain")
    text = (await call(web, "web-fetch", url=sea.at("rows"))).text
    match = FOOTER.search(text)
    assert match is not None
    assert str(2_097_152 // 16) == match[2]


async def test_spools_are_private_files_that_end_with_their_session(sea: Sea) -> None:
    web = await sea.web("spettro", mode="yolo")
    mine, other = (Call(now=lambda: NOW, scope=Scope(session=name)) for name in ("mine", "other"))
    result = await web.call("web-fetch", {"url": sea.at("long"), "max_length": 500}, mine)
    folder = web.session(mine.scope).spools.folder
    assert folder is not None
    (file,) = folder.iterdir()
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert 0o700 == stat.S_IMODE(folder.stat().st_mode)
    elsewhere = await web.call("job-output", {"job_id": result.data["job_id"]}, other)
    assert elsewhere.error is not None
    assert "page_not_found" == elsewhere.error.code
    web.end_session(mine.scope)
    assert not folder.exists()
    assert (await web.call("job-output", {"job_id": result.data["job_id"]}, mine)).is_error


async def test_spools_end_with_the_web(sea: Sea) -> None:
    web = await sea.web("spettro", mode="yolo")
    child = web.child(name="helper")
    folders: list[Path | None] = []
    for one in (web, child):
        await one.call("web-fetch", {"url": sea.at("long"), "max_length": 500})
        folders.append(one.session(Scope()).spools.folder)
    await sea.stack.aclose()
    assert [False, False] == [folder.exists() for folder in folders if folder is not None]


@pytest.mark.parametrize(
    "arguments",
    [{"job_id": "1"}, {"job_id": "spool:0"}, {"job_id": "spool:1", "offset": 10**9}, {"job_id": "spool:9"},
     {"job_id": "spool:1", "offset": -1}, {"job_id": "spool:../1"}, {}],
)  # fmt: skip
async def test_a_wrong_look_at_a_spool_is_an_error(sea: Sea, web: Web, arguments: dict[str, object]) -> None:
    await call(web, "web-fetch", url=sea.at("long"), max_length=500)
    result = await call(web, "job-output", **arguments)
    assert result.error is not None
    assert result.error.code in ("invalid_argument", "page_not_found")


# Downloads.


async def test_a_download_is_told_in_one_line_and_replaces_what_is_there(sea: Sea, web: Web, golden: Golden) -> None:
    sea.project.joinpath("data.json").write_text("old")
    result = await call(web, "download", url=sea.at("data.json"), path="data.json")
    assert not result.is_error
    assert '{"tides": [1, 2, 3]}' == sea.project.joinpath("data.json").read_text()
    golden("spettro/downloaded", result.text)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("download_gone", {"path": "x", "url": "gone"}), ("download_outside", {"path": "../x", "url": "data.json"}),
     ("download_large", {"path": "x", "url": "data.json", "max_bytes": 5})],
)  # fmt: skip
async def test_failed_downloads_are_errors(
    sea: Sea, web: Web, golden: Golden, name: str, arguments: dict[str, str]
) -> None:
    result = await call(web, "download", **(arguments | {"url": sea.at(arguments["url"])}))
    assert result.is_error
    assert not sea.project.joinpath("x").exists()
    golden(f"spettro/{name}", sea.plain(result.text))


async def test_a_download_is_asked_about_twice_and_the_write_says_that_it_replaces(sea: Sea) -> None:
    questions: list[Question] = []

    async def ask(question: Question) -> Approval:
        questions.append(question)
        return "once"

    web = await sea.web("spettro", mode="", approver=ask)
    result = await call(web, "download", url=sea.at("data.json"), path="files/data.json")
    assert not result.is_error
    assert [("network", sea.at("data.json")), ("write", "writing files/data.json")] == [
        (question.action, question.subject) for question in questions
    ]
    assert "replacing" in questions[1].note
    assert "write:files/data.json" == questions[1].rule


async def test_a_running_download_is_ended_by_its_name_and_leaves_nothing(sea: Sea, web: Web) -> None:
    started = asyncio.Event()

    async def slow(_: Request, connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nbegin")
        await asyncio.Event().wait()

    def heard(progress: Progress) -> None:
        if progress.data.get("job_id") == "download:1":
            started.set()

    sea.site.paths["/slow"] = slow
    arguments = {"url": sea.at("slow"), "path": "slow.txt"}
    task = asyncio.create_task(web.call("download", arguments, Call(now=lambda: NOW, emit=heard)))
    await asyncio.wait_for(started.wait(), 5)
    await sea.site.until_requests(1)
    assert (await call(web, "job-kill", job_id="download:2")).is_error
    killed = await call(web, "job-kill", job_id="download:1")
    assert "download:1 was ended" == killed.text
    result = await asyncio.wait_for(task, 5)
    assert result.error is not None
    assert "cancelled" == result.error.code
    assert [] == [entry.name for entry in sea.project.iterdir() if entry.is_file()]
    assert (await call(web, "job-kill", job_id="download:1")).is_error


# Permissions.


async def test_everything_is_asked_about_and_nothing_is_preapproved(sea: Sea) -> None:
    questions: list[Question] = []

    async def ask(question: Question) -> Approval:
        questions.append(question)
        return "no"

    web = await sea.web("spettro", mode="", approver=ask)
    for tool, arguments in (
        ("web-search", {"query": "tide tables"}),
        ("web-fetch", {"url": "https://docs.python.org/3/"}),
    ):
        result = await call(web, tool, **arguments)
        assert result.error is not None
        assert "permission_denied" == result.error.code
    assert ["web-search: tide tables", "https://docs.python.org/3/"] == [question.subject for question in questions]


async def test_approvals_are_kept_in_its_own_folder(sea: Sea, golden: Golden) -> None:
    async def ask(question: Question) -> Approval:
        return "always"

    web = await sea.web("spettro", mode="", approver=ask)
    assert not (await call(web, "web-fetch", url=sea.at("article"))).is_error
    kept = json.loads(sea.project.joinpath(".spettro", "allowed_network.json").read_text())
    assert {"allowed": ["domain:site.test"]} == kept
    refused = await call(await sea.web("spettro", mode=""), "web-fetch", url=sea.other.url)
    golden("spettro/nobody_to_ask", sea.plain(refused.text))


async def test_its_agents_have_their_tools(sea: Sea) -> None:
    ask, coding = await sea.web("spettro", agent="ask"), await sea.web("spettro", agent="coding")
    assert ["web-search", "web-fetch", "job-output"] == [tool.name for tool in ask.tools()]
    assert {"web-fetch", "job-output", "download", "job-kill"} == {tool.name for tool in coding.tools()}
    assert (await call(coding, "web-search", query="tides")).is_error


# Properties.


@given(text=st.text(alphabet="ab\n潮👩‍", min_size=1, max_size=400), budget=st.integers(0, 300))
def test_the_pieces_of_a_spool_join_to_the_whole(text: str, budget: int) -> None:
    content = text.encode()
    total = text.count("\n") + (not text.endswith("\n"))
    offset, whole, looks = 0, "", 0
    while looks < 500:
        rest = content[offset:].decode()
        if len(rest) <= budget:
            whole += rest
            break
        piece = cut(Stretch(text=rest, total=total, start=offset), number=1, budget=budget)
        match = FOOTER.search(piece)
        assert match is not None
        assert len(piece) <= max(budget, len(match[0]))
        if int(match[4]) == offset:
            # Nothing but the footer fits.
            return
        shown = content[offset : int(match[4])].decode()
        assert piece[: match.start()] in (shown, shown + "\n")
        whole += shown
        offset, looks = int(match[4]), looks + 1
    assert text == whole
