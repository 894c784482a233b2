"""Permissions as an agent and its author meet them: through `Web`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from outrider.call import Approval, Call, Question
from outrider.config import Config
from outrider.errors import (
    ApprovalRequired,
    InvalidArgument,
    PageNotFound,
    PermissionDenied,
    RedirectRejected,
    SsrfRejected,
    TotalTimeout,
    UnknownPageId,
    WebError,
)
from outrider.types import Scope
from outrider.web.assembly import Wiring
from outrider.web.project import ProjectManifest
from outrider.web.web import MAX_SESSIONS, Web
from world.listener import Connection
from world.messages import Request, answer_json, page, redirect
from world.world import World

PAGE = "<html><head><title>A page</title></head><body><p>Some text that is worth reading.</p></body></html>"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder of its own, so that no test sees another's approvals."""
    folder = tmp_path / "project"
    (folder / ".outrider").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


@asynccontextmanager
async def opened(world: World, **settings: Any) -> AsyncIterator[Web]:
    wiring = Wiring(resolver=world.resolver)
    async with Web(allow_hosts=world.allow_hosts, wiring=wiring, **settings) as web:
        yield web


class Person:
    def __init__(self, *answers: Approval) -> None:
        self.answers = list(answers)
        self.subjects: list[str] = []
        self.agents: list[str] = []

    async def __call__(self, question: Question) -> Approval:
        self.subjects.append(question.subject)
        self.agents.append(question.agent)
        return self.answers.pop(0)


async def test_what_is_denied_is_never_asked_for(world: World) -> None:
    site = await world.site({"/": PAGE}, name="site.test")
    async with opened(world, deny=["domain:site.test"]) as web:
        with pytest.raises(PermissionDenied):
            await web.fetch(site.url)
        result = await web.call("web_fetch", {"url": site.url})
    assert result.error is not None
    assert "permission_denied" == result.error.code
    assert [] == site.connections


async def test_a_deny_rule_with_a_star_holds_on_every_hop_of_a_redirect(world: World) -> None:
    # perm-redirect-target
    bad = await world.site({"/": PAGE}, name="a.b.example.com")
    middle = await world.site({"/": redirect(bad.url)}, name="middle.test")
    good = await world.site({"/": redirect(middle.url)}, name="good.test")
    async with opened(world, deny=["*.example.com"]) as web:
        with pytest.raises(RedirectRejected) as caught:
            await web.fetch(good.url)
    assert bad.url == caught.value.details["target"]
    assert [] == bad.connections
    assert 1 == len(middle.requests)


async def test_a_redirect_that_a_page_declares_is_held_to_the_rules_as_well(world: World) -> None:
    bad = await world.site({"/": PAGE}, name="bad.test")
    good = await world.site({"/": f'<meta http-equiv="refresh" content="0; url={bad.url}">'}, name="good.test")
    async with opened(world, deny=["domain:bad.test"]) as web:
        with pytest.raises(RedirectRejected):
            await web.fetch(good.url)
    assert [] == bad.connections


async def test_a_page_that_came_by_another_callers_way_is_held_to_ones_own_rules(world: World) -> None:
    bad = await world.site({"/": page(PAGE, headers={"cache-control": "max-age=600"})}, name="bad.test")
    good = await world.site(
        {"/": redirect(bad.url, status=301, headers={"cache-control": "max-age=600"})}, name="good.test"
    )
    async with opened(world) as web:
        mine, other = Call(scope=Scope(session="mine")), Call(scope=Scope(session="other"), deny=("domain:bad.test",))
        assert (await web.fetch(good.url, call=mine)).markdown
        with pytest.raises(RedirectRejected):
            await web.fetch(good.url, call=other)
        with pytest.raises(RedirectRejected):
            await web.fetch(good.url, offset=5, call=Call(scope=mine.scope, deny=("domain:bad.test",)))
        for path in ("w1", "w2"):
            with pytest.raises(WebError):
                await web.read(path, call=other)
    assert 1 == len(bad.requests)


