"""Questions to the client's user: what a permission asks, as an elicitation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from outrider.call import Approval, Question
from outrider.interfaces.mcp.protocol import MODERN_VERSIONS, Caller, Send, object_of

Ask = Callable[[Question], Awaitable[Approval]]

_MEANINGS: Mapping[Approval, str] = {
    "once": "this time only",
    "session": "for this session",
    "always": "from now on, in this project",
    "no": "do not allow it",
}


class Asker(Protocol):
    """Puts questions, and says what the client must answer before the call can go on."""

    @property
    def ask(self) -> Ask | None:
        """See `Call.ask`; None when there is nobody to ask."""
        ...

    def left_open(self) -> dict[str, Any] | None:
        """
        What takes the place of the call's result when questions are left; None when none is.

        Shape: the protocol's `InputRequiredResult`.
        """
        ...


class Elicitation:
    """
    Asks while the call waits: the client of a session answers requests of the server.

    Args:
        send: Sends the client a request, and gives the result.
    """

    def __init__(self, send: Send) -> None:
        self._send = send

    async def ask(self, question: Question) -> Approval:
        """See `Call.ask`."""
        return read_answer(await self._send("elicitation/create", _asked(question)), question)

    def left_open(self) -> dict[str, Any] | None:
        """See `Asker`."""
        return None


class Rounds:
    """
    Asks between two tries of the call, as the protocol has it from 2026-07-28 on: no server sends requests there.

    A question that was not answered yet counts as refused while the call runs, so that nothing happens that needs it.
    The result is then thrown away, the client gets the questions, and it calls again with the answers. Answers of
    earlier rounds come back in the state. The state is not sealed: it says what the client's user said, as the
    answers beside it do, and who could forge the one could forge the other.
    """

    def __init__(self, responses: Mapping[str, Any] | None, state: str | None) -> None:
        self._answered: dict[str, Approval] = _read_state(state)
        self._responses = responses or {}
        self._open: dict[str, dict[str, Any]] = {}

    async def ask(self, question: Question) -> Approval:
        """See `Call.ask`."""
        key = _key(question)
        if key in self._answered:
            return self._answered[key]
        response = self._responses.get(key)
        if isinstance(response, dict):
            self._answered[key] = read_answer(response, question)
            return self._answered[key]
        self._open[key] = {"method": "elicitation/create", "params": _asked(question)}
        return "no"

    def left_open(self) -> dict[str, Any] | None:
        """See `Asker`."""
        if not self._open:
            return None
        state = json.dumps(self._answered)
        return {"resultType": "input_required", "inputRequests": dict(self._open), "requestState": state}


class Nobody:
    """For a client whose user cannot be asked: `approval_required` then names the rule that would help."""

    ask = None

    def left_open(self) -> dict[str, Any] | None:
        """See `Asker`."""
        return None


def asker_of(caller: Caller, params: Mapping[str, Any]) -> Asker:
    """
    The way to ask the user of a client that calls a tool.

    Args:
        params: Of the call, which carries the answers of an earlier round.
    """
    if not can_answer(caller.capabilities):
        return Nobody()
    if caller.version in MODERN_VERSIONS:
        state = params.get("requestState")
        return Rounds(object_of(params, "inputResponses"), state if isinstance(state, str) else None)
    return Nobody() if caller.send is None else Elicitation(caller.send)


def can_answer(capabilities: Mapping[str, Any]) -> bool:
    """Whether the client shows forms to its user; one that names no way at all means forms."""
    elicitation = capabilities.get("elicitation")
    return isinstance(elicitation, dict) and ("form" in elicitation or "url" not in elicitation)


def in_words(question: Question) -> str:
    """The question as the client's user reads it."""
    who = f"The agent {question.agent}" if question.agent else "The agent"
    lines = [f"{who} wants to use {question.tool}: {question.subject}"]
    if question.note:
        lines.append(question.note)
    if question.risk:
        lines.append(f"Risk: {question.risk}.")
    lines.append(f"“session” and “always” allow {question.rule}.")
    return "\n".join(lines)


def form(question: Question) -> dict[str, Any]:
    """Shape: the protocol's restricted JSON Schema, an object with the one choice `answer`."""
    meanings = "; ".join(f"{choice}: {_MEANINGS[choice]}" for choice in question.choices)
    answer = {"type": "string", "title": "Allow it?", "description": meanings, "enum": list(question.choices)}
    return {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}


def read_answer(result: Mapping[str, Any], question: Question) -> Approval:
    """What the user said; whatever is not one of the choices is a no."""
    content = result.get("content")
    if result.get("action") != "accept" or not isinstance(content, dict):
        return "no"
    answer = content.get("answer")
    return next((choice for choice in question.choices if choice == answer), "no")


def _asked(question: Question) -> dict[str, Any]:
    """Shape: the params of `elicitation/create`."""
    return {"mode": "form", "message": in_words(question), "requestedSchema": form(question)}


def _key(question: Question) -> str:
    """The same question has the same key when the call is tried again."""
    named = (question.tool, question.action, question.subject, question.rule, question.agent)
    return hashlib.sha256(repr(named).encode()).hexdigest()[:16]


def _read_state(state: str | None) -> dict[str, Approval]:
    try:
        read = json.loads(state or "{}")
    except (ValueError, RecursionError):
        return {}
    answers = read if isinstance(read, dict) else {}
    return {str(key): value for key, value in answers.items() if value in _MEANINGS}
