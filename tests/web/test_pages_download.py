"""Downloads on a real file system: inside the workspace, whole or not there, whatever server and neighbours do."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from outrider import Call, Progress, Web
from outrider.call import Approval, Question
from outrider.errors import (
    ApprovalRequired,
    BodyTooLarge,
    ChecksumMismatch,
    DestinationExists,
    Http404,
    InvalidArgument,
    PathOutsideWorkspace,
    PermissionDenied,
    RedirectRejected,
    SsrfRejected,
    TooManyRedirects,
    TruncatedBody,
    WebError,
)
from world.listener import Connection
from world.messages import Reply, Request, fields_of, page, pieces, redirect
from world.world import World

OpenWeb = Callable[..., Awaitable[Web]]
BODY = bytes(range(256)) * 40


async def yes(_: Question) -> Approval:
    return "once"


ALLOWED = Call(ask=yes)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.fixture
def open_here(open_web: OpenWeb, workspace: Path, tmp_path: Path) -> OpenWeb:
    async def opened(**settings: Any) -> Web:
        return await open_web(**({"root": str(workspace), "data_dir": str(tmp_path / "data")} | settings))

    return opened


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def file(body: bytes = BODY, **headers: str) -> Reply:
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return page(body, content_type="application/octet-stream", headers=fields)


async def test_a_file_is_saved_whole_and_described(world: World, open_here: OpenWeb, workspace: Path) -> None:
    site = await world.site({"/a.bin": file()})
    web = await open_here()

    saved = await web.download(site.at("/a.bin"), "new/folder/b.bin", call=ALLOWED)

    assert BODY == (workspace / "new/folder/b.bin").read_bytes()
    assert ("new/folder/b.bin", len(BODY), "application/octet-stream") == (saved.path, saved.bytes, saved.content_type)
    assert hashlib.sha256(BODY).hexdigest() == saved.sha256
    assert ["new", "new/folder", "new/folder/b.bin"] == everything(workspace)
    assert not os.access(workspace / "new/folder/b.bin", os.X_OK) or os.geteuid() == 0
    assert 0 == (workspace / "new/folder/b.bin").stat().st_mode & 0o111


# js-file-exact
async def test_a_script_is_saved_byte_for_byte(world: World, open_here: OpenWeb, workspace: Path) -> None:
    script = b"var a=1;\r\n//\xe9\x00\xff\n" * 999
    site = await world.site({"/app.js": page(script, content_type="application/javascript")})
    web = await open_here()

    saved = await web.download(site.at("/app.js"), "", call=ALLOWED)

    assert script == (workspace / "app.js").read_bytes()
    assert hashlib.sha256(script).hexdigest() == saved.sha256


# Names. The suggestions are those of the class "filename", and of public reports.

NAMES = [
    ('attachment; filename="../../../../tmp/pwn"', "pwn"),
    ('attachment; filename="/etc/cron.d/pwn"', "pwn"),
    ('attachment; filename="..\\\\..\\\\pwn"', "pwn"),
    ('attachment; filename="C:\\\\Windows\\\\pwn.exe"', "pwn.exe"),
    ('attachment; filename=".bashrc"', "bashrc"),
    ('attachment; filename="a/b/c.txt"', "c.txt"),
    ('attachment; filename=".."', "suggest"),
    ('attachment; filename=""', "suggest"),
    ('attachment; filename="-rf"', "rf"),
    ("attachment; filename*=UTF-8''%2e%2e%2f%2e%2e%2fpwn", "pwn"),
    ("attachment; filename*=UTF-8''na%C3%AFve%20file.txt; filename=\"plain.txt\"", "naïve file.txt"),
    ("attachment; filename=tool.zip", "tool.zip"),
    ('attachment; filename="a%00b.txt"', "ab.txt"),
    ('attachment; filename="NUL.txt"', "_NUL.txt"),
    ('attachment; filename="com1"', "_com1"),
    ("attachment; filename*=UTF-8''%EF%BC%8E%EF%BC%8E%EF%BC%8Fpwn", "pwn"),
    ("attachment; filename*=UTF-8''innocent%E2%80%AEgpj.exe", "innocentgpj.exe"),
    ('attachment; filename="a:b|c?.txt"', "a_b_c_.txt"),
    ('attachment; filename="trailing. . "', "trailing"),
    ('inline; filename="quoted \\"name\\".txt"', "quoted _name_.txt"),
    ("attachment", "suggest"),
    (f'attachment; filename="{"x" * 500}.txt"', "x" * 196 + ".txt"),
    ('attachment; filename=".git"', "git"),
]


@pytest.mark.parametrize(("disposition", "name"), NAMES, ids=[disposition[:40] for disposition, _ in NAMES])
async def test_a_suggested_name_is_one_visible_file_in_the_workspace(
    world: World, open_here: OpenWeb, workspace: Path, disposition: str, name: str
) -> None:
    site = await world.site({"/suggest": file(content_disposition=disposition)})
    web = await open_here()

    saved = await web.download(site.at("/suggest?download=1"), "", call=ALLOWED)

    assert name == saved.path
    assert [name] == everything(workspace)


# fn-04
async def test_a_name_with_a_nul_byte_is_a_plain_name_or_refused(
    world: World, open_here: OpenWeb, workspace: Path, tmp_path: Path
) -> None:
    async def handler(_: Request, connection: Connection) -> None:
        await connection.send(
            b'HTTP/1.1 200 OK\r\ncontent-disposition: attachment; filename="a\0b.txt"\r\ncontent-length: 1\r\n\r\nx'
        )

    site = await world.site({"/": handler})
    web = await open_here()
    with suppress(WebError):
        await web.download(site.url, "", call=ALLOWED)
    assert everything(workspace) in ([], ["ab.txt"], ["b.txt"], ["download"])
    assert {"workspace", "data"} >= {name.partition("/")[0] for name in everything(tmp_path)}


# dl-name-trailing-slash, sz-10
async def test_the_name_is_the_final_answers(world: World, open_here: OpenWeb, workspace: Path) -> None:
    site = await world.site(
        {
            "/get/": redirect("/signed/long%2F..%2Fpath?token=" + "a" * 500),
            "/signed/long%2F..%2Fpath": file(content_disposition='attachment; filename="data.csv"'),
            "/plain/": redirect("/files/report%20final.pdf"),
            "/files/report%20final.pdf": file(),
        }
    )
    web = await open_here()

    assert "data.csv" == (await web.download(site.at("/get/"), "", call=ALLOWED)).path
    assert "sub/report final.pdf" == (await web.download(site.at("/plain/"), "sub/", call=ALLOWED)).path
    assert ["data.csv", "sub", "sub/report final.pdf"] == everything(workspace)


async def test_without_any_name_there_is_a_plain_word(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": page("{}", content_type="application/json; charset=utf-8")})
    web = await open_here()
    assert "download.json" == (await web.download(site.url, "", call=ALLOWED)).path


# Paths.


@pytest.mark.parametrize(
    "path",
    [
        "../pwn", "a/../../pwn", "a/..", "/etc/passwd", "/tmp/x", "~/x", "~root/x", "C:\\x", "c:/x", "..\\x", "a\\b",
        "\\\\host\\x",         "a\0b", "a\nb", "NUL", "con.txt", "sub/COM1",
        "lpt9.tar.gz", ".git/config", "sub/.git/hooks/pre-commit",
        ".outrider/allowed_network.json", ".OUTRIDER/x", "outrider.toml", "x" * 256, "d/" * 600,
    ],
)  # fmt: skip
async def test_a_path_that_leads_out_is_refused_before_anything_is_asked(
    world: World, open_here: OpenWeb, workspace: Path, path: str
) -> None:
    asked: list[Question] = []

    async def asking(question: Question) -> Approval:
        asked.append(question)
        return "once"

    site = await world.site({"/": file()})
    web = await open_here()

    with pytest.raises(PathOutsideWorkspace):
        await web.download(site.url, path, call=Call(ask=asking))

    assert ([], [], []) == (asked, site.requests, everything(workspace))


async def test_outside_the_write_roots_nothing_is_written(world: World, open_here: OpenWeb, workspace: Path) -> None:
    site = await world.site({"/a": file()})
    web = await open_here(write_roots=["out", str(workspace / "more")])

    assert "out/a" == (await web.download(site.at("/a"), "out/", call=ALLOWED)).path
    assert "more/deep/a" == (await web.download(site.at("/a"), "more/deep/a", call=ALLOWED)).path
    for path in ("a", "", "outer/a", "out"):
        with pytest.raises(PathOutsideWorkspace):
            await web.download(site.at("/a"), path, call=ALLOWED)
    assert 2 == len(site.requests)


async def test_a_write_root_outside_the_workspace_is_refused(open_here: OpenWeb, outside: Path) -> None:
    with pytest.raises(InvalidArgument):
        await open_here(write_roots=[str(outside)])


async def test_a_read_only_workspace_refuses_before_anything_is_asked(world: World, open_here: OpenWeb) -> None:
    asked: list[Question] = []

    async def asking(question: Question) -> Approval:
        asked.append(question)
        return "once"

    site = await world.site({"/": file()})
    web = await open_here(read_only=True)

    with pytest.raises(PermissionDenied):
        await web.download(site.url, "a", call=Call(ask=asking))
    assert ([], []) == (asked, site.requests)


async def test_a_download_is_asked_for_host_and_write(world: World, open_here: OpenWeb, workspace: Path) -> None:
    asked: list[str] = []

    async def asking(question: Question) -> Approval:
        asked.append(question.action)
        return "once"

    site = await world.site({"/": file()})
    web = await open_here()

    await web.download(site.url, "a", call=Call(ask=asking))

    assert ["network", "write"] == asked
    with pytest.raises(ApprovalRequired):
        await web.download(site.url, "b")
    assert ["a"] == everything(workspace)


async def test_a_redirect_to_where_the_call_may_not_go_is_not_followed(
    world: World, open_here: OpenWeb, workspace: Path
) -> None:
    other = await world.site({"/": file()}, name="other.test")
    site = await world.site({"/": redirect(other.url)})
    web = await open_here(deny=["domain:other.test"])

    with pytest.raises(RedirectRejected):
        await web.download(site.url, "a", call=ALLOWED)

    assert ([], []) == (other.requests, everything(workspace))


# The file system's traps, class "filesystem".


# fs-00
@pytest.mark.parametrize("overwrite", [False, True])
async def test_a_link_in_place_of_the_target_is_not_followed(
    world: World, open_here: OpenWeb, workspace: Path, outside: Path, *, overwrite: bool
) -> None:
    (outside / "secret").write_bytes(b"secret")
    (workspace / "a").symlink_to(outside / "secret")
    site = await world.site({"/": file()})
    web = await open_here()

    with pytest.raises(PathOutsideWorkspace):
        await web.download(site.url, "a", overwrite=overwrite, call=ALLOWED)

    assert b"secret" == (outside / "secret").read_bytes()
    assert [] == site.requests


# fs-01
@pytest.mark.parametrize("path", ["link/a", "link/deep/a", "link/"])
async def test_a_link_in_place_of_a_folder_is_not_followed(
    world: World, open_here: OpenWeb, workspace: Path, outside: Path, path: str
) -> None:
    (workspace / "link").symlink_to(outside, target_is_directory=True)
    site = await world.site({"/": file()})
    web = await open_here()

    with pytest.raises(PathOutsideWorkspace):
        await web.download(site.url, path, call=ALLOWED)

    assert ([], []) == (everything(outside), site.requests)


def telling(under_way: asyncio.Event) -> Call:
    """A call that tells when the file is being written."""
    return Call(ask=yes, emit=lambda progress: under_way.set() if progress.stage == "receive" else None)


def answer_after(event: asyncio.Event) -> Any:
    async def handler(_: Request, connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nfirst")
        await event.wait()
        await connection.send(b" last")

    return handler


# fs-02
@pytest.mark.parametrize("swap", ["link", "folder", "gone"])
async def test_a_folder_swapped_during_the_transfer_gets_no_file(
    world: World, open_here: OpenWeb, workspace: Path, outside: Path, swap: str
) -> None:
    release, under_way = asyncio.Event(), asyncio.Event()
    site = await world.site({"/": answer_after(release)})
    (workspace / "sub").mkdir()
    web = await open_here()
    task = asyncio.create_task(web.download(site.url, "sub/a", call=telling(under_way)))
    await asyncio.wait_for(under_way.wait(), 5)

    (workspace / "sub").rename(outside / "moved")
    if swap == "link":
        (workspace / "sub").symlink_to(outside, target_is_directory=True)
    elif swap == "folder":
        (workspace / "sub").mkdir()
    release.set()

    with pytest.raises(PathOutsideWorkspace):
        await task
    assert ["moved"] == everything(outside)


async def test_a_target_that_appears_during_the_transfer_is_kept(
    world: World, open_here: OpenWeb, workspace: Path, outside: Path
) -> None:
    release, under_way = asyncio.Event(), asyncio.Event()
    site = await world.site({"/": answer_after(release)})
    web = await open_here()
    task = asyncio.create_task(web.download(site.url, "a", call=telling(under_way)))
    await asyncio.wait_for(under_way.wait(), 5)

    (workspace / "a").write_bytes(b"somebody else's")
    release.set()

    with pytest.raises(DestinationExists):
        await task
    assert b"somebody else's" == (workspace / "a").read_bytes()
    assert ["a"] == everything(workspace)


# fs-03
async def test_an_existing_file_is_replaced_only_on_request_and_whole(
    world: World, open_here: OpenWeb, workspace: Path
) -> None:
    (workspace / "a").write_bytes(b"old")
    held = (workspace / "a").open("rb")
    site = await world.site({"/": file(), "/broken": trouble_reset()})
    web = await open_here()

    with pytest.raises(DestinationExists):
        await web.download(site.url, "a", call=ALLOWED)
    assert [] == site.requests
    with pytest.raises(TruncatedBody):
        await web.download(site.at("/broken"), "a", overwrite=True, call=ALLOWED)
    assert b"old" == (workspace / "a").read_bytes()
    await web.download(site.url, "a", overwrite=True, call=ALLOWED)
    assert (BODY, b"old") == ((workspace / "a").read_bytes(), held.read())
    assert ["a"] == everything(workspace)
    held.close()


# fs-04
@pytest.mark.parametrize("overwrite", [False, True])
async def test_a_folder_in_place_of_the_target_is_named(
    world: World, open_here: OpenWeb, workspace: Path, *, overwrite: bool
) -> None:
    (workspace / "a").mkdir()
    site = await world.site({"/": file()})
    web = await open_here()
    with pytest.raises(DestinationExists):
        await web.download(site.url, "a", overwrite=overwrite, call=ALLOWED)
    assert [] == site.requests


# fs-08
async def test_a_link_to_nowhere_is_not_followed(
    world: World, open_here: OpenWeb, workspace: Path, outside: Path
) -> None:
    (workspace / "a").symlink_to(outside / "new")
    site = await world.site({"/": file()})
    web = await open_here()
    with pytest.raises(PathOutsideWorkspace):
        await web.download(site.url, "a", call=ALLOWED)
    assert [] == everything(outside)


async def test_a_pipe_in_place_of_the_target_is_refused(world: World, open_here: OpenWeb, workspace: Path) -> None:
    os.mkfifo(workspace / "a")
    site = await world.site({"/": file()})
    web = await open_here()
    with pytest.raises(PathOutsideWorkspace):
        await web.download(site.url, "a", overwrite=True, call=ALLOWED)


# Sizes and endings, class "size-and-atomicity".


def trouble_reset(body: bytes = b"half", *, length: int = 100) -> Any:
    async def handler(_: Request, connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (length, body))
        connection.reset()

    return handler


async def refused(
    world: World, open_here: OpenWeb, workspace: Path, reply: Any, kind: type[WebError], **options: Any
) -> None:
    site = await world.site({"/": reply})
    web = await open_here()
    with pytest.raises(kind):
        await web.download(site.url, "new/a", call=ALLOWED, **options)
    assert [] == everything(workspace)


# sz-00
async def test_a_declared_size_over_the_limit_is_refused(world: World, open_here: OpenWeb, workspace: Path) -> None:
    await refused(world, open_here, workspace, file(), BodyTooLarge, max_bytes=len(BODY) - 1)


# sz-01
async def test_an_undeclared_size_is_stopped_at_the_limit(world: World, open_here: OpenWeb, workspace: Path) -> None:
    await refused(world, open_here, workspace, pieces(*[b"x" * 1_000] * 20), BodyTooLarge, max_bytes=10_000)


# sz-02
async def test_more_than_declared_is_not_taken(world: World, open_here: OpenWeb, workspace: Path) -> None:
    async def handler(_: Request, connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello and more")

    site = await world.site({"/": handler})
    web = await open_here()
    await web.download(site.url, "a", call=ALLOWED)
    assert b"hello" == (workspace / "a").read_bytes()


# sz-03
async def test_less_than_declared_is_no_file(world: World, open_here: OpenWeb, workspace: Path) -> None:
    async def handler(_: Request, connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhello")

    await refused(world, open_here, workspace, handler, TruncatedBody)


# sz-04
async def test_the_limit_holds_for_what_is_decoded(world: World, open_here: OpenWeb, workspace: Path) -> None:
    body = gzip.compress(b"\0" * 1_000_000)
    reply = file(body, content_encoding="gzip")
    await refused(world, open_here, workspace, reply, BodyTooLarge, max_bytes=100_000)


# sz-05
async def test_a_connection_reset_in_the_middle_leaves_nothing(
    world: World, open_here: OpenWeb, workspace: Path
) -> None:
    await refused(world, open_here, workspace, trouble_reset(), TruncatedBody)


async def test_a_body_of_exactly_the_limit_is_taken(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": file()})
    web = await open_here()
    assert len(BODY) == (await web.download(site.url, "a", max_bytes=len(BODY), call=ALLOWED)).bytes


async def test_a_wrong_checksum_leaves_nothing(world: World, open_here: OpenWeb, workspace: Path) -> None:
    await refused(world, open_here, workspace, file(), ChecksumMismatch, sha256="0" * 64)


async def test_a_right_checksum_is_kept_in_any_case(world: World, open_here: OpenWeb) -> None:
    site = await world.site({"/": file()})
    web = await open_here()
    digest = hashlib.sha256(BODY).hexdigest().upper()
    assert digest.lower() == (await web.download(site.url, "a", sha256=digest, call=ALLOWED)).sha256


@pytest.mark.parametrize("options", [{"sha256": "abc"}, {"max_bytes": 0}, {"max_bytes": 200 * 1024 * 1024 + 1}])
async def test_a_wrong_argument_is_refused(world: World, open_here: OpenWeb, workspace: Path, options: Any) -> None:
    await refused(world, open_here, workspace, file(), InvalidArgument, **options)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (page("no", status=404), Http404),
        (redirect("/"), TooManyRedirects),
        (redirect("ftp://x.test/"), RedirectRejected),
        (redirect("http://169.254.169.254/latest"), SsrfRejected),
    ],
)
async def test_an_answer_that_is_no_file_leaves_nothing(
    world: World, open_here: OpenWeb, workspace: Path, reply: Reply, kind: type[WebError]
) -> None:
    await refused(world, open_here, workspace, reply, kind)


async def test_a_cancelled_download_leaves_nothing(world: World, open_here: OpenWeb, workspace: Path) -> None:
    release, under_way = asyncio.Event(), asyncio.Event()
    site = await world.site({"/": answer_after(release)})
    web = await open_here()
    task = asyncio.create_task(web.download(site.url, "new/a", call=telling(under_way)))
    await asyncio.wait_for(under_way.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [] == everything(workspace)


# Going on.


def breaking(body: bytes, *, tags: list[str], breaks: int, ranges: bool = True) -> Callable[[Request], Reply]:
    """Serves a file that breaks off so many times; its tag is the next of `tags` at each request."""
    seen = 0

    def handler(request: Request) -> Reply:
        nonlocal seen
        tag = tags[min(seen, len(tags) - 1)]
        seen += 1
        match = re.fullmatch(r"bytes=(\d+)-", request.header("range"))
        start = int(match[1]) if match and ranges and request.header("if-range") == tag else 0
        part = body[start:]
        fields = {"etag": tag, "content-length": str(len(part)), "content-type": "application/octet-stream"}
        if start:
            fields["content-range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        cut = len(part) // 2 if seen <= breaks else None
        return Reply(status=206 if start else 200, fields=fields_of(fields), body=part, cut_after=cut)

    return handler


async def test_a_broken_transfer_goes_on_where_it_broke(world: World, open_here: OpenWeb, workspace: Path) -> None:
    site = await world.site({"/": breaking(BODY, tags=['"v1"'], breaks=3)})
    web = await open_here()
    seen: list[Progress] = []

    saved = await web.download(site.url, "a", call=Call(ask=yes, emit=seen.append))

    assert (BODY, 3) == ((workspace / "a").read_bytes(), saved.resumptions)
    assert ["", "bytes=5120-", "bytes=7680-", "bytes=8960-"] == [request.header("range") for request in site.requests]
    assert hashlib.sha256(BODY).hexdigest() == saved.sha256
    assert (len(BODY), len(BODY)) == (seen[-1].done, seen[-1].total)


async def test_another_version_is_taken_from_its_beginning(world: World, open_here: OpenWeb, workspace: Path) -> None:
    site = await world.site({"/": breaking(BODY, tags=['"v1"', '"v2"'], breaks=1)})
    web = await open_here()
    saved = await web.download(site.url, "a", call=ALLOWED)
    assert (BODY, hashlib.sha256(BODY).hexdigest()) == ((workspace / "a").read_bytes(), saved.sha256)


@pytest.mark.parametrize("tag", ['W/"weak"', ""])
async def test_without_a_strong_validator_a_broken_transfer_is_over(
    world: World, open_here: OpenWeb, workspace: Path, tag: str
) -> None:
    site = await world.site({"/": breaking(BODY, tags=[tag], breaks=1)})
    web = await open_here()
    with pytest.raises(TruncatedBody):
        await web.download(site.url, "new/a", call=ALLOWED)
    assert [] == everything(workspace)
    assert 1 == len(site.requests)


async def test_a_transfer_that_always_breaks_ends(world: World, open_here: OpenWeb, workspace: Path) -> None:
    site = await world.site({"/": breaking(BODY, tags=['"v1"'], breaks=99)})
    web = await open_here()
    with pytest.raises(TruncatedBody):
        await web.download(site.url, "new/a", call=ALLOWED)
    assert [] == everything(workspace)
    assert 5 == len(site.requests)


async def test_the_tool_says_what_was_saved(world: World, open_here: OpenWeb, workspace: Path) -> None:
    site = await world.site({"/": file()})
    web = await open_here()
    result = await web.call("download", {"url": site.url, "path": "a.bin"}, ALLOWED)
    again = await web.call("download", {"url": site.url, "path": "a.bin"}, ALLOWED)
    assert ("a.bin", len(BODY)) == (result.data["path"], result.data["bytes"])
    assert again.error is not None
    assert "destination_exists" == again.error.code


# Where the system knows no files without a name, a hidden one is written and renamed.


@pytest.fixture
def _named_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)


@pytest.mark.usefixtures("_named_parts")
async def test_with_named_parts_the_same_holds(
    world: World, open_here: OpenWeb, workspace: Path, outside: Path
) -> None:
    site = await world.site({"/": file(), "/broken": trouble_reset(), "/b": breaking(BODY, tags=['"v1"'], breaks=1)})
    web = await open_here()

    await web.download(site.url, "a", call=ALLOWED)
    with pytest.raises(DestinationExists):
        await web.download(site.url, "a", call=ALLOWED)
    with pytest.raises(TruncatedBody):
        await web.download(site.at("/broken"), "a", overwrite=True, call=ALLOWED)
    assert BODY == (workspace / "a").read_bytes()
    await web.download(site.at("/b"), "a", overwrite=True, call=ALLOWED)
    assert BODY == (workspace / "a").read_bytes()
    assert ["a"] == everything(workspace)


@pytest.mark.usefixtures("_named_parts")
async def test_a_part_that_a_killed_process_left_is_removed_and_a_living_ones_is_not(
    world: World, open_here: OpenWeb, workspace: Path
) -> None:
    release, under_way = asyncio.Event(), asyncio.Event()
    site = await world.site({"/": answer_after(release), "/a": file()})
    (workspace / ".outrider-0123456789abcdef.part").write_bytes(b"left behind")
    (workspace / ".outrider-notes.part").write_bytes(b"somebody's own")
    web = await open_here()
    slow = asyncio.create_task(web.download(site.url, "slow", call=telling(under_way)))
    await asyncio.wait_for(under_way.wait(), 5)

    await web.download(site.at("/a"), "quick", call=ALLOWED)
    release.set()

    assert 10 == (await slow).bytes
    assert [".outrider-notes.part", "quick", "slow"] == everything(workspace)
