"""An address to a file in the workspace: bounded, hashed, resumed, whole or not there."""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from outrider.call import Call, Progress
from outrider.egress.cookies import Cookies
from outrider.egress.message import Headers, Limits, Request, Response
from outrider.errors import (
    BodyTooLarge,
    ChecksumMismatch,
    ConnectionFailed,
    ReadTimeout,
    StorageError,
    TooManyRedirects,
    TruncatedBody,
    WebError,
)
from outrider.fetch.answers import refusal
from outrider.fetch.filename import suggested_name
from outrider.fetch.workspace import Folder, Part, Target, Workspace
from outrider.url import Url

if TYPE_CHECKING:
    from outrider.egress.client import Client, Permit
    from outrider.egress.pace import Pace
    from outrider.egress.transport import Incoming, Transport

DEFAULT_MAX_BYTES = 20 * 1024 * 1024
MAX_BYTES = 200 * 1024 * 1024
_MAX_REDIRECTS = 5
_MAX_RESUMPTIONS = 4
_ERROR_BYTES = 64 * 1024
# Written and hashed in a worker thread at once: a thread for each piece of the network would cost more than the work.
_CHUNK = 1024 * 1024
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One file to download."""

    url: Url
    target: Target
    max_bytes: int = DEFAULT_MAX_BYTES
    overwrite: bool = False
    sha256: str = ""
    """Lower-case hexadecimal; empty when any content will do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A downloaded file."""

    path: str
    """Within the workspace."""
    bytes: int
    content_type: str
    sha256: str
    url: str
    final_url: str
    resumptions: int = 0
    """How often the transfer broke and went on."""
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a download is being written."""

    target: Target
    folder: Folder
    part: Part
    content_type: str


@dataclass(slots=True)
class _Transfer:
    """How far a download is."""

    order: Order
    call: Call
    permit: Permit
    url: Url
    cookies: Cookies = field(default_factory=Cookies)
    passed: int = 0
    received: int = 0
    hash: hashlib._Hash = field(default_factory=hashlib.sha256)
    validator: str = ""
    """What the server names this version by, when the transfer can go on with it."""
    total: int | None = None
    resumptions: int = 0


