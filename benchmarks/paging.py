"""
Reading on in a long page from its snapshot beside converting the page anew for each window.

Prints how many times cheaper, in CPU, a window from the snapshot is. `--check` fails below 20 times.
"""

from __future__ import annotations

import argparse
import sys
import time

from outrider.content.converter import convert
from outrider.content.window import Windows

LEAST = 20.0
_LIMIT = 8_000


def _page(size: int) -> bytes:
    parts = ["<title>Long</title><main>"]
    length = 0
    for number in range(size):
        part = f"<h2>Part {number}</h2><p>Some <b>words</b> about <a href='/{number}'>it</a>, {'and more ' * 60}.</p>"
        parts.append(part)
        length += len(part)
        if length > size:
            break
    return "".join(parts).encode()


def _markdown(body: bytes) -> str:
    return convert(body, url="http://a.test/", content_type="text/html; charset=utf-8").markdown


def _read_on(windows: Windows) -> int:
    """How many windows there are; every one is cut."""
    count, offset = 0, 0
    while True:
        window = windows.cut(offset=offset, limit=_LIMIT)
        count += 1
        if window.next_offset is None:
            return count
        offset = window.next_offset


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=1_000_000)
    parser.add_argument("--check", action="store_true", help=f"fail below {LEAST:g} times")
    options = parser.parse_args()
    body = _page(options.bytes)
    _markdown(body[:10_000])
    started = time.process_time()
    text = _markdown(body)
    conversion_s = time.process_time() - started
    started = time.process_time()
    count = _read_on(Windows(text))
    window_s = (time.process_time() - started) / count
    ratio = conversion_s / window_s
    print(
        f"{len(body):,} bytes, {len(text):,} characters, {count} windows: conversion {conversion_s * 1e3:.0f} ms, "
        f"window {window_s * 1e3:.2f} ms, {ratio:,.0f} times cheaper"
    )
    return 1 if options.check and ratio < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
