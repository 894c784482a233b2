"""Conversions in killable worker processes: a hostile page costs one page, not the program."""

from __future__ import annotations

import asyncio
import json
import re
import struct
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from outrider.errors import CODES, DecodingFailed, TotalTimeout, WebError
from outrider.types import Document, Heading

IN_PROCESS_BYTES = 256 * 1024
"""Bodies up to this size are converted where they are: a worker would cost more than the conversion."""

_AT_ONCE_BYTES = 16 * 1024
"""Bodies up to this size are converted at once, in the event loop; larger ones in a thread, which does not stall it."""

MAX_WORKERS = 2
_MAX_USES = 50
"""Conversions after which a worker is replaced, so that its memory cannot creep up."""
MAX_MEMORY_BYTES = 72 * 1024 * 1024
"""What one worker may allocate beyond what it needs to be there; ordinary HTML up to the largest body fits."""
_LARGE_BYTES = 1024 * 1024
"""A worker that converted a larger body is not kept: it would keep the memory too."""
_MAX_HALVINGS = 5

_DEATHS = (OSError, EOFError, ValueError)
"""How a worker's death, or its last garbled words, look from outside."""

_FRAME = struct.Struct("!II")
"""Lengths of a JSON header and of the last bytes behind it."""
_PIECE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One conversion to make."""

    url: str
    content_type: str | None
    whole: bool = False
    images: str = "markdown"
    pretty_json: bool = False


class Workshop:
    """Converts bodies: small ones in this process, large ones in workers with a memory and a wall limit."""

    def __init__(
        self,
        *,
        convert_s: float = 20.0,
        in_process_bytes: int = IN_PROCESS_BYTES,
        memory_bytes: int = MAX_MEMORY_BYTES,
    ) -> None:
        self._convert_s = convert_s
        self._in_process_bytes = in_process_bytes
        self._memory_bytes = memory_bytes
        self._places = asyncio.Semaphore(MAX_WORKERS)
        self._idle: list[_Worker] = []
        self._threads = ThreadPoolExecutor(MAX_WORKERS, thread_name_prefix="outrider-convert")

    async def convert(self, body: bytes, order: Order) -> Document:
        """
        Turn a body into a document.

        A text that needs more memory than a worker may have is read from its beginning as far as it fits; the
        document's warnings say so.

        Raises:
            TotalTimeout: It took longer than allowed.
            DecodingFailed: The page broke the worker; nothing else was harmed.
            WebError: Any code of the content room.
        """
        if len(body) <= min(_AT_ONCE_BYTES, self._in_process_bytes):
            return run(body, order)
        try:
            async with self._places, asyncio.timeout(self._convert_s):
                if len(body) <= self._in_process_bytes:
                    return await asyncio.get_running_loop().run_in_executor(self._threads, run, body, order)
                return await self._as_much_as_fits(body, order)
        except TimeoutError as error:
            message = f"{order.url} took more than {self._convert_s:g} seconds to convert"
            raise TotalTimeout(message, hint="Use another source, or download the file.") from error

    async def _as_much_as_fits(self, body: bytes, order: Order) -> Document:
        if self._idle:
            # It may have died long ago, or be worn; only a fresh one shows that the body does not fit.
            with suppress(*_DEATHS):
                return await self._in_worker(self._idle.pop(), body, order)
        part = body
        for _ in range(_MAX_HALVINGS):
            try:
                document = await self._in_worker(await _Worker.start(self._memory_bytes), part, order)
            except _DEATHS:
                if b"\0" in body[:1024]:
                    break
                part = _first_half(part)
                continue
            if part is body:
                return document
            warning = (
                f"The page was cut: only the first {len(part)} of its {len(body)} bytes could be converted "
                f"within {self._memory_bytes // 2**20} MiB (fetch.convert_memory_mb). Use download for the rest."
            )
            return replace(document, warnings=(*document.warnings, warning))
        message = f"{order.url} could not be converted within {self._memory_bytes // 2**20} MiB of memory"
        raise DecodingFailed(message, hint="Use another source, or download the file.")

    async def _in_worker(self, worker: _Worker, body: bytes, order: Order) -> Document:
        try:
            document = await worker.convert(body, order)
        except WebError:
            await self._keep(worker, body)
            raise
        except BaseException:
            await worker.kill()
            raise
        await self._keep(worker, body)
        return document

    async def aclose(self) -> None:
        """End the workers."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        idle, self._idle = self._idle, []
        for worker in idle:
            await worker.kill()

    async def _keep(self, worker: _Worker, body: bytes) -> None:
        if worker.uses < _MAX_USES and len(body) <= _LARGE_BYTES:
            self._idle.append(worker)
        else:
            await worker.kill()


