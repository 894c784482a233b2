from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from outrider.search.sse import Events

STREAM = (
    "\ufeff: hello\nevent: x\ndata: one\n\ndata:two\r\ndata: lines\r\n\r\ndata: ü🦀\r\rretry: 5\n\ndata: last".encode()
)
SAID = ["one", "two\nlines", "ü🦀", "last"]


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_events_are_the_same_wherever_the_stream_is_cut(cuts: list[int]) -> None:
    events = Events()
    said: list[str] = []
    edges = [0, *sorted(cuts), len(STREAM)]
    for start, end in pairwise(edges):
        said += events.feed(STREAM[start:end])
    said += events.end()

    assert SAID == said


@given(st.lists(st.binary(max_size=30), max_size=10))
def test_any_bytes_are_read_without_a_fault(pieces: list[bytes]) -> None:
    events = Events()
    for piece in pieces:
        list(events.feed(piece))
    list(events.end())
