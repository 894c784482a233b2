"""
What widely used engines put into their main content that never reads.

These are rules for software that runs on very many sites, never for one site. They name what the learned choice cannot
leave out by itself: marks and buttons inside a heading or a paragraph, and boxes that look like text. Rules that raise
the odds of an engine's own content container were tried too; the learned choice knew these containers already.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outrider.content.dom import Key, Tree

# What is this much of a page is no detail of it, whatever it is called.
_LARGEST_SHARE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One piece of software that makes pages."""

    name: str
    signs: frozenset[str]
    """Classes, and ids as `#id`, one of which tells the engine."""
    noise: frozenset[str]
    """Classes of what stands inside the main content and never reads."""


def _engine(name: str, *, signs: str, noise: str) -> Engine:
    return Engine(name=name, signs=frozenset(signs.split()), noise=frozenset(noise.split()))


ENGINES = (
    # Documentation.
    _engine(
        "Sphinx",
        signs="headerlink sphinxsidebar rst-content documentwrapper bd-article-container furo-main",
        noise="headerlink viewcode-link viewcode-back rst-versions",
    ),
    _engine(
        "MkDocs Material",
        signs="md-content",
        noise="headerlink md-content__button md-source-file md-feedback md-tags",
    ),
    _engine(
        "Docusaurus",
        signs="theme-doc-markdown theme-doc-sidebar-container",
        noise="hash-link theme-doc-toc-mobile theme-edit-this-page pagination-nav buttonGroup",
    ),
    _engine("VitePress", signs="vp-doc VPDoc", noise="header-anchor"),
    _engine("VuePress", signs="theme-default-content", noise="header-anchor page-edit page-nav"),
    _engine("Docsy", signs="td-content", noise="td-heading-self-link feedback--title feedback--question"),
    _engine("rustdoc", signs="rustdoc", noise="anchor doc-anchor src rightside copy-path tooltip"),
    _engine("mdBook", signs="#menu-bar menu-bar", noise="nav-wrapper nav-wide-wrapper"),
    _engine("AsciiDoc", signs="sect1 sectionbody", noise="anchor"),
    # Wikis.
    _engine(
        "MediaWiki",
        signs="mw-parser-output #mw-content-text",
        noise="mw-editsection navbox mw-jump-link printfooter mw-hidden-catlinks vector-toc catlinks",
    ),
    _engine("DokuWiki", signs="dokuwiki #dokuwiki__content", noise="secedit"),
    # Threads.
    _engine(
        "Discourse",
        signs="topic-body crawler-post #main-outlet",
        noise="crawler-linkback-list crawler-post-meta post-likes topic-map post-menu-area",
    ),
    _engine("phpBB", signs="postbody postprofile", noise="signature postprofile post-buttons back2top"),
    _engine(
        "XenForo",
        signs="message-body p-body-content js-post",
        noise="message-signature bbCodeBlock-expandLink bbCodeBlock-shrinkLink message-lastEdit actionBar",
    ),
    _engine(
        "vBulletin", signs="postcontent postbit postbitlegacy", noise="signature signaturecontainer postfoot userinfo"
    ),
    _engine(
        "StackExchange",
        signs="s-prose js-post-body",
        noise="js-post-menu js-voting-container js-comments-menu s-user-card js-add-link post-signature js-post-notice",
    ),
    _engine(
        "GitHub", signs="markdown-body js-comment-body", noise="anchor zeroclipboard-container timeline-comment-actions"
    ),
    _engine("GitLab", signs="md wiki note-text", noise="gl-snippet-icon copy-code anchor"),
    # Journals and shops.
    _engine(
        "WordPress",
        signs="entry-content wp-block-post-content wp-content",
        noise="sharedaddy jp-relatedposts addtoany_share_save_container yarpp yarpp-related wp-block-buttons"
        " post-navigation ez-toc-container lwptoc rank-math-toc sd-sharing heateor_sss_sharing_container"
        " swp_social_panel",
    ),
    _engine("Ghost", signs="gh-content kg-card", noise="kg-signup-card kg-cta-card"),
    _engine("Shopify", signs="shopify-section", noise="cart-drawer predictive-search quick-add visually-hidden"),
)

_WANTED = frozenset(name for engine in ENGINES for name in engine.signs | engine.noise)


def noise(tree: Tree) -> frozenset[Key]:
    """What the engines that made a page put into it that never reads."""
    held = _held(tree)
    found: set[Key] = set()
    for engine in ENGINES:
        if not engine.signs.isdisjoint(held):
            for name in engine.noise:
                found.update(held.get(name, ()))
    return frozenset(key for key in found if tree.ends[key] - key <= _LARGEST_SHARE * len(tree))


def _held(tree: Tree) -> dict[str, list[Key]]:
    """Elements by those classes and ids that some engine knows."""
    index, wanted = tree.index, _WANTED
    held: dict[str, list[Key]] = {}
    for classes, keys in index.classes.items():
        for name in classes.split():
            if name in wanted:
                held.setdefault(name, []).extend(keys)
    for key, name in index.ids.items():
        if f"#{name}" in wanted:
            held.setdefault(f"#{name}", []).append(key)
    return held
