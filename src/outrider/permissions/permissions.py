"""May this agent ask for this? Rules, approvals, preapproved hosts, the mode and a person's answer together."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from outrider.call import Approval, Call, Question
from outrider.errors import (
    ApprovalRequired,
    InvalidArgument,
    PermissionDenied,
    RedirectRejected,
    StorageError,
)
from outrider.permissions.approvals import Approvals
from outrider.permissions.manifest import Manifest, Tool, default_manifest
from outrider.permissions.preapproved import preapproved
from outrider.permissions.rules import (
    Action,
    Decision,
    Layer,
    Rule,
    Subject,
    decide,
    parse_rule_text,
    rule_for,
    strictest,
)
from outrider.types import Scope
from outrider.url import Url

Mode = Literal["allow", "ask", "deny", "yolo"]
MODES: tuple[Mode, ...] = ("allow", "ask", "deny", "yolo")
Ask = Callable[[Question], Awaitable[Approval]]

MAX_SCOPES = 1024
"""Sessions whose approvals are remembered; the one unused for longest is forgotten, and asks again."""
MAX_GRANTS = 512
"""Approvals that one session remembers."""

_log = logging.getLogger("outrider")
_ALLOWED = Decision(action="allow")


def mode_of(text: str) -> Mode:
    """
    The mode of a name.

    Raises:
        InvalidArgument: There is none.
    """
    for mode in MODES:
        if mode == text:
            return mode
    message = f"{text!r} is no mode; there are {', '.join(MODES)}"
    raise InvalidArgument(message)


@dataclass(slots=True)
class Grants:
    """What was approved for one session."""

    rules: list[Rule] = field(default_factory=list)
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Questions of one session are put one after the other."""


class Permissions:
    """
    Decides, and asks when it is to be asked.

    Args:
        mode: What holds where no rule speaks.
        rules: Those of the configuration.
        approvals: The project's file; None keeps no approval for good.
        use_preapproved: Whether documentation hosts pass.
        ask_s: Seconds that a person has for an answer.
        fault: Why permissions cannot be checked at all, such as an unreadable manifest; then everything is refused.
    """

    def __init__(
        self,
        *,
        mode: Mode = "allow",
        manifest: Manifest | None = None,
        rules: Sequence[Rule] = (),
        approvals: Approvals | None = None,
        use_preapproved: bool = True,
        ask_s: float = 300.0,
        fault: str = "",
    ) -> None:
        self.mode = mode
        self.manifest = manifest or default_manifest()
        self.fault = fault
        self.ask_s = ask_s
        self._config = Layer(name="the configuration", rules=tuple(rules))
        self._approvals = approvals
        self._use_preapproved = use_preapproved
        self._grants: OrderedDict[Scope, Grants] = OrderedDict()

    def gate(
        self,
        tool: str,
        call: Call,
        *,
        agents: Sequence[str] = ("",),
        scope: Scope | None = None,
        ask: Ask | None = None,
        name: str = "",
    ) -> Gate:
        """
        The gate of one call.

        Args:
            agents: The calling agent last, those that it was made by before it; all of them must be allowed.
            scope: Whose session approvals count and grow, when not the call's own.
            ask: Puts questions to a person, when not the call's own way.
            name: Who asks, for that person; the agent's name when left out.

        Raises:
            InvalidArgument: A rule of the call is none.
        """
        rules = [parse_rule_text("deny", text) for text in call.deny]
        rules += [parse_rule_text("allow", text) for text in call.allow]
        return Gate(
            self,
            self.manifest.tool(tool),
            agents=tuple(agents),
            own=tuple(rules),
            grants=self.grants(scope or call.scope),
            ask=ask or call.ask,
            name=name,
        )

    def grants(self, scope: Scope) -> Grants:
        """What was approved for a session."""
        grants = self._grants.pop(scope, None) or Grants()
        self._grants[scope] = grants
        while len(self._grants) > MAX_SCOPES:
            self._grants.popitem(last=False)
        return grants

    def forget(self, scope: Scope) -> None:
        """End a session: its approvals are over."""
        self._grants.pop(scope, None)

    def decide(self, subject: Subject, tool: Tool, agent: str, near: Sequence[Layer]) -> Decision:
        """
        What the rules, the preapproved hosts and the mode say. Nobody is asked.

        Args:
            near: The layers of the call and of its session.

        Raises:
            PermissionDenied: It cannot be told, because something cannot be read.
        """
        if self.fault:
            message = f"permissions cannot be checked: {self.fault}"
            raise PermissionDenied(message, reason="unreadable")
        spoken = decide(subject, [*near, *self._far(tool, agent)], tool=tool.name)
        if spoken is not None and not (spoken.action == "ask" and self.mode == "yolo"):
            return spoken
        if subject.action == "read":
            # A stored page was asked about when it was fetched.
            return _ALLOWED
        if spoken is None and self._use_preapproved and "write" not in tool.actions:
            entry = preapproved(subject)
            if entry:
                return Decision(action="allow", rule=entry, source="preapproved")
        return Decision(action=self._mode(tool), source=f"mode {self.mode}")

    def _mode(self, tool: Tool) -> Action:
        match self.mode:
            case "yolo":
                return "allow"
            case "allow" if tool.approval == "required":
                return "ask"
            case "ask" if tool.approval == "never":
                return "allow"
            case mode:
                return mode

    def _far(self, tool: Tool, agent: str) -> list[Layer]:
        """The layers that outlive a session, nearest first."""
        layers = [
            Layer(name=f"the manifest's tool {tool.name}", rules=tool.rules),
            Layer(name=f"the manifest's agent {agent}", rules=self.manifest.agent(agent).rules if agent else ()),
            Layer(name="the manifest", rules=self.manifest.rules),
            self._config,
        ]
        if self._approvals is not None and self.mode != "yolo":
            layers.insert(0, Layer(name=self._approvals.path.name, rules=self._approvals.rules()))
        return layers

    async def keep(self, rule: Rule) -> bool:
        """Keep an approval for good; False when its file cannot be written."""
        assert self._approvals is not None, "`always` is offered only where there is a file"
        try:
            await asyncio.to_thread(self._approvals.add, rule.text)
        except StorageError as error:
            _log.warning("%s; it holds for this session only", error)
            return False
        return True

    @property
    def keeps_approvals(self) -> bool:
        """Whether `always` can be offered."""
        return self._approvals is not None


