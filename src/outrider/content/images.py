"""Which picture an image element shows, as far as markup without scripts tells."""

from __future__ import annotations

import re

from outrider.content import unseen
from outrider.content.dom import Key, Tree
from outrider.content.words import in_order

# Where scripts that load images late keep the address, best first.
_LAZY = in_order(
    """
    data-src data-lazy-src data-original data-original-src data-actualsrc data-full-src data-hi-res-src data-url
    data-image data-img data-echo data-lazyload data-ll-src data-cfsrc data-srcset data-lazy-srcset srcset
    """
)
_PLACEHOLDER = re.compile(
    r"(?:^|[/_.-])(?:blank|spacer|placeholder|lazy(?:load)?|transparent|loading|loader|pixel|1x1|clear|empty|grey"
    r"|gray)\b[^/]{0,40}\.(?:gif|png|svg|jpe?g|webp)(?:\?|$)",
    re.IGNORECASE,
)
_BEACON = re.compile(
    r"//(?:[^/]+\.)?(?:doubleclick\.net|google-analytics\.com|scorecardresearch\.com|quantserve\.com"
    r"|facebook\.com/tr\b|bat\.bing\.com"
    r"|pixel\.[^/]+|stats\.wp\.com|analytics\.[^/]+|px\.ads\.[^/]+)|/(?:pixel|beacon|track(?:ing)?)\.(?:gif|png"
    r"|php)\b|Special:CentralAutoLogin",
    re.IGNORECASE,
)
_SIZE = re.compile(r"\s*(\d+)(?:\.\d+)?(?:px)?\s*$")
_TINY = 2
_TINY_STYLE = re.compile(r"(?:^|;)\s*(?:width|height)\s*:\s*[0-2](?:\.\d+)?px", re.IGNORECASE)
_PICTURE_NAME = re.compile(r"^(?:https?:)?[^\s,]+", re.IGNORECASE)


def source(tree: Tree, key: Key) -> str:
    """The address of an `<img>`'s picture as the page gives it; "" for none, a beacon or a bare placeholder."""
    given = dict(tree.attributes(key))
    if _is_tiny(given):
        return ""
    src = (given.get("src") or "").strip()
    if src and _is_usable(src):
        return "" if _BEACON.search(src) else src
    for name in _LAZY:
        value = given.get(name)
        if not value:
            continue
        found = best_of(value) if "srcset" in name else value.strip()
        if found and _is_usable(found):
            return found
    return (
        _from_picture(tree, key)
        or _from_noscript(tree, key)
        or (src if src and not src.startswith(("data:", "about:", "#")) else "")
    )


def _is_usable(address: str) -> bool:
    return not address.startswith(("data:", "about:", "blob:", "#", "{")) and not _PLACEHOLDER.search(address)


def _is_tiny(given: dict[str, str | None]) -> bool:
    for name in ("width", "height"):
        found = _SIZE.match(given.get(name) or "")
        if found and int(found[1][:6]) <= _TINY:
            return True
    return _TINY_STYLE.search(given.get("style") or "") is not None


def best_of(srcset: str) -> str:
    """The largest picture of a `srcset`."""
    best, size = "", -1.0
    # An address may hold commas of its own, so the parts are told by the white space after them.
    for part in re.split(r",\s+|(?<=[wx]),", srcset[:20_000]):
        words = part.split()
        if not words:
            continue
        descriptor = words[1] if len(words) > 1 else "1x"
        try:
            scale = float(descriptor[:-1]) if descriptor[-1:] in "wx" else 0.0
        except ValueError:
            scale = 0.0
        if scale > size:
            best, size = words[0].rstrip(","), scale
    return best


def _from_picture(tree: Tree, key: Key) -> str:
    parent = tree.parents[key]
    if parent < 0 or tree.tags[parent] != "picture":
        return ""
    for child in tree.children(parent):
        if tree.tags[child] == "source":
            value = tree.attribute(child, "srcset") or tree.attribute(child, "data-srcset")
            if value and _is_usable(found := best_of(value)):
                return found
    return ""


def _from_noscript(tree: Tree, key: Key) -> str:
    """The picture for readers without scripts, right after its placeholder."""
    for start in (tree.ends[key], tree.ends[tree.parents[key]] if tree.parents[key] >= 0 else len(tree)):
        after = start
        while after < len(tree) and not tree.tags[after] and not tree.text(after).strip():
            after += 1
        if after < len(tree) and tree.tags[after] == "noscript":
            return in_noscript(tree, after)
    return ""


def in_noscript(tree: Tree, key: Key) -> str:
    """The picture inside a `<noscript>`."""
    for image in tree.find(("img",), start=key + 1, end=tree.ends[key]):
        src = (tree.attribute(image, "src") or "").strip()
        if src and _is_usable(src) and not _is_tiny(dict(tree.attributes(image))) and not _BEACON.search(src):
            return src
    return ""


def stands_alone(tree: Tree, key: Key) -> bool:
    """Whether a `<noscript>` follows no image, so that its own is the only one."""
    before = tree.previous(key)
    while before is not None and not tree.tags[before] and not tree.text(before).strip():
        before = tree.previous(before)
    if before is None or not tree.tags[before]:
        return True
    return next(tree.find(("img",), start=before, end=tree.ends[before]), None) is None


def words(tree: Tree, key: Key) -> str:
    """The words that stand for an image."""
    return " ".join(unseen.without(tree.attribute(key, "alt") or "")[0].split())


def title(tree: Tree, key: Key) -> str:
    """The title of an image without words, unless it is declared to say nothing."""
    if tree.attribute(key, "alt") is not None:
        return ""
    return " ".join(unseen.without(tree.attribute(key, "title") or "")[0].split())