async def test_pages_read_for_a_search_are_held_to_the_rules_as_well(world: World) -> None:
    bad = await world.site({"/": PAGE}, name="bad.test")
    good = await world.site({"/": PAGE, "/away": redirect(bad.url)}, name="good.test")
    found = [{"title": url, "url": url, "content": ""} for url in (bad.url, good.at("away"), good.url)]
    engine = await world.site(
        {"/search": answer_json({"results": found, "unresponsive_engines": []})}, name="find.test"
    )
    providers = {"searxng": {"base_url": engine.url}}
    async with opened(world, deny=["domain:bad.test"], providers=providers, provider="searxng") as web:
        result = await web.call("web_search", {"query": "words", "content": True})
    assert [] == bad.connections
    assert ["permission_denied", "redirect_rejected", None] == [
        hit.get("content_error", {}).get("code") for hit in result.data["results"]
    ]


async def test_a_robots_file_that_redirects_is_held_to_the_rules_as_well(world: World) -> None:
    bad = await world.site({"/robots.txt": PAGE}, name="bad.test")
    good = await world.site({"/": PAGE, "/robots.txt": redirect(bad.at("robots.txt"))}, name="good.test")
    async with opened(world, robots="respect", deny=["domain:bad.test"]) as web:
        with pytest.raises(RedirectRejected):
            await web.fetch(good.url)
    assert [] == bad.connections


async def test_in_mode_ask_a_redirect_to_another_host_is_asked_about(world: World) -> None:
    target = await world.site({"/": PAGE}, name="target.test")
    start = await world.site({"/": redirect(target.url)}, name="start.test")
    person = Person("once", "once", "once", "no")
    async with opened(world, mode="ask", approver=person) as web:
        assert target.url == (await web.fetch(start.url)).page.final_url  # type: ignore[union-attr]  # a success has a page
        with pytest.raises(RedirectRejected):
            await web.fetch(start.url)
    assert [start.url, target.url] * 2 == person.subjects
    assert 1 == len(target.requests)


async def test_one_item_that_is_not_permitted_leaves_the_others_whole(world: World) -> None:
    good = await world.site({"/": PAGE}, name="good.test")
    bad = await world.site({"/": PAGE}, name="bad.test")
    async with opened(world, deny=["domain:bad.test"]) as web:
        result = await web.fetch_many([bad.url, good.url, "no url"])
    assert ["failed", "success", "failed"] == [item.status for item in result.items]
    assert ["permission_denied", None, "invalid_url"] == [
        item.error.code if item.error else None for item in result.items
    ]
    assert [] == bad.connections


async def test_a_page_id_is_judged_as_the_url_it_stands_for(world: World) -> None:
    site = await world.site({"/": PAGE}, name="site.test")
    async with opened(world) as web:
        await web.fetch(site.url)
        with pytest.raises(PermissionDenied):
            await web.fetch("w1", call=Call(deny=("domain:site.test",)))
        assert "w1" == (await web.fetch("w1")).page_id


async def test_nobody_to_ask_names_the_rule_that_helps(world: World) -> None:
    site = await world.site({"/": PAGE}, name="site.test")
    async with opened(world, mode="ask") as web:
        with pytest.raises(ApprovalRequired) as caught:
            await web.fetch(site.url)
        rule = caught.value.details["rule"]
        assert (await web.fetch(site.url, call=Call(allow=(rule,)))).markdown
    assert "domain:site.test" == rule


async def test_always_is_written_to_the_project_and_counts_for_the_next_process(world: World, project: Path) -> None:
    site = await world.site({"/": PAGE}, name="site.test")
    person = Person("always")
    async with opened(world, mode="ask", approver=person) as web:
        await web.fetch(site.url)
    file = project / ".outrider" / "allowed_network.json"
    assert {"allowed": ["domain:site.test"]} == json.loads(file.read_text())
    async with opened(world, mode="ask") as web:
        assert (await web.fetch(site.url)).markdown