def run(body: bytes, order: Order) -> Document:
    """Convert in this process."""
    from outrider.content.converter import convert

    return convert(
        body,
        url=order.url,
        content_type=order.content_type,
        whole=order.whole,
        images=order.images,  # type: ignore[arg-type]  # validated by Config
        pretty_json=order.pretty_json,
    )


class _Worker:
    """One worker process, as its parent sees it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.uses = 0

    @classmethod
    async def start(cls, memory_bytes: int) -> _Worker:
        # The child finds the same package, however this process found it.
        program = (
            f"import sys; sys.path[:] = sys.argv[1:]; from outrider.fetch.worker import serve; serve({memory_bytes})"
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, *sys.path,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        return cls(process)

    async def convert(self, body: bytes, order: Order) -> Document:
        self.uses += 1
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        header = json.dumps(asdict(order)).encode()
        self._process.stdin.write(_FRAME.pack(len(header), len(body)) + header)
        for start in range(0, len(body), _PIECE_BYTES):
            # Piece by piece, so that the pipe's buffer never holds a second copy of the body.
            self._process.stdin.write(body[start : start + _PIECE_BYTES])
            await self._process.stdin.drain()
        head_size, text_size = _FRAME.unpack(await self._process.stdout.readexactly(_FRAME.size))
        head = json.loads(await self._process.stdout.readexactly(head_size))
        if "error" in head:
            raise _error(head["error"])
        markdown = (await self._process.stdout.readexactly(head["markdown_bytes"])).decode("utf-8")
        text = (await self._process.stdout.readexactly(text_size)).decode("utf-8") if text_size else ""
        return _unpack(head, markdown, markdown if head["same"] else text)

    async def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        # Closes the pipes' transports now rather than when they are collected.
        transport = getattr(self._process, "_transport", None)
        if transport is not None:
            transport.close()


def _pack(document: Document) -> tuple[dict[str, Any], bytes, bytes]:
    """The long texts travel as bytes behind the header: JSON would cost the parent's loop too much."""
    values = {entry.name: getattr(document, entry.name) for entry in fields(document)}
    markdown, text = values.pop("markdown"), values.pop("text")
    values["outline"] = [asdict(heading) for heading in document.outline]
    first = markdown.encode("utf-8", "replace")
    second = b"" if text == markdown else text.encode("utf-8", "replace")
    return {"document": values, "markdown_bytes": len(first), "same": text == markdown}, first, second


def _unpack(head: Mapping[str, Any], markdown: str, text: str) -> Document:
    values = dict(head["document"])
    values["outline"] = tuple(Heading(**heading) for heading in values["outline"])
    values["warnings"] = tuple(values["warnings"])
    return Document(markdown=markdown, text=text, **values)


def _error(facts: dict[str, Any]) -> WebError:
    kind = CODES.get(facts.pop("code"), DecodingFailed)
    return kind(facts.pop("message"), **facts)


def serve(memory_bytes: int) -> None:
    """Be a worker: answer orders on standard input until it closes."""
    # What every worker needs is loaded before its allowance is measured.
    run(b"<p>warm", Order(url="http://localhost/", content_type="text/html"))
    _limit_memory(memory_bytes)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while frame := source.read(_FRAME.size):
        head_size, body_size = _FRAME.unpack(frame)
        order = Order(**json.loads(source.read(head_size)))
        head, markdown, text = _answer(source.read(body_size), order)
        header = json.dumps(head).encode()
        sink.write(_FRAME.pack(len(header), len(text)) + header)
        sink.write(markdown)
        sink.write(text)
        sink.flush()


def _answer(body: bytes, order: Order) -> tuple[dict[str, Any], bytes, bytes]:
    try:
        return _pack(run(body, order))
    except WebError as error:
        facts = error.as_dict()
        del facts["retryable"]
        return {"error": facts}, b"", b""


def _first_half(body: bytes) -> bytes:
    """About half of a text, cut behind a tag or a line where there is one."""
    half = len(body) // 2
    end = max(body.rfind(b">", 0, half), body.rfind(b"\n", 0, half)) + 1
    return body[: end or half]


def _limit_memory(memory_bytes: int) -> None:
    try:
        import resource
    except ImportError:
        return
    limit = _allocated_bytes() + memory_bytes
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _allocated_bytes() -> int:
    """What this process has allocated so far; where the system does not tell, a usual figure."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 32 * 2**20
    found = re.search(r"^VmData:\s+(\d+) kB", status, re.MULTILINE)
    return int(found.group(1)) * 1024 if found else 32 * 2**20
