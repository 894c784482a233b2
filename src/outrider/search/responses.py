"""A response of OpenAI's API with its searches, put together from a stream's events or read as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from outrider.search import reading
from outrider.search.reading import Json, NotJson, Record
from outrider.search.sse import Events
from outrider.search.text import plain
from outrider.search.wire import ApiReply

_ENDS = {"response.completed", "response.incomplete", "response.failed"}
_MAX_ITEMS = 1_000


def _silent(_: dict[str, Any]) -> None:
    return None


def query_of(search: Record) -> str:
    """What one search call looked for; empty when it opened a page."""
    action = search.get("action")
    return plain(reading.text(reading.at(action, "query")) or reading.text(reading.at(action, "queries", 0)))


@dataclass(slots=True)
class Responding:
    """A response on its way."""

    tell: Callable[[dict[str, Any]], None] = _silent
    broke_off: bool = False
    _items: list[Record] = field(default_factory=list)
    _whole: Record | None = None
    _error: Record | None = None
    _is_stream: bool = False
    _events: Events = field(default_factory=Events)
    _told: set[str] = field(default_factory=set)

    def hear(self, piece: bytes) -> None:
        """Take in a piece of the stream."""
        for data in self._events.feed(piece):
            self._event(data)

    def close(self, reply: ApiReply) -> Json:
        """
        The response as its last event holds it, as far as it came, or as the body that was no stream.

        Raises:
            NotJson: It is neither.
        """
        for data in self._events.end():
            self._event(data)
        if not self._is_stream:
            return self._at_once(reply.json)
        if self._whole is not None:
            return self._whole
        self.broke_off = self._error is None
        return {"output": self._items, "error": self._error}

    def _at_once(self, body: Json) -> Json:
        for item in reading.records(reading.at(body, "output"))[:_MAX_ITEMS]:
            self._search(item, done=True)
        return body

    def _event(self, data: str) -> None:
        try:
            event = reading.record(reading.load_json(data))
        except NotJson:
            return
        kind = reading.text(event.get("type"))
        self._is_stream = self._is_stream or kind.startswith("response.") or kind == "error"
        if kind in _ENDS and isinstance(event.get("response"), dict):
            self._whole = event["response"]
        elif kind == "error":
            self._error = reading.record(event.get("error")) or event
        elif kind in {"response.output_item.added", "response.output_item.done"}:
            self._item(reading.record(event.get("item")), done=kind.endswith("done"))

    def _item(self, item: Record, *, done: bool) -> None:
        if done and len(self._items) < _MAX_ITEMS:
            self._items.append(item)
        self._search(item, done=done)

    def _search(self, item: Record, *, done: bool) -> None:
        """What is searched for is told once, as soon as it is known; what was found, when the search is done."""
        query = query_of(item)
        if item.get("type") != "web_search_call" or not query:
            return
        call = {"query": query, "tool_use_id": plain(reading.text(item.get("id")))}
        if call["tool_use_id"] not in self._told:
            self.tell({"type": "query_update", **call})
            self._told.add(call["tool_use_id"])
        if done:
            count = len(reading.records(reading.at(item, "action", "sources")))
            self.tell({"type": "search_results_received", "resultCount": count, **call})