@pytest.mark.parametrize("name", ["allowed_network.json", "manifest.toml"])
async def test_what_cannot_be_read_refuses_and_requests_nothing(world: World, project: Path, name: str) -> None:
    site = await world.site({"/": PAGE}, name="site.test")
    project.joinpath(".outrider", name).write_text("{[")
    async with opened(world) as web:
        with pytest.raises(PermissionDenied):
            await web.fetch(site.url)
    assert [] == site.connections


async def test_with_a_manifest_that_cannot_be_read_an_agent_of_it_is_refused_like_any_other(
    world: World, project: Path
) -> None:
    site = await world.site({"/": PAGE}, name="site.test")
    project.joinpath(".outrider", "manifest.toml").write_text("[agents.mine]\ntools = 1")
    async with opened(world, agent="mine", mode="yolo") as web:
        for request in (web.fetch(site.url), web.search("words"), web.read("w1"), web.download(site.url, "x")):
            with pytest.raises(PermissionDenied):
                await request
    assert [] == site.connections


async def test_permission_never_widens_the_guard(world: World) -> None:
    recorder = await world.recorder("127.0.0.2")
    async with opened(world, mode="yolo", allow=["*", "domain:127.0.0.2"]) as web:
        result = await web.call("web_fetch", {"url": f"http://127.0.0.2:{recorder.port}/"})
    assert result.error is not None
    assert "ssrf_rejected" == result.error.code
    assert [] == world.connections_to("127.0.0.2")


async def test_a_project_cannot_set_permissions_in_its_settings(project: Path) -> None:
    project.joinpath("outrider.toml").write_text('[permissions]\nmode = "yolo"\n')
    with pytest.raises(InvalidArgument):
        Web()


# Downloads.


async def test_a_download_needs_leave_for_the_host_and_for_the_write(world: World, project: Path) -> None:
    site = await world.site({"/x.csv": page("a,b", content_type="text/csv")}, name="site.test")
    url = site.at("x.csv")
    async with opened(world) as web:
        for allowed, missing in (
            ((), "domain:site.test"),
            (("domain:site.test",), "write:data/x.csv"),
            (("write:data",), "domain:site.test"),
        ):
            with pytest.raises(ApprovalRequired) as caught:
                await web.download(url, "data/x.csv", call=Call(allow=allowed))
            assert missing == caught.value.details["rule"]
        assert [] == site.connections
        assert not (project / "data").exists()
        await web.download(url, "data/x.csv", call=Call(allow=("domain:site.test", "write:data")))
    assert "a,b" == project.joinpath("data", "x.csv").read_text()


async def test_a_download_is_asked_about_twice(world: World) -> None:
    site = await world.site({"/x.csv": page("a,b", content_type="text/csv")}, name="site.test")
    person = Person("session", "session", "once")
    async with opened(world, approver=person) as web:
        await web.download(site.at("x.csv"), "data/x.csv")
        await web.download(site.at("x.csv"), "data/x.csv", overwrite=True)
        await web.download(site.at("x.csv"), "other.csv")
    assert [site.at("x.csv"), "writing data/x.csv", "writing other.csv"] == person.subjects


async def test_preapproved_hosts_do_not_count_for_downloads(world: World) -> None:
    docs = await world.site({"/x.pdf": PAGE, "/": PAGE}, name="docs.python.org")
    async with opened(world, mode="ask", allow=["write:*"]) as web:
        assert (await web.fetch(docs.url)).markdown
        with pytest.raises(ApprovalRequired):
            await web.download(docs.at("x.pdf"), "x.pdf")
    assert ["/"] == [request.path for request in docs.requests]