class Downloader:
    """
    Downloads files.

    Args:
        client: Judges redirects, and knows our identity.
        transport: Carries the messages.
        total_s: Seconds for a whole download.
        stall_s: Seconds without a byte after which a transfer counts as broken.
    """

    def __init__(
        self, client: Client, transport: Transport, pace: Pace, workspace: Workspace, *,
        total_s: float = 180.0, stall_s: float = 30.0, connect_s: float = 10.0,
    ) -> None:  # fmt: skip
        self._client = client
        self._transport = transport
        self._pace = pace
        self._workspace = workspace
        self._total_s = total_s
        self._stall_s = stall_s
        self._connect_s = connect_s

    @property
    def workspace(self) -> Workspace:
        """Where files go."""
        return self._workspace

    async def download(self, order: Order, call: Call, *, permit: Permit | None = None) -> Saved:
        """
        Download one file; after a failure nothing of it is left.

        Raises:
            WebError: Any code of the guard, the network, the server's answer or the workspace.
        """
        started = time.monotonic()
        await asyncio.to_thread(self._workspace.check_free, order.target, overwrite=order.overwrite)
        call = call.within(self._total_s)
        transfer = _Transfer(order, call, permit or call.follow, order.url.without_fragment())
        async with call.limited(f"downloading from {order.url.host}"):
            await self._client.approve(transfer.url, transfer.url, None)
            saved = await self._save(transfer)
        return replace(saved, elapsed_s=round(time.monotonic() - started, 3))

    async def _save(self, transfer: _Transfer) -> Saved:
        with ExitStack() as stack:
            place = await self._arrive(transfer, stack)
            digest, wanted = transfer.hash.hexdigest(), transfer.order.sha256
            if wanted and digest != wanted:
                message = f"the file's SHA-256 is {digest}, not the expected one, so it was not kept"
                raise ChecksumMismatch(message, details={"sha256": digest})
            overwrite = transfer.order.overwrite
            await asyncio.to_thread(place.folder.finish, place.part, place.target.name, overwrite=overwrite)
        return Saved(
            path=str(place.target),
            bytes=transfer.received,
            content_type=place.content_type,
            sha256=digest,
            url=str(transfer.order.url),
            final_url=str(transfer.url),
            resumptions=transfer.resumptions,
        )

    async def _arrive(self, transfer: _Transfer, stack: ExitStack) -> _Place:
        """Receive the whole body, going on where a transfer breaks."""
        place: _Place | None = None
        while True:
            try:
                async with self._answer(transfer) as incoming:
                    if place is None:
                        await self._refuse(transfer, incoming)
                        place = await self._begin(transfer, incoming, stack)
                    else:
                        await self._go_on(transfer, incoming, place.part)
                    await self._write(transfer, incoming, place.part)
                    return place
            except (TruncatedBody, ConnectionFailed, ReadTimeout):
                resumable = place is not None and transfer.validator and transfer.received
                if not resumable or transfer.resumptions == _MAX_RESUMPTIONS:
                    raise
            transfer.resumptions += 1
            transfer.call.emit(Progress(stage="resume", message=transfer.url.host, done=transfer.received))

    async def _begin(self, transfer: _Transfer, incoming: Incoming, stack: ExitStack) -> _Place:
        order = transfer.order
        name = order.target.name or suggested_name(incoming.headers, transfer.url)
        target = replace(order.target, name=name)
        folder, part = await asyncio.to_thread(self._open, stack, target, overwrite=order.overwrite)
        _note_version(transfer, incoming)
        self._tell(transfer)
        content_type = incoming.headers.get("content-type", "")
        return _Place(target=target, folder=folder, part=part, content_type=content_type)

    def _open(self, stack: ExitStack, target: Target, *, overwrite: bool) -> tuple[Folder, Part]:
        folder = stack.enter_context(self._workspace.folder(target.folder, make=True))
        folder.check_free(target.name, overwrite=overwrite)
        return folder, stack.enter_context(folder.part())

    # The way to the answer.

    @asynccontextmanager
    async def _answer(self, transfer: _Transfer) -> AsyncIterator[Incoming]:
        """The final answer, its body still on its way."""
        # Loads the HTTP library, which whoever downloads has loaded by now.
        from outrider.egress.client import redirect_target

        while True:
            async with self._exchange(transfer) as incoming:
                transfer.cookies.keep(transfer.url, incoming.headers.every("set-cookie"))
                target = redirect_target(transfer.url, incoming.status, incoming.headers)
                if target is None:
                    yield incoming
                    return
            if transfer.passed >= _MAX_REDIRECTS:
                message = f"{transfer.url.host} redirects more than {_MAX_REDIRECTS} times"
                raise TooManyRedirects(message)
            await self._client.approve(transfer.url, target, transfer.permit)
            transfer.call.emit(Progress(stage="redirect", message=str(target)))
            transfer.url = target
            transfer.passed += 1

    @asynccontextmanager
    async def _exchange(self, transfer: _Transfer) -> AsyncIterator[Incoming]:
        fields = {
            "host": transfer.url.authority,
            "user-agent": self._client.user_agent,
            "accept": "*/*",
            # The file is wanted as it is, and only what is not coded can go on in the middle.
            "accept-encoding": "identity",
        }
        cookie = transfer.cookies.header(transfer.url)
        if cookie:
            fields["cookie"] = cookie
        if transfer.received:
            fields |= {"range": f"bytes={transfer.received}-", "if-range": transfer.validator}
        transfer.call.emit(Progress(stage="connect", message=transfer.url.host))
        request = Request(url=transfer.url, headers=Headers(fields))
        async with (
            self._pace.turn(transfer.url.host),
            self._transport.open(request, self._limits(transfer)) as incoming,
        ):
            yield incoming

    def _limits(self, transfer: _Transfer) -> Limits:
        return Limits(
            connect_s=self._connect_s,
            first_byte_s=self._stall_s,
            stall_s=self._stall_s,
            total_s=self._total_s,
            max_body_bytes=transfer.order.max_bytes - transfer.received,
            max_redirects=0,
            retries=0,
        )

    async def _refuse(self, transfer: _Transfer, incoming: Incoming) -> None:
        """
        Refuse an answer that is no file.

        Raises:
            WebError: It is none.
        """
        if incoming.status == 200:
            return
        body = await _beginning(incoming)
        response = Response(url=transfer.url, status=incoming.status, headers=incoming.headers, body=body)
        error = refusal(response)
        if error is not None:
            raise error
        if incoming.status != 200:
            message = f"{transfer.url.host} answered {incoming.status}, which is no whole file"
            raise TruncatedBody(message, status=incoming.status)

    # The body.

    async def _go_on(self, transfer: _Transfer, incoming: Incoming, part: Part) -> None:
        """Take the rest; when the server has another version by now, take all of that."""
        if incoming.status == 200:
            await asyncio.to_thread(part.empty)
            transfer.received, transfer.hash = 0, hashlib.sha256()
            _note_version(transfer, incoming)
        elif not _continues(transfer, incoming):
            transfer.validator = ""
            message = f"{transfer.url.host} closed the connection, and the rest could not be had"
            raise TruncatedBody(message, hint="Try again.")

    async def _write(self, transfer: _Transfer, incoming: Incoming, part: Part) -> None:
        held: list[bytes] = []
        size = 0
        try:
            async for piece in incoming.pieces():
                held.append(piece)
                size += len(piece)
                if size >= _CHUNK:
                    await self._flush(transfer, part, held)
                    held, size = [], 0
        except BodyTooLarge as error:
            message = f"the file is larger than {transfer.order.max_bytes} bytes"
            hint = f"Ask for more with max_bytes, at most {MAX_BYTES}."
            raise BodyTooLarge(message, hint=hint, details={"max_bytes": transfer.order.max_bytes}) from error
        except (TruncatedBody, ReadTimeout):
            await self._flush(transfer, part, held)
            raise
        await self._flush(transfer, part, held)
        if transfer.total is not None and transfer.received < transfer.total:
            message = f"{transfer.url.host} closed the connection before the file was complete"
            raise TruncatedBody(message, hint="Try again.")

    async def _flush(self, transfer: _Transfer, part: Part, held: list[bytes]) -> None:
        content = b"".join(held)
        await asyncio.to_thread(_store, transfer.hash, part, content)
        transfer.received += len(content)
        self._tell(transfer)

    def _tell(self, transfer: _Transfer) -> None:
        host, done, total = transfer.url.host, transfer.received, transfer.total
        transfer.call.emit(Progress(stage="receive", message=host, done=done, total=total))


