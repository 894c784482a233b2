"""Where in a page's style sheets rules stand, and under which conditions they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from outrider.content import declarations, selectors
from outrider.content.declarations import Declarations
from outrider.content.selectors import Rule

UNSURE = "?"
"""What is declared under conditions that are not looked into: another screen, a state, a part of the element."""
IMPORTANT = 1_000_000
"""Ids that no selector has as many of: what an important declaration weighs."""
_LAYERED = 1_000

# Sheets and rules beyond these are not looked at; pages of a real site stay far below.
_MOST_CHARACTERS = 2_000_000
_MOST_RULES = 4_000
_MOST_BODY = 4_000
_MOST_SELECTOR = 2_000
# Steps back to the start of a conditional block.
_MOST_STEPS = 3_000
# What moves something away is written with a minus and three digits or more.
_MINUS = (":-", "(-", " -")


def shortened(sheets: list[str]) -> list[str]:
    """Sheets as they are searched: in plain letters, without spaces around colons, and no more than is looked at."""
    left = _MOST_CHARACTERS
    result: list[str] = []
    for sheet in sheets:
        text = sheet[:left]
        left -= len(text)
        if text:
            result.append(declarations.plain(text).replace(" :", ":").replace(":  ", ":").replace(": ", ":"))
    return result


def rules_at(
    sheets: list[str], signs: tuple[str, ...], *, loosely: bool = False, widely: bool = False, broadly: bool = False
) -> list[Rule]:
    """
    The rules in whose text one of the signs stands.

    Args:
        loosely: Take rules that apply at times too, with `UNSURE` for their values.
        widely: Take what rules show on an ordinary screen too.
        broadly: Find the signs in capitals, and what moves things away.
    """
    rules: list[Rule] = []
    order = 0
    for number, sheet in enumerate(sheets):
        depth = counted = 0
        seen = -1
        known: dict[int, _Around] = {}
        for at in _places(sheet, signs, broadly=broadly):
            start, end = _body(sheet, at)
            if start < 0 or start == seen:
                continue
            seen = start
            order += 1
            depth += sheet.count("{", counted, start) - sheet.count("}", counted, start)
            counted = start
            head_start = max(sheet.rfind("}", 0, start), sheet.rfind("{", 0, start), sheet.rfind(";", 0, start)) + 1
            head = sheet[head_start:start].strip()
            if head[:1] == "@" or len(head) > _MOST_SELECTOR or end - start > _MOST_BODY:
                continue
            around = _around(sheet, start, known) if depth > 0 else _PLAINLY
            if not (around.always or loosely or (widely and around.on_desktops)):
                continue
            place = number * _MOST_CHARACTERS + start
            if loosely:
                rules += _loose_rules(head, declarations.of(sheet[start + 1 : end]), place, always=around.always)
            else:
                rules += _strict_rules(head, declarations.read(sheet[start + 1 : end]), place, around)
            if order > _MOST_RULES:
                return rules
    return rules


def _strict_rules(
    head: str, declared: tuple[Declarations, Declarations], place: int, around: _Around
) -> Iterator[Rule]:
    """The rules of a list of selectors, one for what is declared plainly and one for what is important."""
    weak, strong = declared
    if not around.always:
        # Of a rule that depends on the screen, only that it shows is believed.
        weak, strong = ({n: value for n, value in told.items() if value not in _HIDING} for told in declared)
    for one in selectors.listed(head):
        rule = selectors.rule(one, weak, place)
        if rule is None:
            continue
        # Layers are weaker than what stands outside, and stronger in what is important.
        if weak:
            yield _raised(rule, -_LAYERED) if around.layered else rule
        if strong:
            yield replace(_raised(rule, IMPORTANT + _LAYERED * around.layered), declarations=strong)


def _raised(rule: Rule, by: int) -> Rule:
    return replace(rule, weight=(rule.weight[0] + by, *rule.weight[1:]))


_HIDING = ("none", "hidden", "0", "collapse")


def _loose_rules(head: str, declared: Declarations, place: int, *, always: bool) -> list[Rule]:
    """Rules with their states and pseudo-elements left away."""
    unsure = dict.fromkeys(declared, UNSURE)
    rules: list[Rule] = []
    for one in head.split(","):
        selector = one.strip().replace(":root", "html")
        depends = not _CONDITIONS.isdisjoint(selector)
        if depends:
            # Of what stands beside another or in a state, only the element itself is looked at.
            left = _STATES.sub("", selector).replace("+", " ").replace("~", " ").split()
            selector = left[-1] if left and not _OTHER_PARTS.search(selector) else ""
        rule = selectors.rule(selector, declared if always and not depends else unsure, place)
        if rule is not None:
            rules.append(rule)
    return rules


_CONDITIONS = frozenset(":+~")
_STATES = re.compile(r"::?[\w-]+(?:\([^()]*\))?")
# What is painted through these is not the element's own place.
_OTHER_PARTS = re.compile(r"::(?!before|after)")


def _places(sheet: str, signs: tuple[str, ...], *, broadly: bool) -> list[int]:
    found: list[int] = []
    # Only in ASCII is a place in the one text sure to be the same place in the other.
    if broadly and sheet.isascii():
        sheet = sheet.lower()
    for sign in signs:
        at = sheet.find(sign)
        while at >= 0 and len(found) < 4 * _MOST_RULES:
            found.append(at)
            at = sheet.find(sign, at + len(sign))
    for sign in _MINUS if broadly else ():
        at = sheet.find(sign)
        while at >= 0 and len(found) < 4 * _MOST_RULES:
            if sheet[at + 2 : at + 5].isdigit():
                found.append(at)
            at = sheet.find(sign, at + 2)
    return sorted(found)


def _body(sheet: str, at: int) -> tuple[int, int]:
    """Where the body begins and ends that a place stands in, or whose selector it stands in."""
    opened, closed = sheet.rfind("{", 0, at), sheet.rfind("}", 0, at)
    inside = opened > closed
    if inside:
        next_open, end = sheet.find("{", at), sheet.find("}", at)
        if next_open < 0 or (0 <= end < next_open):
            return opened, end if end >= 0 else len(sheet)
    start = sheet.find("{", at)
    end = sheet.find("}", start)
    return (start, end if end >= 0 else len(sheet)) if start >= 0 else (-1, -1)


class _Around(NamedTuple):
    """What the blocks around a rule say of it."""

    always: bool = True
    """It holds on every screen."""
    on_desktops: bool = True
    layered: bool = False


_PLAINLY = _Around()
_NEVER = _Around(always=False, on_desktops=False)


def _around(sheet: str, start: int, known: dict[int, _Around]) -> _Around:
    """
    What the blocks around a rule say of it.

    Args:
        known: Answers by place, kept between calls: rules of one block share theirs.
    """
    depth = 0
    at = start
    passed: list[int] = []
    answer = _PLAINLY
    for _ in range(_MOST_STEPS):
        opened, closed = sheet.rfind("{", 0, at), sheet.rfind("}", 0, at)
        if opened < 0:
            break
        at = max(opened, closed)
        if not depth:
            if at in known:
                answer = _both(answer, known[at])
                break
            passed.append(at)
        if closed > opened:
            depth += 1
        elif depth:
            depth -= 1
        else:
            head_start = max(sheet.rfind("}", 0, at), sheet.rfind("{", 0, at), sheet.rfind(";", 0, at)) + 1
            answer = _both(answer, _block(sheet[head_start:at].strip()))
            if not answer.on_desktops:
                break
    else:
        answer = _NEVER
    known.update(dict.fromkeys(passed, answer))
    return answer


def _both(one: _Around, other: _Around) -> _Around:
    return _Around(one.always and other.always, one.on_desktops and other.on_desktops, one.layered or other.layered)


def _block(head: str) -> _Around:
    found = _BLOCK.match(head.lower())
    if found is None:
        return _NEVER
    name, condition = found[1], found[2].strip()
    if name == "layer":
        return _Around(layered=True)
    if name == "supports":
        # What is not supported is older than any reader of today.
        return _NEVER if condition.startswith("not") else _PLAINLY
    queries = [_query(one) for one in condition[:_MOST_SELECTOR].split(",")] if condition else [_PLAINLY]
    return _Around(any(query.always for query in queries), any(query.on_desktops for query in queries))


_BLOCK = re.compile(r"@(layer|supports|media)\b(.*)", re.DOTALL)
_FEATURE = re.compile(r"\(\s*(?:(min|max)-)?(width|height)\s*(:|[<>]=?)\s*(\d+\.?\d*)\s*(px|r?em)?\s*\)")
# In pixels: no screen is smaller or larger than the outer two, and the middle one is an ordinary desktop's.
_SCREENS = {"width": (320, 1280, 10_000), "height": (1, 720, 10_000)}


def _query(query: str) -> _Around:
    """What one media query says: only types and sizes are looked into."""
    answer = _PLAINLY
    for part in query.split(" and "):
        word = part.strip().removeprefix("only ").strip()
        if word in ("screen", "all", "not print", "not speech", "(color)"):
            continue
        found = _FEATURE.fullmatch(word)
        if found is None:
            return _NEVER
        amount = float(found[4]) * (16 if "em" in (found[5] or "") else 1)
        smallest, ordinary, largest = _SCREENS[found[2]]
        if found[1] == "min" or found[3][0] == ">":
            answer = _both(answer, _Around(amount <= smallest, amount <= ordinary))
        elif found[1] == "max" or found[3][0] == "<":
            answer = _both(answer, _Around(amount >= largest, amount >= ordinary))
        else:
            return _NEVER
    return answer