async def test_a_downloads_redirect_is_held_to_the_rules(world: World, project: Path) -> None:
    bad = await world.site({"/x": PAGE}, name="bad.test")
    good = await world.site({"/x": redirect(bad.at("x"))}, name="good.test")
    async with opened(world, mode="yolo", deny=["domain:bad.test"]) as web:
        with pytest.raises(RedirectRejected):
            await web.download(good.at("x"), "x")
    assert [] == bad.connections
    assert not (project / "x").exists()


# Agents.


MANIFEST = """
[agents.reader]
tools = ["web_fetch"]
[agents.searcher]
tools = ["web_search"]
max_results = 2
max_results_ceiling = 3
[tools.web_fetch]
timeout_s = 0.2
[[agents.reader.rules]]
pattern = "domain:secret.test"
action = "deny"
"""


async def test_an_agent_is_offered_and_may_use_only_its_own_tools(world: World, project: Path) -> None:
    project.joinpath(".outrider", "manifest.toml").write_text(MANIFEST)
    site = await world.site({"/": PAGE}, name="site.test")
    async with opened(world, agent="searcher") as web:
        assert ["web_search"] == [tool.name for tool in web.tools()]
        result = await web.call("web_fetch", {"url": site.url})
        with pytest.raises(PermissionDenied):
            await web.fetch(site.url)
    assert result.error is not None
    assert "permission_denied" == result.error.code
    assert [] == site.connections


async def test_an_agent_that_a_call_names_is_held_to_its_tools_and_rules(world: World, project: Path) -> None:
    project.joinpath(".outrider", "manifest.toml").write_text(MANIFEST)
    secret = await world.site({"/": PAGE}, name="secret.test")
    async with opened(world) as web:
        with pytest.raises(PermissionDenied):
            await web.fetch(secret.url, call=Call(agent="reader"))
        with pytest.raises(PermissionDenied):
            await web.search("words", call=Call(agent="reader"))
        with pytest.raises(InvalidArgument):
            await web.fetch(secret.url, call=Call(agent="nobody"))
        assert (await web.fetch(secret.url)).markdown


async def test_an_agent_that_does_not_exist_is_refused_at_once(world: World) -> None:
    with pytest.raises(InvalidArgument):
        async with opened(world, agent="nobody"):
            pass


async def test_the_web_turned_off_offers_nothing_whatever_an_agent_may_use(project: Path) -> None:
    project.joinpath(".outrider", "manifest.toml").write_text(MANIFEST)
    async with Web(enabled=False, agent="reader") as web:
        assert [] == web.tools()
        assert [] == web.child(tools=["web_fetch"]).tools()
        result = await web.child().call("web_fetch", {"url": "https://example.org/"})
    assert result.error is not None
    assert "web_disabled" == result.error.code


async def test_a_tools_time_is_enforced_and_finished_items_stay(world: World, project: Path) -> None:
    project.joinpath(".outrider", "manifest.toml").write_text(MANIFEST)

    async def never(_: Request, connection: Connection) -> None:
        await asyncio.Event().wait()

    site = await world.site({"/": PAGE, "/never": never}, name="site.test")
    async with opened(world, **{"fetch.total_s": 30}) as web:
        await web.fetch(site.url, call=Call(allow=("*",)))
        result = await web.fetch_many([site.url, site.at("never")])
        with pytest.raises(TotalTimeout):
            await web.fetch(site.at("never"))
    assert ["success", "failed"] == [item.status for item in result.items]
    assert isinstance(result.items[1].error, TotalTimeout)


async def test_a_projects_manifest_is_shown_checked_and_extended_on_request(project: Path) -> None:
    file = project / ".outrider" / "manifest.toml"
    manifest = ProjectManifest.of(Config.load())
    assert file == manifest.path
    assert [] == manifest.check()
    assert not file.exists()
    assert manifest.add_tools(["download"])
    assert not manifest.add_tools(["download"])
    assert manifest.add_agent("helper", ["web_fetch"])
    assert manifest.add_rule("deny", "*.tracker.test")
    assert manifest.add_rule("allow", "data", permission="write", agent="helper")
    assert "[agents.helper]" in manifest.show()
    tables = [line for line in file.read_text().splitlines() if line.startswith(("[t", "[a"))]
    assert ["[tools.download]", "[agents.helper]"] == tables
    assert [file] == list(file.parent.iterdir())
    file.write_text("[tools.download]\nrisk = 'none'\n")
    assert 1 == len(manifest.check())
    with pytest.raises(InvalidArgument):
        manifest.show()
    with pytest.raises(InvalidArgument):
        manifest.add_rule("deny", "*")
    assert "[tools.download]\nrisk = 'none'\n" == file.read_text()


