"""Pages that are not there yet: empty shells that a script would fill, and stubs that only lead elsewhere."""

from __future__ import annotations

import re

from outrider.content.dom import Tree
from outrider.content.metadata import Metadata, iter_scripts
from outrider.content.urls import Base

_ROOT_IDS = frozenset({
    "app", "root", "__next", "__nuxt", "___gatsby", "react-root", "main-app", "svelte", "q-app", "app-root",
    "application", "reactroot",
    "react-app", "vue-app", "ember-application", "mount", "app-mount", "__layout", "app-container", "spa-root",
    "outlet",
})  # fmt: skip
_ROOT_TAGS = frozenset({"app-root", "ng-app", "my-app", "flutter-view", "ion-app"})
_SAYS_ONLY = re.compile(
    r"(?:please\s+)?(?:enable|turn on|activate|switch on)\s+(?:your\s+)?java\s?script"
    r"|java\s?script\s+(?:is\s+)?(?:required|disabled|must be enabled|needed|to run)"
    r"|(?:requires?|needs?|without)\s+java\s?script|^\W*(?:loading|please wait|just a moment|initiali[sz]ing"
    r"|redirecting|one moment)\b\W*(?:please wait|content|app|page|data)?\W*$",
    re.IGNORECASE,
)
_MOST_SHELL_CHARACTERS = 400
_MOST_ROOT_CHARACTERS = 200
_REDIRECTS = re.compile(
    r"(?:^|[;{}\s(=])(?:(?:window|document|self|top"
    r"|parent)\s*\.\s*)?location(?:\s*\.\s*href)?\s*=\s*[\"']([^\"'\\\s]{1,2000})[\"']"
    r"|location\s*\.\s*(?:replace|assign)\s*\(\s*[\"']([^\"'\\\s]{1,2000})[\"']\s*\)"
)
_MOST_STUB_CHARACTERS = 400
_MOST_STUB_SCRIPT = 2_000
_LEADS_AWAY = re.compile(
    r"redirect|moved|click here|continue to|if you are not|nicht automatisch|new location|new address|this page is now",
    re.IGNORECASE,
)


def needs_javascript(tree: Tree, text: str) -> bool:
    """Whether what a page says is only that a script has yet to write it."""
    visible = text.strip()
    if len(visible) > _MOST_SHELL_CHARACTERS or "script" not in tree.index.tags:
        return False
    if not visible or _SAYS_ONLY.search(visible):
        return True
    return len(visible) < _MOST_ROOT_CHARACTERS and _has_empty_root(tree)


def says_nothing(text: str) -> bool:
    """Whether the little that a shell says is no content."""
    visible = text.strip()
    return not visible or (len(visible) < _MOST_ROOT_CHARACTERS and _SAYS_ONLY.search(visible) is not None)


def _has_empty_root(tree: Tree) -> bool:
    for key in tree.index.keys(("div", "main", "section", "body", *_ROOT_TAGS)):
        is_root = tree.tags[key] in _ROOT_TAGS or (tree.attribute(key, "id") or "").lower() in _ROOT_IDS
        if is_root and not tree.inner_text(key).strip():
            return True
    return False


def redirect(tree: Tree, base: Base, metadata: Metadata, text: str) -> str:
    """Where a stub leads that a browser would leave at once; "" for a page of its own."""
    if metadata.refresh_url:
        return metadata.refresh_url
    if len(text) > _MOST_STUB_CHARACTERS:
        return ""
    for script in iter_scripts(tree):
        found = _REDIRECTS.search(script) if len(script) < _MOST_STUB_SCRIPT else None
        if found and "function" not in script.partition(found[0])[0]:
            return _elsewhere(base.place(found[1] or found[2]), base)
    if text and _LEADS_AWAY.search(text):
        return _elsewhere(metadata.canonical_url, base)
    return ""


def _elsewhere(url: str, base: Base) -> str:
    return "" if url.partition("#")[0] == base.page else url
