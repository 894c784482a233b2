"""URLs: read once by one strict parser, so that what was read is what is judged and dialled."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Literal

from outrider.errors import InvalidUrl

MAX_LENGTH = 8_192
"""Characters; longer URLs are refused."""

DEFAULT_PORTS = {"http": 80, "https": 443}

HostKind = Literal["name", "ipv4", "ipv6"]

# WHATWG URL, "C0 control or space" and the characters that parsers silently strip or fold.
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\\x80-\xa0\u2028\u2029\ud800-\udfff]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
# As WHATWG has it: hyphens may stand anywhere, and real hosts use that.
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_LOOKS_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
_DOTTED_QUAD = re.compile(r"(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)")
_PORT = re.compile(r"[0-9]{1,5}")
# RFC 1035 section 2.3.4, less the root's own octets.
_MAX_HOST_LENGTH = 253
# RFC 5892 appendix A: invisible, and meant only between letters of some scripts.
_JOINERS = frozenset("\u200c\u200d")
# The delimiters that compatibility forms of other characters must not turn into (U+2100 becomes "a/c").
_HOST_BREAKERS = frozenset('/?#@:[]\\%<>^|`{}"')

# RFC 3986 section 3.3 and 3.4, plus what browsers leave as it is; everything else is percent-encoded.
_PATH_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/%[]|")
_QUERY_SAFE = _PATH_SAFE | frozenset(b"?^`{}")
_FRAGMENT_SAFE = _QUERY_SAFE


@dataclass(frozen=True, slots=True)
class Url:
    """
    An http or https URL in its one normal form.

    Build it with `parse` or `join`; then equal URLs compare equal and nothing needs to be parsed again.
    """

    scheme: Literal["http", "https"]
    host: str
    """Lower-case ASCII name without a final dot, dotted quad, or IPv6 address without brackets."""
    port: int
    path: str
    """Begins with `/`; percent-encoded ASCII without dot segments."""
    query: str | None = None
    fragment: str | None = None
    kind: HostKind = "name"
    disguised: str = ""
    """The reason class when the host was spelled in a way that hides what it is, such as `unicode-host`."""

    @classmethod
    def parse(cls, text: str) -> Url:
        """
        Read an absolute URL.

        Raises:
            InvalidUrl: The text is not an http or https URL in plain spelling; `reason` names the class of fault.
        """
        _refuse_disguises(text)
        match = _SCHEME.match(text)
        if match is None:
            raise _invalid(
                "it has no scheme", "malformed", hint="Give a full URL that begins with https:// or http://."
            )
        scheme = match.group(1).lower()
        if scheme not in DEFAULT_PORTS:
            raise _invalid(f"its scheme is {scheme}, and only http and https are fetched", "scheme")
        rest = text[match.end() :]
        if not rest.startswith("//"):
            raise _invalid(f"{scheme}: must be followed by //", "parser-differential")
        return cls._from_parts(scheme, rest[2:])

    def join(self, reference: str) -> Url:
        """
        Resolve a reference, such as a link or a Location header, against this URL.

        Raises:
            InvalidUrl: As for `parse`.
        """
        _refuse_disguises(reference, empty_allowed=True)
        if _SCHEME.match(reference):
            return Url.parse(reference)
        if reference.startswith("//"):
            return self._from_parts(self.scheme, reference[2:])
        body, hash_mark, fragment = reference.partition("#")
        new_fragment = _encode(fragment, _FRAGMENT_SAFE) if hash_mark else None
        path, question, query = body.partition("?")
        if not path:
            kept = _encode(query, _QUERY_SAFE) if question else self.query
            return replace(self, query=kept, fragment=new_fragment)
        base = path if path.startswith("/") else self.path[: self.path.rfind("/") + 1] + path
        return replace(
            self,
            path=_normal_path(base),
            query=_encode(query, _QUERY_SAFE) if question else None,
            fragment=new_fragment,
        )

    @classmethod
    def _from_parts(cls, scheme: str, rest: str) -> Url:
        end = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
        host, kind, disguised, port = _read_authority(rest[:end], DEFAULT_PORTS[scheme])
        body, hash_mark, fragment = rest[end:].partition("#")
        path, question, query = body.partition("?")
        return cls(
            scheme="https" if scheme == "https" else "http",
            host=host,
            port=port,
            path=_normal_path(path or "/"),
            query=_encode(query, _QUERY_SAFE) if question else None,
            fragment=_encode(fragment, _FRAGMENT_SAFE) if hash_mark else None,
            kind=kind,
            disguised=disguised,
        )

    @property
    def authority(self) -> str:
        """Host, in brackets when it is IPv6, and the port unless it is the scheme's own."""
        host = f"[{self.host}]" if self.kind == "ipv6" else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """`scheme://authority`: what credentials belong to."""
        return f"{self.scheme}://{self.authority}"

    @property
    def target(self) -> str:
        """Path and query: what a request line names."""
        return self.path if self.query is None else f"{self.path}?{self.query}"

    def without_fragment(self) -> Url:
        """The URL that is requested."""
        return self if self.fragment is None else replace(self, fragment=None)

    def __str__(self) -> str:
        whole = self.origin + self.target
        return whole if self.fragment is None else f"{whole}#{self.fragment}"


def canonical(url: Url) -> str:
    """The form under which two URLs name the same page: no fragment, no empty query."""
    return url.origin + (url.path if not url.query else url.target)


def normal_host(text: str) -> str:
    """
    The one normal form of a host as a rule or a list names it: name, dotted quad or IPv6 address.

    Raises:
        InvalidUrl: It is not a host.
    """
    _refuse_disguises(text)
    bare = f"[{text}]" if ":" in text and not text.startswith("[") else text
    host, _, disguised, _ = _read_authority(bare, 80)
    if disguised or bare.rpartition("]")[2].startswith(":") or (":" in bare and not bare.startswith("[")):
        raise _invalid(f"{text!r} is not a plain host", "malformed")
    return host


