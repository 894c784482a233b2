"""What the names that authors give to elements say about them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Parts of `post-body`, `postBody`, `post_body__text`; parts of one letter and numbers say nothing.
_PARTS = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")
# The same for names without capitals, which most are.
_LOWER_PARTS = re.compile(r"[a-z]{2,}")
# A class attribute may be as long as the page.
_LONGEST_NAME = 400

# One line for each kind of thing a name may speak of. The order is the order of the bits, which a trained model knows.
_SUBJECTS = (
    "nav navbar navigation menu submenu megamenu dropdown drawer offcanvas hamburger",
    "footer foot bottom colophon copyright siteinfo",
    "header masthead topbar branding logo",
    "side sidebar aside rail secondary sidenav",
    "comment comments commentlist disqus discussion replies reply respond",
    "share sharing social addtoany sharethis follow facebook twitter",
    (
        "related recommend recommended recommendations similar more popular trending also next prev previous"
        " suggested recirc readmore latest upsell cross"
    ),
    "promo promotion ad ads advert advertisement sponsor sponsored banner cta adsense dfp outbrain taboola",
    "newsletter subscribe subscription signup optin mailchimp",
    "cookie cookies consent gdpr onetrust modal popup overlay dialog lightbox toast notice alert",
    "login account signin cart minicart basket wishlist checkout user profile",
    "filter filters facet facets refine sort sorting toolbar search searchbox searchform",
    "pagination pager paging pages pagenav loadmore",
    "meta byline author date time published timestamp posted info",
    "tag tags category categories cat label labels badge",
    "title headline heading head",
    "article story entry content body text prose richtext rte wysiwyg copy markdown mdx main",
    (
        "product pdp sku spec specs specification specifications attribute attributes details detail feature features"
        " description summary overview variant option options swatch"
    ),
    "price prices pricing amount money sale discount",
    "review reviews rating ratings star stars testimonial testimonials",
    "card cards tile tiles item items grid list listing listings result results collection collections teaser",
    "post posts message messages thread threads topic topics forum question answer answers postbody posttext op",
    "code highlight highlighter codehilite sourcecode prism syntax",
    "media image images img photo gallery figure caption slider slide carousel swiper slick video thumbnail thumb",
    "toc contents tableofcontents outline",
    "hero jumbotron intro lead subtitle dek excerpt standfirst",
    "widget widgets module plugin block",
    "legal terms privacy disclaimer policy",
    "breadcrumb breadcrumbs crumb crumbs",
    "signature sig avatar userinfo usercard stats karma votes vote score",
    "tab tabs accordion collapse collapsible panel toggle faq faqs expand",
    "hidden hide sr screen visually invisible skip tooltip print",
)
SUBJECT_BYTES = len(_SUBJECTS) // 8
"""Bytes that hold a bit for each subject."""

_BITS: dict[str, int] = {}
for _bit, _words in enumerate(_SUBJECTS):
    for _word in _words.split():
        _BITS[_word] = _BITS.get(_word, 0) | 1 << _bit


class Label:
    """What the tag, class, id and role of an element say."""

    __slots__ = ("above", "bits", "number", "own", "parts")

    def __init__(self, number: int, parts: tuple[str, ...], bits: int, own: float, above: float) -> None:
        self.number = number
        """Its number among the labels of the page, from 1."""
        self.parts = parts
        """Parts of the names in lower case, and the tag as `<div`."""
        self.bits = bits
        """The subjects they speak of."""
        self.own = own
        """How much they speak for text that stands directly in such an element."""
        self.above = above
        """How much they speak for text anywhere below."""


class Labels(dict[tuple[str, str], Label]):
    """The labels of one page by tag and names, each read once, when it is first asked for."""

    __slots__ = ("_above", "_own")

    def __init__(self, own: Mapping[str, float], above: Mapping[str, float]) -> None:
        super().__init__()
        self._own = own
        self._above = above

    def __missing__(self, element: tuple[str, str]) -> Label:
        label = self[element] = self._read(*element)
        return label

    def of(self, tag: str, names: str) -> Label:
        """The label of an element with this tag and these names."""
        return self[tag, names]

    def _read(self, tag: str, names: str) -> Label:
        parts = _parts(names[:_LONGEST_NAME])
        bits = 0
        for part in parts:
            if part in _BITS:
                bits |= _BITS[part]
        parts[f"<{tag}"] = None
        own, above = self._own, self._above
        return Label(
            len(self) + 1,
            tuple(parts),
            bits,
            sum([own[part] for part in parts if part in own], 0.0),
            sum([above[part] for part in parts if part in above], 0.0),
        )


def _parts(names: str) -> dict[str, None]:
    """Each part once, in their order: a sum of floats depends on it, and the order of a set on the process."""
    if names.islower():
        return dict.fromkeys(_LOWER_PARTS.findall(names))
    return dict.fromkeys([part.lower() for part in _PARTS.findall(names)])
