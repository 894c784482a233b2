"""What of a page never reads: scripts, controls, cookie walls, and what a person would not see."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from outrider.content import folded, hidden, unseen
from outrider.content.backdrop import Backdrop, tells_all
from outrider.content.css import Styles
from outrider.content.dom import Key, Tree
from outrider.content.words import in_order, words

# Elements without text for a reader. `template` loses its content too; a shadow root's was put in place by the parse.
_NEVER = words(
    """
    script style template iframe frame object embed applet svg canvas audio video select textarea datalist noscript
    noembed noframes map area progress meter option optgroup head
    """
)
_CONSENT = re.compile(
    r"onetrust-|cookie[-_]?(?:consent|banner|notice|bar|law|popup|modal|wall|policy-?banner|message|disclaimer"
    r"|overlay|alert|warning|info)|cc-window"
    r"|cc-banner|cookiebot|cybotcookie|didomi-|qc-cmp2|sp_message|usercentrics|truste(?!d)|gdpr-?(?:banner|consent|modal"
    r"|popup|cookie)|osano-cm|iubenda-cs"
    r"|klaro|fc-consent|termly|moove_gdpr|cmplz|consent-?(?:banner|modal|popup|manager|wall|overlay)|cookieconsent"
    r"|eu-cookie|borlabs"
)
_CONSENT_WORDS = in_order(
    """
    cookie consent gdpr didomi onetrust usercentrics sp_message qc-cmp truste osano klaro cmplz cc- iubenda termly
    borlabs
    """
)
# Elements whose text is no text.
_SOURCES = frozenset({"script", "style"})
_CONSENT_TAGS = frozenset({"div", "section", "aside", "dialog", "form", "footer", "header", "p", "span", "ul"})
_KEPT_BUTTONS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt", "legend"})
# What makes a button of some length a card or a question.
_TEXT_TAGS = frozenset({"h2", "h3", "h4", "h5", "h6", "p"})
_LEAST_BUTTON = 15
_ARIA_KEPT = re.compile(
    r"accordion|collaps|tab|panel|slide|carousel|swiper|modal|expand|toggle|menu|nav", re.IGNORECASE
)
_MOST_ARIA = 400
# Shells say this much at most, or this share of what waits in hidden containers of at least so much each.
_SHELL_CHARACTERS, _SHELL_SHARE = 300, 0.125
_WAITING_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """What was marked."""

    hidden_chars: int
    """Characters of text that a person would not see."""
    waited: bool = False
    """The page's real text stood in hidden containers, and nothing to speak of elsewhere; they are not marked."""


def clean(tree: Tree, *, shown: frozenset[Key] = frozenset(), may_wait: bool = True) -> Cleaned:
    """
    Mark what never reads in `tree.skip`, and take invisible characters out of the text.

    Args:
        shown: Elements that stand for something else and are kept as they are, such as formulas.
        may_wait: Whether the text may stand in hidden containers as long as next to nothing shows.
    """
    _mark_never(tree, shown)
    _mark_walls(tree)
    _reveal_addresses(tree)
    hidden_keys = _mark_hidden(tree, shown)
    hidden_chars = sum(_text_length(tree, key) for key in hidden_keys)
    waiting = _waiting(tree, hidden_keys) if may_wait else []
    for key in waiting:
        hidden_chars -= _text_length(tree, key)
        tree.skip[key] = 0
    return Cleaned(hidden_chars=hidden_chars + _without_unseen(tree), waited=bool(waiting))


def _mark_never(tree: Tree, shown: frozenset[Key]) -> None:
    skip, tags = tree.skip, tree.index.tags
    for tag in _NEVER:
        for key in tags.get(tag, ()):
            skip[key] = 1
    for key in tags.get("button", ()):
        skip[key] = not _is_kept_button(tree, key)
    for key in tags.get("dialog", ()):
        skip[key] = tree.attribute(key, "open") is None
    for key in shown:
        skip[key] = 0


