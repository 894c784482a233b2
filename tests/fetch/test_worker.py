"""Conversions in worker processes: bounded in memory and time, and nothing else is harmed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from outrider.errors import DecodingFailed, TotalTimeout, UnsupportedContent
from outrider.fetch.worker import Order, Workshop

_ORDER = Order(url="http://a.test/", content_type="text/html; charset=utf-8")
_TEXT = Order(url="http://a.test/", content_type="text/plain; charset=utf-8")

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its allowance")


def _html(paragraphs: int) -> bytes:
    return "".join(f"<p>Paragraph {number} says something, é.</p>\n" for number in range(paragraphs)).encode()


async def test_a_worker_gives_the_same_document_as_this_process() -> None:
    here, there = Workshop(), Workshop(in_process_bytes=0)
    body = b"<title>T</title><h1 id=a>One</h1>" + _html(50) + b"<h2 id=b>Two</h2><p>End"

    assert await here.convert(body, _ORDER) == await there.convert(body, _ORDER)
    await there.aclose()


async def test_an_error_of_the_conversion_arrives_as_it_is() -> None:
    workshop = Workshop(in_process_bytes=0)

    with pytest.raises(UnsupportedContent) as caught:
        await workshop.convert(b"\x89PNG\r\n\x1a\n" + b"\0" * 99, Order(url="http://a.test/", content_type="image/png"))
    assert caught.value.hint
    # The worker lives on.
    assert "x" in (await workshop.convert(b"<p>x", _ORDER)).markdown
    await workshop.aclose()


async def test_a_conversion_that_takes_too_long_is_ended() -> None:
    workshop = Workshop(in_process_bytes=0, convert_s=0.05)

    with pytest.raises(TotalTimeout):
        await workshop.convert(_html(200_000), _ORDER)
    assert [] == _children()


async def test_a_cancelled_conversion_leaves_no_process() -> None:
    workshop = Workshop(in_process_bytes=0)
    task = asyncio.create_task(workshop.convert(_html(100_000), _ORDER))
    async with asyncio.timeout(5):
        while not _children():  # noqa: ASYNC110  (a process tells nobody that it started)
            await asyncio.sleep(0.001)

    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert task.cancelled()
    assert [] == _children()


@linux_only
@pytest.mark.slow
async def test_a_text_that_does_not_fit_is_read_as_far_as_it_fits_and_says_so() -> None:
    workshop = Workshop(in_process_bytes=0, memory_bytes=16 << 20)
    body = b"line of text\n" * 700_000

    document = await workshop.convert(body, _TEXT)

    assert 0 < len(document.markdown) < len(body)
    assert body.decode().startswith(document.markdown)
    assert any(str(len(body)) in warning for warning in document.warnings)
    await workshop.aclose()


@linux_only
@pytest.mark.slow
async def test_what_does_not_fit_at_all_is_an_error() -> None:
    workshop = Workshop(in_process_bytes=0, memory_bytes=1 << 20)

    with pytest.raises(DecodingFailed):
        await workshop.convert(b"line of text\n" * 7_000_000, _TEXT)
    with pytest.raises(DecodingFailed):
        await workshop.convert(b"a\0" * (4 << 20), _TEXT)
    assert [] == _children()
    await workshop.aclose()


async def test_a_worker_that_dies_is_replaced() -> None:
    workshop = Workshop(in_process_bytes=0)
    await workshop.convert(b"<p>first", _ORDER)
    for child in _children():
        os.kill(child, signal.SIGKILL)

    assert "second" in (await workshop.convert(b"<p>second", _ORDER)).markdown
    await workshop.aclose()


async def test_closing_ends_every_worker() -> None:
    workshop = Workshop(in_process_bytes=0)
    await asyncio.gather(*(workshop.convert(b"<p>x", _ORDER) for _ in range(6)))

    await workshop.aclose()

    assert [] == _children()


def _children() -> list[int]:
    """Processes that this one has started and not yet buried."""
    here = Path(f"/proc/{os.getpid()}/task")
    if not here.exists():
        return []
    return [int(child) for task in here.iterdir() for child in (task / "children").read_text().split()]