@pytest.mark.parametrize("place", [{}, {"tool": "web_fetch"}, {"agent": "helper"}], ids=str)
async def test_a_rule_that_is_there_already_is_not_added_again(project: Path, place: dict[str, str]) -> None:
    file = project / ".outrider" / "manifest.toml"
    manifest = ProjectManifest.of(Config.load())
    manifest.add_agent("helper", ["web_fetch"])
    assert manifest.add_rule("deny", "domain:*.tracker.test", **place)
    once = file.read_text()

    assert not manifest.add_rule("deny", "*.tracker.test", **place)
    assert once == file.read_text()
    assert manifest.add_rule("deny", "data", permission="write", **place)
    assert not manifest.add_rule("deny", "data", permission="write", **place)
    assert manifest.add_rule("ask", "*.tracker.test", **place)
    assert manifest.add_rule("deny", "*.tracker.test", tool="download")


async def test_a_dialects_own_tools_are_in_its_manifest(project: Path) -> None:
    manifest = ProjectManifest.of(Config.load({"dialect": "spettro"}))
    assert project / ".spettro" / "manifest.toml" == manifest.path
    assert "[tools.web-fetch]" in manifest.show()
    assert "[tools.web-fetch]" not in ProjectManifest.of(Config.load()).show()


# Children.


async def test_a_child_is_never_wider_than_its_parent(world: World, project: Path) -> None:
    project.joinpath(".outrider", "manifest.toml").write_text(MANIFEST)
    async with opened(world) as web:
        reader = web.child(tools=["web_fetch"], name="anything")
        assert ["web_fetch"] == [tool.name for tool in reader.tools()]
        assert ["web_fetch"] == [tool.name for tool in reader.child(tools=["web_search", "web_fetch"]).tools()]
        assert [] == reader.child(tools=["web_search"]).tools()
        assert [] == reader.child(name="searcher").tools()
        assert ["web_search"] == [tool.name for tool in web.child(name="searcher").tools()]
        result = await reader.call("web_search", {"query": "words"})
        assert result.error is not None
        assert "permission_denied" == result.error.code
        with pytest.raises(InvalidArgument):
            web.child(tools=["web_serch"])


async def test_a_child_reads_its_parents_pages_in_a_session_of_its_own(world: World) -> None:
    site = await world.site({"/1": PAGE, "/2": PAGE, "/3": PAGE}, name="site.test")
    async with opened(world) as web:
        await web.fetch(site.at("1"))
        child = web.child(name="helper")
        later = (await web.fetch(site.at("2"))).page_id
        own = (await child.fetch(site.at("3"))).page_id
        assert ("w2", "w2") == (later, own)
        assert site.at("1") == (await child.fetch("w1")).url
        assert site.at("3") == (await child.fetch("w2")).url
        assert site.at("2") == (await web.fetch("w2")).url
        with pytest.raises(UnknownPageId):
            await web.child().fetch("w9")
        assert "w1" == (await child.fetch(site.at("1"))).page_id


async def test_a_childs_windows_go_on_in_its_parents_snapshot(world: World) -> None:
    site = await world.site({"/": f"<p>{'word ' * 400}</p>"}, name="site.test")
    async with opened(world) as web:
        first = await web.fetch(site.url, limit=500)
        child = web.child()
        await child.fetch("w1", offset=first.next_offset or 0, limit=500)
    assert 1 == len(site.requests)