def _is_kept_button(tree: Tree, key: Key) -> bool:
    """Buttons that are headings of what they open."""
    if any(tree.tags[above] in _KEPT_BUTTONS for above, _ in zip(tree.ancestors(key), range(4), strict=False)):
        return True
    if not _TEXT_TAGS.isdisjoint(tree.tags[key + 1 : tree.ends[key]]) and _text_length(tree, key) > _LEAST_BUTTON:
        return True
    given = dict(tree.attributes(key))
    if "aria-expanded" not in given and "accordion" not in (given.get("class") or "").lower():
        return False
    return _text_length(tree, key) > _LEAST_BUTTON or not _KEPT_BUTTONS.isdisjoint(tree.tags[key + 1 : tree.ends[key]])


def _mark_walls(tree: Tree) -> None:
    index = tree.index
    labels = _labels_of_consent(index.labels)
    if not labels:
        return
    for classes, keys in index.classes.items():
        if classes.lower() in labels:
            for key in keys:
                _mark_wall(tree, key)
    for key, name in index.ids.items():
        if name.lower() in labels:
            _mark_wall(tree, key)


def _labels_of_consent(labels: str) -> set[str]:
    """The lines of a page's labels that speak of consent."""
    found: set[str] = set()
    for word in _CONSENT_WORDS:
        at = labels.find(word)
        while at >= 0:
            end = labels.find("\n", at)
            end = len(labels) if end < 0 else end
            label = labels[labels.rfind("\n", 0, at) + 1 : end]
            if _CONSENT.search(label):
                found.add(label)
            at = labels.find(word, end)
    return found


def _mark_wall(tree: Tree, key: Key) -> None:
    """Mark an element that speaks of cookies, unless it is most of the page."""
    if tree.tags[key] in _CONSENT_TAGS and tree.ends[key] - key < 0.6 * len(tree):
        tree.skip[key] = 1


def _reveal_addresses(tree: Tree) -> None:
    """Write out the mail addresses that a widespread proxy scrambles, as its script does in a browser."""
    if "data-cfemail" not in tree.index.attributes:
        return
    for classes, keys in tree.index.classes.items():
        if "__cf_email__" not in classes:
            continue
        for key in keys:
            address = _unscrambled(tree.attribute(key, "data-cfemail") or "")
            if address and key + 1 < tree.ends[key] and not tree.tags[key + 1]:
                tree.values[key + 1] = address


def _unscrambled(digits: str) -> str:
    """The address in pairs of hexadecimal digits; the first pair is what each of the others was combined with."""
    try:
        numbers = bytes.fromhex(digits[:400])
        return bytes(number ^ numbers[0] for number in numbers[1:]).decode() if numbers else ""
    except ValueError:
        return ""


# What a person would not see.


def _mark_hidden(tree: Tree, shown: frozenset[Key]) -> list[Key]:
    """Mark what is hidden; answers the outermost elements."""
    complete = tells_all(tree)
    styles = Styles(_sheets(tree), hidden.may_hide(tells_all=complete))
    ruled = styles.candidates(tree)
    candidates = sorted(ruled.union(tree.index.telling))
    if not candidates:
        return []
    found: list[Key] = []
    controls = _controlled(tree)
    backdrop = Backdrop(tree, styles, tells_all=complete)
    code = _Ranges(tree, tree.index.keys(("pre", "code")))
    covered = _Covered(tree)
    formulas = _Ranges(tree, sorted(shown))
    for key in candidates:
        if covered.covers(key) or key in shown or formulas.covers(key) or tree.tags[key] in ("html", "body"):
            continue
        if _hides(tree, key, styles if key in ruled else None, controls=controls, code=code, backdrop=backdrop):
            tree.skip[key] = 1
            found.append(key)
    return found


def _sheets(tree: Tree) -> list[str]:
    keys = tree.index.tags.get("style", ())
    return ["".join(tree.text(child) for child in tree.children(key)) for key in keys if _is_for_screens(tree, key)]


