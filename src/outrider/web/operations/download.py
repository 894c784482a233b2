"""The download operation: an address to a file in the workspace."""

from __future__ import annotations

import re
from dataclasses import dataclass

from outrider.call import Call
from outrider.errors import InvalidArgument
from outrider.fetch.download import DEFAULT_MAX_BYTES, MAX_BYTES, Downloader, Order, Saved
from outrider.web.operation import Subject
from outrider.web.session import Session

_SHA256 = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadRequest:
    """A file to download."""

    url: str
    """http(s) URL or page id."""
    path: str = ""
    """Within the workspace; a folder ends with `/`, and the server then suggests the name."""
    max_bytes: int | None = None
    overwrite: bool = False
    sha256: str = ""
    """What the file must be, in hexadecimal; empty for anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadResult:
    """A file that was downloaded."""

    saved: Saved

    @property
    def path(self) -> str:
        """Within the workspace."""
        return self.saved.path


class DownloadOperation:
    """Downloads into the workspace; asked about twice, for the host and for the write."""

    def __init__(self, downloader: Downloader, *, default_max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self._downloader = downloader
        self._default_max_bytes = default_max_bytes

    def subjects(self, request: DownloadRequest, session: Session) -> list[Subject]:
        """
        The address, and the place.

        Raises:
            PathOutsideWorkspace, PermissionDenied: Nothing may be written there, whoever would be asked.
            InvalidArgument, InvalidUrl, UnknownPageId: An argument is wrong.
        """
        order = self._order(request, session)
        return [
            Subject(action="network", url=order.url),
            Subject(action="write", path=str(order.target) or ".", text=_about(order)),
        ]

    async def run(self, request: DownloadRequest, call: Call, session: Session) -> DownloadResult:
        """
        Download.

        Raises:
            WebError: Any code of the guard, the network, the server's answer or the workspace; nothing is left then.
        """
        return DownloadResult(saved=await self._downloader.download(self._order(request, session), call))

    def _order(self, request: DownloadRequest, session: Session) -> Order:
        most = self._default_max_bytes if request.max_bytes is None else request.max_bytes
        if not 1 <= most <= MAX_BYTES:
            message = f"max_bytes must be from 1 to {MAX_BYTES}"
            raise InvalidArgument(message, details={"field": "max_bytes"})
        if request.sha256 and not _SHA256.fullmatch(request.sha256):
            message = "sha256 must be 64 hexadecimal digits"
            raise InvalidArgument(message, details={"field": "sha256"})
        return Order(
            target=self._downloader.workspace.target(request.path),
            url=session.address(request.url),
            max_bytes=most,
            overwrite=request.overwrite,
            sha256=request.sha256.lower(),
        )


def _about(order: Order) -> str:
    """What whoever is asked about the write should know."""
    replaced = ", replacing what is there" if order.overwrite else ""
    return f"at most {order.max_bytes} bytes from {order.url}{replaced}"
