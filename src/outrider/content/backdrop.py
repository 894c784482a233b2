"""What colour stands behind a text, as far as a page tells."""

from __future__ import annotations

import re
from collections.abc import Callable

from outrider.content import colours, css, declarations
from outrider.content.css import Styles
from outrider.content.declarations import Declarations
from outrider.content.dom import Key, Tree
from outrider.content.sheets import UNSURE

_MOST_ANCESTORS = 60
_FREE = ("absolute", "fixed", "sticky", UNSURE)
_SHEET = re.compile(r"stylesheet|preload", re.IGNORECASE)


def tells_all(tree: Tree) -> bool:
    """Whether all of a page's styles stand in the page itself, so that what they do not paint is not painted."""
    tags = tree.index.tags
    if "style" not in tags and "class" in tree.index.attributes:
        # It has lost its sheets, or loads them in some other way.
        return False
    if css.is_scripted(tree):
        return False
    if any(_SHEET.search(tree.attribute(key, "rel") or "") for key in tags.get("link", ())):
        return False
    return not any("@import" in tree.text(child) for key in tags.get("style", ()) for child in tree.children(key))


class Backdrop:
    """
    The colours behind the elements of a page.

    Args:
        styles: The page's own rules.
        tells_all: Whether all of the page's styles stand in it.
    """

    __slots__ = ("_known", "_plain", "_styles", "_tree", "_white", "tells_all")

    def __init__(self, tree: Tree, styles: Styles, *, tells_all: bool) -> None:
        self._tree = tree
        self._styles = styles
        self.tells_all = tells_all
        # What is behind an element, by element: by its attributes alone, and by the rules of the page too.
        self._plain: dict[Key, str | None] = {}
        self._known: dict[Key, str | None] = {}
        # What shows where nothing is painted.
        self._white = "ffffff" if self.tells_all and not self._is_dark_at_will() else None

    def swallows(self, key: Key, ink: str) -> bool:
        """Whether text of a colour cannot be read in an element, by what is known for certain."""
        # The rules are read for the few elements that are suspicious without them.
        if not self.tells_all and not self._is_near(key, ink, self._plain, self._given):
            return False
        return self._is_near(key, ink, self._known, self._painted)

    def _is_near(self, key: Key, ink: str, known: dict[Key, str | None], painted: Callable[[Key], str | None]) -> bool:
        behind = self._behind(key, known, painted)
        return bool(behind) and colours.are_near(ink, behind or "")

    def _behind(self, key: Key, known: dict[Key, str | None], painted: Callable[[Key], str | None]) -> str | None:
        """The colour that shows behind an element's text, its own background included; None when it is not told."""
        passed: list[Key] = []
        answer: str | None = None
        for _ in range(_MOST_ANCESTORS):
            if key < 0:
                answer = self._white
                break
            if key in known:
                answer = known[key]
                break
            passed.append(key)
            found = painted(key)
            if found != colours.CLEAR:
                answer = found
                break
            key = self._tree.parents[key]
        known.update(dict.fromkeys(passed, answer))
        return answer

    def declares(self, key: Key, names: tuple[str, ...]) -> bool:
        """Whether an element's own style or a rule of the page for it sets one of some properties."""
        own = declarations.of(self._tree.attribute(key, "style") or "")
        return any(name in own or name in self._styles.declared(self._tree, key, name) for name in names)

    def declared(self, key: Key, sign: str) -> Declarations:
        """What the rules with a sign in them and the element's own style declare together."""
        own = self._tree.attribute(key, "style")
        ruled = self._styles.declared(self._tree, key, sign)
        return {**ruled, **declarations.of(own)} if own else ruled

    def _given(self, key: Key) -> str | None:
        """The element's own colour by its attributes; clear for none."""
        given = dict(self._tree.attributes(key))
        if given.get("style") or given.get("bgcolor") or given.get("background"):
            return self._colour(key, declarations.of(given.get("style") or ""))
        return None if given.get("class") or given.get("id") else colours.CLEAR

    def _painted(self, key: Key) -> str | None:
        """The element's own colour by everything that is known; clear for none."""
        painted = self._colour(key, self.declared(key, "background"))
        if painted == colours.CLEAR and self.declared(key, "position").get("position") in _FREE:
            return None
        return painted

    def _colour(self, key: Key, style: Declarations) -> str | None:
        given = dict(self._tree.attributes(key))
        if style.get("background-image", "none") != "none" or given.get("background"):
            return None
        value = style.get("background-color") or style.get("background") or (given.get("bgcolor") or "").lower()
        painted = colours.paper(value) if value else colours.CLEAR
        # A sheet that is not here may paint what it can name, and what is placed freely may stand over anything.
        if painted == colours.CLEAR and not self.tells_all and (given.get("class") or given.get("id")):
            return None
        return painted

    def _is_dark_at_will(self) -> bool:
        tree = self._tree
        return self._styles.mentions("color-scheme") or any(
            tree.attribute(key, "name") == "color-scheme" for key in tree.index.tags.get("meta", ())
        )