def _store(digest: hashlib._Hash, part: Part, content: bytes) -> None:
    try:
        part.write(content)
    except OSError as error:
        message = f"the file cannot be written: {error.strerror or type(error).__name__}"
        raise StorageError(message) from error
    digest.update(content)


async def _beginning(incoming: Incoming) -> bytes:
    """Enough of an error page to tell what it is."""
    body = b""
    try:
        async for piece in incoming.pieces():
            # Read on to the end, which the limits bound: a body left in the middle costs the connection.
            body += piece[: _ERROR_BYTES - len(body)]
    except WebError:
        return b""
    return body


def _note_version(transfer: _Transfer, incoming: Incoming) -> None:
    """Remember how long the file is, and what the transfer could go on with if it breaks."""
    headers = incoming.headers
    coded = bool(headers.get("content-encoding", "").replace("identity", "").strip())
    length = headers.get("content-length", "")
    transfer.total = int(length) if length.isascii() and length.isdigit() and len(length) < 16 and not coded else None
    tag = headers.get("etag", "")
    # RFC 9110 section 13.1.5: a weak tag names no exact bytes.
    strong = tag if tag.startswith('"') else ""
    ranges = headers.get("accept-ranges", "").lower() != "none"
    transfer.validator = (strong or headers.get("last-modified", "")) if ranges and not coded else ""


def _continues(transfer: _Transfer, incoming: Incoming) -> bool:
    """Whether an answer begins where the file ends so far, and is of the same version."""
    match = _CONTENT_RANGE.fullmatch(incoming.headers.get("content-range", ""))
    if incoming.status != 206 or match is None or int(match[1]) != transfer.received:
        return False
    if match[3] != "*" and transfer.total is not None and int(match[3]) != transfer.total:
        return False
    tag = incoming.headers.get("etag", "")
    return not tag or not transfer.validator.startswith('"') or tag == transfer.validator