class Gate:
    """
    One call's way past the permissions: it remembers what was answered within the call.

    Everything that the call is about passes here, redirect hops too.
    """

    def __init__(
        self,
        permissions: Permissions,
        tool: Tool,
        *,
        agents: tuple[str, ...],
        own: tuple[Rule, ...],
        grants: Grants,
        ask: Ask | None,
        name: str = "",
    ) -> None:
        self._permissions = permissions
        self._tool = tool
        self._agents = agents or ("",)
        self._own = own
        self._grants = grants
        self._ask = ask
        self._name = name or self._agents[-1]
        self._once: list[Rule] = []
        self._refused: dict[str, PermissionDenied] = {}

    async def permit(self, subject: Subject) -> None:
        """
        Let a subject pass.

        Raises:
            PermissionDenied: A rule, the mode or a person refuses, or it cannot be told.
            ApprovalRequired: A person has to be asked, and there is nobody; the hint names the rule that would help.
        """
        decision = self._decide(subject)
        if decision.action == "ask":
            decision = await self._put(subject, decision)
        if decision.action == "deny":
            raise self._denied(subject, decision)

    async def hop(self, target: Url) -> None:
        """
        Let a redirect pass to where it leads.

        Raises:
            RedirectRejected: It may not be followed; nothing was requested from its target.
        """
        try:
            await self.permit(Subject(action="network", url=target))
        except (PermissionDenied, ApprovalRequired) as error:
            message = f"the page redirects to {target}, which was not followed: {error.message}"
            raise RedirectRejected(
                message,
                reason=error.code,
                hint=error.hint,
                details={**error.details, "target": str(target)},
            ) from error

    def _decide(self, subject: Subject) -> Decision:
        near = [
            Layer(name="this call", rules=(*self._once, *self._own)),
            Layer(name="this session", rules=tuple(self._grants.rules)),
        ]
        try:
            return strictest(self._permissions.decide(subject, self._tool, agent, near) for agent in self._agents)
        except InvalidArgument as error:
            raise PermissionDenied(error.message, reason="unreadable", hint=error.hint) from error

    async def _put(self, subject: Subject, asked: Decision) -> Decision:
        rule = rule_for(subject, self._tool.name)
        if self._ask is None:
            raise self._nobody(subject, rule, asked)
        async with self._grants.asking:
            # The answer to a question before may have settled this one.
            if rule.text in self._refused:
                raise self._refused[rule.text]
            decision = self._decide(subject)
            if decision.action != "ask":
                return decision
            try:
                answer = await self._answer(self._ask, self._question(subject, rule))
                return await self._heed(answer, subject, rule)
            except PermissionDenied as refusal:
                self._refused[rule.text] = refusal
                raise

    async def _answer(self, ask: Ask, question: Question) -> Approval:
        try:
            async with asyncio.timeout(self._permissions.ask_s):
                return await ask(question)
        except TimeoutError as error:
            message = (
                f"nobody answered within {self._permissions.ask_s:g} seconds whether {question.subject} is allowed"
            )
            raise PermissionDenied(message, reason="unanswered") from error
        except Exception as error:  # whoever asks is foreign code, and a question that failed is not a yes
            _log.warning("the approver failed", exc_info=True)
            message = f"it could not be asked whether {question.subject} is allowed"
            raise PermissionDenied(message, reason="unanswered") from error

    async def _heed(self, answer: Approval, subject: Subject, rule: Rule) -> Decision:
        if answer not in self._choices(subject):
            raise self._denied(subject, Decision(action="deny", source="the person who was asked"))
        if answer == "always" and not await self._permissions.keep(rule):
            answer = "session"
        if answer == "session":
            self._grants.rules.append(rule)
            del self._grants.rules[:-MAX_GRANTS]
        self._once.append(rule)
        return _ALLOWED

    def _choices(self, subject: Subject) -> tuple[Approval, ...]:
        # The project's file is about hosts and tools; a write is approved where it happens.
        if subject.action == "write" or not self._permissions.keeps_approvals:
            return ("once", "session")
        return ("once", "session", "always")

    def _question(self, subject: Subject, rule: Rule) -> Question:
        return Question(
            tool=self._tool.name,
            action=subject.action,
            subject=_named(subject, self._tool.name),
            rule=rule.text,
            choices=(*self._choices(subject), "no"),
            agent=self._name,
            risk=self._tool.risk,
            note=subject.text if subject.action == "write" else "",
        )

    def _nobody(self, subject: Subject, rule: Rule, asked: Decision) -> ApprovalRequired:
        return ApprovalRequired(
            f"{_named(subject, self._tool.name)} needs approval, and there is nobody to ask",
            hint=_how_to_allow(rule),
            details={"rule": rule.text, "subject": _named(subject, self._tool.name), "because": _because(asked)},
        )

    def _denied(self, subject: Subject, decision: Decision) -> PermissionDenied:
        by_mode = decision.source.startswith("mode ")
        hint = "Do not try to get around this; use another source or ask the user."
        if by_mode:
            hint = _how_to_allow(rule_for(subject, self._tool.name))
        return PermissionDenied(
            f"{_named(subject, self._tool.name)} is not permitted by {_because(decision)}",
            reason="mode" if by_mode else "rule" if decision.rule else "refused",
            hint=hint,
            details={"rule": decision.rule, "source": decision.source} if decision.rule else {},
        )


def _named(subject: Subject, tool: str) -> str:
    if subject.url is not None:
        return str(subject.url)
    if subject.action == "write":
        return f"writing {subject.path}"
    return f"{tool}: {subject.text}" if subject.text else tool


def _because(decision: Decision) -> str:
    return f"the rule {decision.rule} of {decision.source}" if decision.rule else decision.source


def _how_to_allow(rule: Rule) -> str:
    return f"The user can allow it with the rule {rule.text}."
