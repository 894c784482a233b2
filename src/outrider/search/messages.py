"""A message of Anthropic's API with its searches, put together from a stream's events or read as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from outrider.search import dates, failures, reading
from outrider.search.hits import hit
from outrider.search.reading import Json, NotJson, Record
from outrider.search.sse import Events
from outrider.search.text import plain
from outrider.search.wire import ApiReply
from outrider.types import Hit

_QUERY = re.compile(r'"query"\s*:\s*("(?:[^"\\]|\\.)*")')
# A query that is longer, or comes in more pieces, is told when its block ends.
_MAX_INPUT_CHARS = 16_384
_MAX_INPUT_PIECES = 512


def _silent(_: dict[str, Any]) -> None:
    return None


@dataclass(slots=True)
class Message:
    """A message, put together from a stream's events or read as a whole."""

    tell: Callable[[dict[str, Any]], None] = _silent
    content: list[Record] = field(default_factory=list)
    stop_reason: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    error: str = ""
    error_says: str = ""
    begun: bool = False
    ended: bool = False
    is_stream: bool = False
    _events: Events = field(default_factory=Events)
    _partial: dict[int, list[str]] = field(default_factory=dict)
    _said: dict[int, list[str]] = field(default_factory=dict)
    _blocks: dict[int, Record] = field(default_factory=dict)
    _told: set[int] = field(default_factory=set)

    def hear(self, piece: bytes) -> None:
        """Take in a piece of the stream."""
        for data in self._events.feed(piece):
            self._event(data)

    def close(self, reply: ApiReply) -> None:
        """Take in what the end of the body completes; a body that was no stream is read as one message."""
        for data in self._events.end():
            self._event(data)
        for index in list(self._said):
            self._flush(index)
        if not self.is_stream:
            self._whole(reply)

    def _whole(self, reply: ApiReply) -> None:
        try:
            body = reading.record(reply.json)
        except NotJson:
            return
        if body.get("type") == "error" or "error" in body:
            self._fail(body)
        if isinstance(body.get("content"), list):
            self.begun = self.ended = True
            self.content = reading.records(body["content"])
            self._end_with(body)

    def add(self, turn: Message) -> None:
        """Continue with a further turn."""
        self.content += turn.content
        self.stop_reason, self.begun = turn.stop_reason, True
        self.ended, self.is_stream = turn.ended, turn.is_stream
        for name, count in turn.usage.items():
            self.usage[name] = self.usage.get(name, 0) + count

    # Events.

    def _event(self, data: str) -> None:
        try:
            event = reading.record(reading.load_json(data))
        except NotJson:
            return
        kind = reading.text(event.get("type"))
        handle = {
            "message_start": self._start,
            "content_block_start": self._block_start,
            "content_block_delta": self._delta,
            "content_block_stop": self._block_stop,
            "message_delta": self._message_delta,
            "message_stop": self._stop,
            "error": self._fail,
        }.get(kind)
        if handle is not None:
            self.is_stream = True
            handle(event)

    def _start(self, event: Record) -> None:
        self.begun = True
        self._count(reading.at(event, "message", "usage"))

    def _stop(self, _: Record) -> None:
        self.ended = True

    def _fail(self, event: Record) -> None:
        self.error = reading.text(reading.at(event, "error", "type")) or "api_error"
        self.error_says = failures.says(event)

    def _block_start(self, event: Record) -> None:
        block = dict(reading.record(event.get("content_block")))
        self.begun = True
        self.content.append(block)
        index = _index(event)
        self._blocks[index] = block
        if block.get("type") == "text":
            block["citations"] = reading.records(block.get("citations"))
        if block.get("type") == "web_search_tool_result" and isinstance(block.get("content"), list):
            self._tell_results(block)
        elif block.get("type") == "server_tool_use":
            self._tell_query(index, reading.text(reading.at(block, "input", "query")))

    def _delta(self, event: Record) -> None:
        index, delta = _index(event), event.get("delta")
        block = self._blocks.get(index)
        kind = reading.text(reading.at(delta, "type"))
        if block is None:
            return
        if kind == "text_delta":
            self._said.setdefault(index, []).append(reading.text(reading.at(delta, "text")))
        elif kind == "citations_delta" and block.get("type") == "text":
            block["citations"].append(reading.record(reading.at(delta, "citation")))
        elif kind == "input_json_delta":
            self._input(index, reading.text(reading.at(delta, "partial_json")))

    def _input(self, index: int, piece: str) -> None:
        pieces = self._partial.setdefault(index, [])
        pieces.append(piece)
        if index in self._told or '"' not in piece or len(pieces) > _MAX_INPUT_PIECES:
            return
        match = _QUERY.search("".join(pieces)[:_MAX_INPUT_CHARS])
        if match is not None:
            self._tell_query(index, _unquote(match.group(1)))

    def _block_stop(self, event: Record) -> None:
        index = _index(event)
        self._flush(index)
        block, pieces = self._blocks.get(index), self._partial.pop(index, None)
        if block is None or not pieces:
            return
        try:
            block["input"] = reading.load_json("".join(pieces) or "{}")
        except NotJson:
            block["input"] = {}
        self._tell_query(index, reading.text(reading.at(block, "input", "query")))

    def _flush(self, index: int) -> None:
        """Join the text of a block, once: it comes in thousands of pieces."""
        said, block = self._said.pop(index, None), self._blocks.get(index)
        if said and block is not None:
            block["text"] = reading.text(block.get("text")) + "".join(said)

    def _message_delta(self, event: Record) -> None:
        self._end_with({"usage": event.get("usage"), **reading.record(event.get("delta"))})

    def _end_with(self, body: Record) -> None:
        self.stop_reason = reading.text(body.get("stop_reason")) or self.stop_reason
        self._count(body.get("usage"))

    def _count(self, usage: Json) -> None:
        """The last count of each kind is the whole one."""
        for name in ("input_tokens", "output_tokens"):
            count = reading.number(reading.at(usage, name))
            if count is not None:
                self.usage[name] = int(count)
        searches = reading.number(reading.at(usage, "server_tool_use", "web_search_requests"))
        if searches is not None:
            self.usage["web_search_requests"] = int(searches)

    # Progress.

    def _tell_query(self, index: int, query: str) -> None:
        block = self._blocks[index]
        if query and index not in self._told and block.get("name") == "web_search":
            self._told.add(index)
            self.tell(
                {"type": "query_update", "query": plain(query), "tool_use_id": plain(reading.text(block.get("id")))}
            )

    def _tell_results(self, block: Record) -> None:
        use = reading.text(block.get("tool_use_id"))
        asked = [one for one in self._uses() if one.get("id") == use]
        query = reading.text(reading.at(asked, 0, "input", "query"))
        count = len(reading.records(block.get("content")))
        told = {
            "type": "search_results_received",
            "resultCount": count,
            "query": plain(query),
            "tool_use_id": plain(use),
        }
        self.tell(told)

    # What it says.

    def _uses(self) -> Iterator[Record]:
        return (block for block in self.content if block.get("type") == "server_tool_use")

    @property
    def queries(self) -> list[str]:
        """Everything that was searched for."""
        found = [reading.text(reading.at(use, "input", "query")) for use in self._uses()]
        return [query for query in found if query]

    @property
    def results(self) -> list[Record]:
        """Every result of every search."""
        lists = [block.get("content") for block in self._searches()]
        return [item for one in lists for item in reading.records(one) if item.get("type") == "web_search_result"]

    @property
    def failed_searches(self) -> list[str]:
        """The codes of the searches that failed: their content is an object instead of a list."""
        codes = [reading.text(reading.at(block.get("content"), "error_code")) for block in self._searches()]
        return [code for code in codes if code]

    def _searches(self) -> Iterator[Record]:
        return (block for block in self.content if block.get("type") == "web_search_tool_result")

    @property
    def text(self) -> str:
        """The model's own words."""
        said = [reading.text(block.get("text")) for block in self.content if block.get("type") == "text"]
        return "".join(said).strip()

    def hits(self) -> Iterator[Hit | None]:
        """Results with what was cited of them: the pages themselves come encrypted."""
        cited: dict[str, list[str]] = {}
        for block in self.content:
            for note in reading.records(block.get("citations")):
                cited.setdefault(reading.text(note.get("url")), []).append(reading.text(note.get("cited_text")))
        for item in self.results:
            url = reading.text(item.get("url"))
            snippet = " ".join(dict.fromkeys(cited.get(url, [])))
            age = reading.text(item.get("page_age"))
            # The page's last change; only a relative one has no better place.
            relative = "" if dates.published(age) else age
            yield hit(url, item.get("title"), snippet=snippet, updated=age, date=relative)


def _index(event: Record) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else -1


def _unquote(quoted: str) -> str:
    try:
        return reading.text(json.loads(quoted))
    except ValueError:
        return ""