async def test_a_child_reads_what_its_parent_stored_and_not_the_other_way_round(world: World) -> None:
    site = await world.site({"/1": PAGE, "/2": PAGE}, name="site.test")
    async with opened(world) as web:
        mine = await web.fetch(site.at("1"))
        child = web.child()
        own = await child.fetch(site.at("2"))
        assert mine.path is not None
        assert own.path is not None
        assert "Some text" in (await child.read(mine.path)).text
        with pytest.raises(PageNotFound):
            await web.read(own.path)
        with pytest.raises(PageNotFound):
            await web.child().read(own.path)


async def test_a_childs_questions_go_to_whoever_answers_its_parent(world: World) -> None:
    site = await world.site({"/": PAGE}, name="site.test")
    other = await world.site({"/": PAGE}, name="other.test")
    parent, own = Person("session", "no"), Person("once")
    async with opened(world, mode="ask") as web:
        call = Call(scope=Scope(session="talk"), ask=parent)
        child = web.child(name="helper", call=call)
        assert (await child.fetch(site.url)).markdown
        with pytest.raises(PermissionDenied):
            await child.fetch(other.url, call=Call(ask=own))
        # What was approved for the session holds for the parent too.
        assert (await web.fetch(site.url, call=Call(scope=call.scope))).markdown
    assert [site.url, other.url] == parent.subjects
    assert ["helper", "helper"] == parent.agents
    assert [] == own.subjects


async def test_a_child_that_is_left_ends_its_session_and_many_children_do_not_end_their_parents(world: World) -> None:
    site = await world.site({"/": PAGE}, name="site.test")
    async with opened(world) as web:
        first = await web.fetch(site.url)
        busy = web.child(name="busy")
        mine = busy.session(Scope())
        for _ in range(MAX_SESSIONS + 10):
            async with web.child() as child:
                assert child.session(Scope()) is not mine
            # In use, as both would be while they work.
            web.session(Scope())
            busy.session(Scope())
        for _ in range(MAX_SESSIONS - 2):
            web.child()
        assert first.page_id == (await web.fetch("w1")).page_id
        assert mine is busy.session(Scope())


async def test_a_childs_agent_may_not_do_what_its_parent_may_not(world: World, project: Path) -> None:
    project.joinpath(".outrider", "manifest.toml").write_text(
        MANIFEST + '[agents.free]\ntools = ["web_fetch"]\n[[agents.free.rules]]\npattern = "*"\naction = "allow"\n'
    )
    secret = await world.site({"/": PAGE}, name="secret.test")
    async with opened(world, agent="reader") as web:
        with pytest.raises(PermissionDenied):
            await web.child(name="free").fetch(secret.url)
    assert [] == secret.connections


async def test_the_prompt_lines_are_computed_at_each_call(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    days = iter([datetime(2026, 11, 30, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)])
    call = Call(now=lambda: next(days))
    web = Web()
    lines = [web.prompt_context(call, workspace=tmp_path).splitlines() for _ in range(2)]
    assert ["Today's date: 2026-11-30", "Today's date: 2026-12-01"] == [line[1] for line in lines]


@pytest.mark.parametrize("url", ["http://169.254.169.254/", "http://10.0.0.7/", "http://localhost/", "http://[::1]/"])
async def test_nobody_is_asked_about_what_the_guard_refuses_anyway(world: World, url: str) -> None:
    person = Person("once", "once", "once")

    async with opened(world, mode="ask", approver=person) as web:
        with pytest.raises(SsrfRejected):
            await web.fetch(url)
        with pytest.raises(SsrfRejected):
            await web.download(url, "file.bin")

    assert [] == person.subjects


async def test_with_nobody_to_ask_the_guard_still_speaks_first(world: World) -> None:
    async with opened(world, mode="ask") as web:
        result = await web.call("web_fetch", {"url": "http://10.0.0.7/"})

    assert result.error is not None
    assert "ssrf_rejected" == result.error.code