def _invalid(why: str, reason: str, *, hint: str = "") -> InvalidUrl:
    return InvalidUrl(f"this is not a URL that can be fetched: {why}", reason=reason, hint=hint)


def _refuse_disguises(text: str, *, empty_allowed: bool = False) -> None:
    if not text and not empty_allowed:
        raise _invalid("it is empty", "malformed", hint="Give a full URL that begins with https:// or http://.")
    if len(text) > MAX_LENGTH:
        raise _invalid(f"it is longer than {MAX_LENGTH} characters", "malformed")
    found = _FORBIDDEN.search(text)
    if found is not None:
        character = found.group()
        name = {"\\": "a backslash", " ": "a space"}.get(character, f"the character U+{ord(character):04X}")
        reason = "crlf-injection" if "\r\n" in text else "parser-differential"
        raise _invalid(f"it holds {name}", reason, hint="Percent-encode it.")


def _read_authority(authority: str, default_port: int) -> tuple[str, HostKind, str, int]:
    """Shape: host, its kind, the disguise's reason class or "", port."""
    if "@" in authority:
        raise _invalid("it holds user information", "userinfo", hint="Leave out the part before the @.")
    if authority.startswith("["):
        host_text, bracket, port_text = authority[1:].partition("]")
        if not bracket or (port_text and not port_text.startswith(":")):
            raise _invalid("its brackets do not hold one IPv6 address", "malformed")
        host, kind, disguised = _read_ipv6(host_text), "ipv6", ""
        return host, "ipv6", disguised, _read_port(port_text[1:] if port_text else None, default_port)
    host_text, colon, port_text = authority.partition(":")
    host, kind, disguised = _read_host(host_text)
    return host, kind, disguised, _read_port(port_text if colon else None, default_port)


def _read_port(text: str | None, default: int) -> int:
    if text is None or text == "":
        return default
    if not _PORT.fullmatch(text) or not text.isascii() or not 1 <= int(text) <= 65_535:
        raise _invalid(f"its port {text[:20]!r} is not a number from 1 to 65535", "malformed")
    return int(text)


def _read_ipv6(text: str) -> str:
    if "%" in text:
        raise _invalid("an IPv6 address with a zone is local", "ipv6-zone")
    try:
        return str(IPv6Address(text))
    except (AddressValueError, ValueError) as error:
        raise _invalid("its brackets do not hold one IPv6 address", "malformed") from error


def _read_host(text: str) -> tuple[str, Literal["name", "ipv4"], str]:
    if not text:
        raise _invalid("it has no host", "malformed")
    if "%" in text:
        raise _invalid("its host is percent-encoded", "percent-encoded-host")
    name = text.lower() if text.isascii() else _to_ascii(text)
    dotted = name.endswith(".")
    name = name[:-1] if dotted else name
    last = name.rpartition(".")[2]
    if _LOOKS_NUMERIC.fullmatch(last):
        if dotted or not _DOTTED_QUAD.fullmatch(name):
            raise _invalid(
                "an IPv4 address is written as four decimal numbers",
                "ipv4-nonstandard" if text.isascii() else "unicode-host",
            )
        return str(IPv4Address(name)), "ipv4", "" if text.isascii() else "unicode-host"
    if len(name) > _MAX_HOST_LENGTH or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise _invalid("its host is not a valid name", "malformed")
    return name, "name", "" if text.isascii() else "unicode-host"


def _to_ascii(text: str) -> str:
    """UTS 46 mapping, then Punycode label by label, as browsers do it."""
    if len(text) > _MAX_HOST_LENGTH:
        raise _invalid("its host is not a valid international name", "unicode-host")
    import idna  # Its tables cost start-up time, and most hosts are ASCII.

    try:
        mapped = idna.uts46_remap(text, std3_rules=False, transitional=False)
        if _HOST_BREAKERS.intersection(mapped) or _FORBIDDEN.search(mapped):
            raise _invalid("its host turns into something else when it is normalised", "unicode-host")
        return ".".join(_label_to_ascii(label) for label in mapped.split("."))
    except (idna.IDNAError, ValueError) as error:
        raise _invalid("its host is not a valid international name", "unicode-host") from error


def _label_to_ascii(label: str) -> str:
    if label.isascii():
        return label.lower()
    import idna

    idna.check_initial_combiner(label)
    idna.check_bidi(label)
    if any(mark in _JOINERS and not idna.valid_contextj(label, at) for at, mark in enumerate(label)):
        raise _invalid("its host holds an invisible character", "unicode-host")
    return "xn--" + label.encode("punycode").decode("ascii")


def _encode(text: str, safe: frozenset[int]) -> str:
    if text.isascii() and _all_safe(text, safe):
        return text
    return "".join(chr(byte) if byte in safe else f"%{byte:02X}" for byte in text.encode("utf-8"))


def _all_safe(text: str, safe: frozenset[int]) -> bool:
    return safe.issuperset(text.encode("ascii"))


def _normal_path(path: str) -> str:
    encoded = _encode(path, _PATH_SAFE)
    if "." not in encoded and "%2" not in encoded:
        return encoded
    kept: list[str] = []
    segments = encoded.split("/")[1:]
    for index, segment in enumerate(segments):
        dots = segment.lower().replace("%2e", ".")
        last = index == len(segments) - 1
        if dots == "..":
            del kept[-1:]
        elif dots != ".":
            kept.append(segment)
            continue
        if last:
            kept.append("")
    return "/" + "/".join(kept)
