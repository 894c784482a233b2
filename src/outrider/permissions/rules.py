"""Rules: which hosts, paths and tools may be used, and which rule has the last word. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from urllib.parse import unquote

from outrider.errors import InvalidArgument, InvalidUrl
from outrider.url import Url, canonical

Action = Literal["allow", "ask", "deny"]
Permission = Literal["network", "write"]
Kind = Literal["any", "tool", "subdomains", "host", "folder", "path", "url"]

ACTIONS: tuple[Action, ...] = ("allow", "ask", "deny")
PERMISSIONS: tuple[Permission, ...] = ("network", "write")

_WRITE = "write:"
_TOOL = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
# From the widest to the narrowest.
_WIDTH: tuple[Kind, ...] = ("any", "tool", "subdomains", "host", "folder", "path", "url")
# So many layers of percent-encoding are undone when a path is read in every way.
_LAYERS = 8
_SLASHES = re.compile(r"/{2,}")
_PARAMETERS = re.compile(r";[^/]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One thing that a permission is about."""

    action: str
    """`network`, `search`, `read`, `write` or `execute`."""
    url: Url | None = None
    path: str = ""
    """Of a write, within the workspace."""
    text: str = ""
    """What is searched for, or another word for the person who is asked."""
    method: str = "GET"
    """Of the request that will be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """What a rule is about, in its one normal form. Build it with `parse_pattern`."""

    text: str
    kind: Kind
    host: str = ""
    path: str = ""
    url: Url | None = None
    below: bool = False
    """Of a path: the host's subdomains are meant."""

    def covers(self, subject: Subject) -> bool:
        """
        Whether the subject lies within the pattern however its path is read.

        This is what a permission needs: a server may read a path otherwise than the rule's author did.
        """
        if subject.action == "write":
            return self.kind == "any" or (self.kind == "folder" and _begins(file_path(subject.path), self.path))
        return subject.url is not None and self._holds(subject.url, strict=True)

    def touches(self, subject: Subject) -> bool:
        """Whether the subject lies within the pattern in any way of reading its path: what a refusal needs."""
        if subject.action == "write":
            path = file_path(subject.path).casefold()
            return self.kind == "any" or (self.kind == "folder" and _begins(path, self.path.casefold()))
        return subject.url is not None and self._holds(subject.url, strict=False)

    @property
    def narrowness(self) -> tuple[int, int]:
        """Greater when the pattern is about less."""
        return _WIDTH.index(self.kind), len(self.path) + len(self.host)

    def _holds(self, url: Url, *, strict: bool) -> bool:
        match self.kind:
            case "any":
                return True
            case "host":
                return url.host == self.host
            case "subdomains":
                return _is_below(url, self.host)
            case "path":
                same = _is_below(url, self.host) if self.below else url.host == self.host
                return same and _path_holds(self.path, url.path, strict=strict)
            case "url":
                assert self.url is not None
                return canonical(url) == canonical(self.url) if strict else _same_place(url, self.url)
            case _:
                return False