def _is_for_screens(tree: Tree, key: Key) -> bool:
    return (tree.attribute(key, "media") or "all").strip().lower() in ("all", "screen", "")


class _Covered:
    """Whether keys, asked for in document order, lie in a part that is marked already."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._at = 0

    def covers(self, key: Key) -> bool:
        """Whether the element or one around it is marked."""
        skip, ends = self._tree.skip, self._tree.ends
        while self._at <= key:
            marked = skip.find(1, self._at, key + 1)
            if marked < 0:
                self._at = key
                return False
            self._at = ends[marked]
        return True


class _Ranges:
    """Whether a key, asked for in document order, lies inside one of some elements."""

    def __init__(self, tree: Tree, keys: list[Key]) -> None:
        self._keys = keys
        self._ends = tree.ends
        self._at = 0
        self._end = 0

    def covers(self, key: Key) -> bool:
        """Whether the key lies inside one."""
        while self._at < len(self._keys) and self._keys[self._at] < key:
            self._end = max(self._end, self._ends[self._keys[self._at]])
            self._at += 1
        return key < self._end


def _controlled(tree: Tree) -> set[str]:
    """Ids of what the page's buttons and tabs open."""
    index = tree.index
    tabs = [tree.attribute(key, "href") or "" for key, role in index.roles.items() if role == "tab"]
    return index.controlled.union(tab[1:] for tab in tabs if tab[:1] == "#")


def _hides(
    tree: Tree, key: Key, styles: Styles | None, *, controls: set[str], code: _Ranges, backdrop: Backdrop
) -> bool:
    look = hidden.look(tree, key, styles)
    in_code = code.covers(key)
    if not look.style and "hidden" not in look.given and "aria-hidden" not in look.given:
        return False
    if hidden.is_hidden(tree, key, look, controls=controls, backdrop=backdrop):
        return True
    return hidden.is_aria_hidden(look) and not in_code and not _is_kept_aria(tree, key, look)


def _is_kept_aria(tree: Tree, key: Key, look: hidden.Look) -> bool:
    """`aria-hidden` also marks pages behind a dialog and panels that are folded; those read."""
    if _text_length(tree, key) > _MOST_ARIA or _ARIA_KEPT.search(look.names):
        return True
    if folded.has_opener(tree, key):
        return True
    return next(tree.find(("img", "picture"), start=key, end=tree.ends[key]), None) is not None


def _text_length(tree: Tree, key: Key) -> int:
    """Characters of text below an element."""
    end = tree.ends[key]
    if end - key > 2_000:
        return tree.text_length(key)
    tags, values = tree.tags, tree.values
    return sum(len(values[below]) for below in range(key + 1, end) if not tags[below])


def _waiting(tree: Tree, hidden_keys: list[Key]) -> list[Key]:
    """The hidden containers that hold the page, when what shows is only a shell."""
    held = [key for key in hidden_keys if _text_length(tree, key) >= _WAITING_CHARACTERS and _reads(tree, key)]
    if not held:
        return []
    visible = len(" ".join(tree.inner_text(tree.body).split()))
    waiting = sum(_text_length(tree, key) for key in held)
    return held if visible < max(_SHELL_CHARACTERS, _SHELL_SHARE * waiting) else []


def _reads(tree: Tree, key: Key) -> bool:
    paragraphs = tree.find(("p", "h1", "h2", "h3", "li", "article"), start=key, end=tree.ends[key])
    return sum(1 for _ in zip(paragraphs, range(3), strict=False)) == 3


def _without_unseen(tree: Tree) -> int:
    return without_unseen(tree, tree.wide)


def without_unseen(tree: Tree, keys: Iterable[Key]) -> int:
    """Take characters that nobody sees out of text nodes; answers how many they were."""
    removed = 0
    values = tree.values
    for key in keys:
        text = values[key]
        assert isinstance(text, str)
        if tree.tags[tree.parents[key]] in _SOURCES:
            continue
        values[key], count = unseen.without(text)
        removed += count
    return removed