_EVERY_FILE = Pattern(text="*", kind="any")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One sentence of a policy."""

    action: Action
    pattern: Pattern
    permission: Permission = "network"

    @property
    def text(self) -> str:
        """As `parse_rule_text` reads it."""
        return f"{_WRITE}{self.pattern.text}" if self.permission == "write" else self.pattern.text

    def applies(self, subject: Subject, tool: str = "") -> bool:
        """Whether the rule speaks about the subject."""
        if self.pattern.kind == "tool":
            # Leave to use a tool is no leave for the hosts that it is used on; a refusal of a tool is one.
            hostless = subject.action in ("search", "execute")
            return self.pattern.host == tool and (self.action != "allow" or hostless)
        about = "write" if subject.action == "write" else "network"
        if self.permission != about or subject.action == "read":
            return False
        return self.pattern.covers(subject) if self.action == "allow" else self.pattern.touches(subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Rules that came from one place."""

    name: str
    """For people, such as `this call` or a file's name."""
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Allowed, to be asked, or denied, and what said so."""

    action: Action
    rule: str = ""
    """The pattern of the rule; empty when no rule spoke."""
    source: str = ""
    """Where the rule stands, `preapproved`, or the mode."""


def parse_rule(action: str, pattern: str, permission: str = "network") -> Rule:
    """
    Read a rule.

    Raises:
        InvalidArgument: One of its parts is none.
    """
    for value, known, name in ((action, ACTIONS, "action"), (permission, PERMISSIONS, "permission")):
        if value not in known:
            raise _wrong(pattern, f"its {name} is {value!r}, and there are {', '.join(known)}")
    read = parse_file_pattern(pattern) if permission == "write" else parse_pattern(pattern)
    return Rule(
        action=next(known for known in ACTIONS if known == action),
        pattern=read,
        permission="write" if permission == "write" else "network",
    )


def parse_rule_text(action: Action, text: str) -> Rule:
    """
    Read a rule as settings and calls give it: a pattern for the network, or `write:` and one for files.

    Raises:
        InvalidArgument: It is none.
    """
    bare = text.strip()
    if bare.startswith(_WRITE):
        return parse_rule(action, bare.removeprefix(_WRITE), "write")
    return parse_rule(action, bare)


def parse_pattern(text: str) -> Pattern:
    """
    Read a pattern for the network.

    Forms: `domain:host`, `domain:*.host` (the subdomains), `host/path/prefix`, `host`, `*`, `tool:name`, and a full
    URL, which stands for itself alone.

    Raises:
        InvalidArgument: It has none of these forms.
    """
    bare = text.strip()
    if bare.startswith("tool:"):
        return _tool_pattern(bare)
    is_domain = bare.startswith("domain:")
    rest = bare.removeprefix("domain:")
    if rest == "*":
        return Pattern(text="domain:*", kind="any")
    if _SCHEME.match(rest) and not is_domain:
        return _url_pattern(text, rest)
    host_text, slash, path_text = rest.partition("/")
    if is_domain and slash:
        raise _wrong(text, "domain: takes a host; leave domain: out to name a path")
    below = host_text.startswith("*.")
    host = _host(text, host_text.removeprefix("*.") if below else host_text)
    path = _path(text, path_text) if slash else ""
    star, shown = "*." if below else "", f"[{host}]" if ":" in host else host
    if not path:
        return Pattern(text=f"domain:{star}{shown}", kind="subdomains" if below else "host", host=host)
    return Pattern(text=f"{star}{shown}{path}", kind="path", host=host, path=path, below=below)


def parse_file_pattern(text: str) -> Pattern:
    """
    Read a pattern for writing: a folder or file of the workspace, or `*`.

    Raises:
        InvalidArgument: It leads out of the workspace.
    """
    bare = text.strip()
    if bare.startswith("tool:"):
        return _tool_pattern(bare)
    if bare == "*":
        return _EVERY_FILE
    path = file_path(bare)
    if path == ".":
        return _EVERY_FILE
    if not bare or path == ".." or path.startswith(("/", "../")) or "\0" in path or "*" in path:
        raise _wrong(text, "it takes a folder or file inside the workspace, or *")
    return Pattern(text=path, kind="folder", path=path)


def file_path(text: str) -> str:
    """A path of the workspace in the one form in which paths are compared."""
    return posixpath.normpath(text.replace("\\", "/")) if text else ""


def rule_for(subject: Subject, tool: str) -> Rule:
    """The rule that an approval of this subject stands for: its host, its file or folder, or the tool."""
    if subject.action == "write":
        path = file_path(subject.path)
        pattern = _EVERY_FILE if path == "." else Pattern(text=path, kind="folder", path=path)
        return Rule(action="allow", pattern=pattern, permission="write")
    if subject.url is not None:
        shown = f"[{subject.url.host}]" if subject.url.kind == "ipv6" else subject.url.host
        return Rule(action="allow", pattern=Pattern(text=f"domain:{shown}", kind="host", host=subject.url.host))
    return Rule(action="allow", pattern=Pattern(text=f"tool:{tool}", kind="tool", host=tool))


def decide(subject: Subject, layers: Sequence[Layer], *, tool: str = "") -> Decision | None:
    """
    The rule that has the last word, or None when no rule speaks.

    A denial anywhere wins. Else the nearest layer that speaks does, and in it the narrowest rule; of two equally narrow
    ones the careful one.

    Args:
        layers: Nearest first.
    """
    speaking = [(layer, [rule for rule in layer.rules if rule.applies(subject, tool)]) for layer in layers]
    for layer, rules in speaking:
        for rule in rules:
            if rule.action == "deny":
                return Decision(action="deny", rule=rule.text, source=layer.name)
    for layer, rules in speaking:
        if rules:
            best = max(rules, key=lambda rule: (rule.pattern.narrowness, rule.action == "ask"))
            return Decision(action=best.action, rule=best.text, source=layer.name)
    return None


def strictest(decisions: Iterable[Decision]) -> Decision:
    """The most careful of several decisions; the first of them on a tie."""
    return max(decisions, key=lambda decision: ACTIONS.index(decision.action))


def _is_below(url: Url, host: str) -> bool:
    return url.kind == "name" and url.host.endswith("." + host)


def _path_holds(prefix: str, path: str, *, strict: bool) -> bool:
    literal = _begins(path, prefix)
    read = _read_fully(path)
    fully = _begins(read, _read_fully(prefix))
    if strict:
        return literal and fully
    return literal or fully or _begins(read.casefold(), _read_fully(prefix).casefold())


def _begins(path: str, prefix: str) -> bool:
    """Whether a path is the prefix or lies below it."""
    bare = prefix.rstrip("/")
    return path == bare or path.startswith(bare + "/")


def _same_place(one: Url, other: Url) -> bool:
    """Whether a server may well answer both with the same page."""
    queries = [unquote(url.query or "") for url in (one, other)]
    paths = [_read_fully(url.path).casefold() for url in (one, other)]
    return one.host == other.host and queries[0] == queries[1] and paths[0] == paths[1]


# One path is held to many rules, and a rule's own path to many calls.
@lru_cache(maxsize=256)
def _read_fully(path: str) -> str:
    """A path as the most forgiving server reads it: decoded, without parameters, empty and dot segments."""
    for _ in range(_LAYERS):
        decoded = unquote(path, errors="surrogateescape")
        if decoded == path:
            break
        path = decoded
    plain = _SLASHES.sub("/", _PARAMETERS.sub("", path.replace("\\", "/")))
    ended = posixpath.normpath(plain)
    return "/" + ended.lstrip("/")


def _tool_pattern(text: str) -> Pattern:
    name = text.removeprefix("tool:")
    if not _TOOL.fullmatch(name):
        raise _wrong(text, "tool: takes the name of a tool")
    return Pattern(text=text, kind="tool", host=name)


def _url_pattern(text: str, rest: str) -> Pattern:
    try:
        url = Url.parse(rest).without_fragment()
    except InvalidUrl as error:
        raise _wrong(text, error.message) from error
    return Pattern(text=str(url), kind="url", host=url.host, path=url.path, url=url)


def _host(text: str, host: str) -> str:
    bracketed = f"[{host}]" if host.count(":") > 1 and not host.startswith("[") else host
    try:
        url = Url.parse(f"http://{bracketed}/")
    except InvalidUrl as error:
        raise _wrong(text, error.message) from error
    # A port, a query or a fragment would be read and then silently dropped.
    if ":" in bracketed and not bracketed.endswith("]"):
        raise _wrong(text, "a host stands for all its ports; give the whole URL to name one address")
    if url.target != "/" or url.fragment is not None or "*" in host:
        raise _wrong(text, "it takes a host, such as example.org or *.example.org")
    return url.host


def _path(text: str, path: str) -> str:
    if "?" in path or "#" in path or "*" in path:
        raise _wrong(text, "a path prefix has no query, no fragment and no *; give the whole URL to name one address")
    try:
        return Url.parse(f"http://host/{path}").path.rstrip("/")
    except InvalidUrl as error:
        raise _wrong(text, error.message) from error


def _wrong(text: str, why: str) -> InvalidArgument:
    return InvalidArgument(
        f"{text[:200]!r} is no rule: {why}",
        hint="Rules read domain:host, domain:*.host, host/path/prefix, tool:name, a full URL, or write:folder.",
    )
