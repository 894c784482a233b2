"""Write docs/providers from the catalogue; `--check` only says whether the pages are current."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from outrider.search.catalogue import FILTERS, Field, ProviderInfo
from outrider.search.choice import KEYED, KEYLESS, OWN, Catalogue

DOCS = Path(__file__).parent.parent / "docs" / "providers"

_INDEX_HEAD = """\
# Search providers

A provider is one search engine behind the common interface.
Without any configuration the keyless ones are asked, one after the other, until one has found something.
A provider that needs a key joins them as soon as it has one; your own SearXNG server comes before all others.
`search.order` replaces the order, `search.provider` fixes one, and `search.disabled` switches some off.
`outrider providers` shows who would be asked here, and why the others would not.

[](asking.md) says what happens when one does not answer, and what filters and keys do.
[](writing.md) shows how to add one of your own.

## All of them
"""

_STATES = {
    "legacy": "The vendor closed it to new customers; move to [{successor}]({successor}.md).",
    "retired": "The vendor retired it: every call fails with `provider_gone`. Use [{successor}]({successor}.md).",
}


def index_page(entries: list[ProviderInfo]) -> str:
    """The whole of docs/providers/index.md."""
    head = "| provider | needs | filters | results | asked without being named |\n| --- | --- | --- | --- | --- |"
    toctree = ["```{toctree}", ":hidden:", "", "asking", "writing", *(info.id for info in entries), "```"]
    return "\n".join([_INDEX_HEAD, head, *map(_row, entries), "", *toctree, ""])


def _row(info: ProviderInfo) -> str:
    filters = ", ".join(name for name in FILTERS if name in info.filters) or "–"
    return f"| [{info.name}]({info.id}.md) | {_needs(info)} | {filters} | {info.max_results} | {_automatic(info)} |"


def _needs(info: ProviderInfo) -> str:
    needed = [
        (info.requires_api_key, "key"),
        (info.supports_optional_api_key, "key optional"),
        (info.requires_engine_id, "engine id"),
        (info.requires_base_url, "base URL"),
    ]
    return ", ".join(word for applies, word in needed if applies) or "nothing"


def _automatic(info: ProviderInfo) -> str:
    if info.id == OWN:
        return "first, once configured"
    if not info.automatic or info.state == "retired":
        return "no"
    return "yes" if info.id in KEYLESS or info.id not in KEYED else "once it has a key"


def page(info: ProviderInfo) -> str:
    """The whole page of one provider."""
    return "\n".join([*_introduction(info), *_facts(info), *_settings(info), *_terms(info)])


def _introduction(info: ProviderInfo) -> Iterator[str]:
    yield f"# {info.name}\n"
    yield info.description
    if info.state != "active":
        yield _STATES[info.state].format(successor=info.successor)
    if info.weak:
        yield "It knows a part of the web only: that it finds nothing does not end a search."
    if not info.automatic and info.state == "active":
        yield "It is asked only when it is named, or when `search.order` names it."
    if info.then:
        yield f"Named and without a result, [{info.then}]({info.then}.md) is asked next."
    yield ""
    yield f"Id: `{info.id}`. The vendor's documentation: <{info.docs_url}>\n"


def _facts(info: ProviderInfo) -> Iterator[str]:
    yield "| | |\n| --- | --- |"
    yield f"| needs | {_needs(info)} |"
    yield f"| asked without being named | {_automatic(info)} |"
    yield f"| filters | {_filters(info)} |"
    yield f"| results of one call | at most {info.max_results} |"
    if info.max_query_chars < 2_000:
        yield f"| question | at most {info.max_query_chars} characters; a longer one is cut, with a warning |"
    bounds = info.bounds
    yield f"| time | {bounds.total_s:g} s in all, {bounds.connect_s:g} s to connect |"
    spacing = f", {bounds.spacing_s:g} s from one to the next" if bounds.spacing_s else ""
    yield f"| pace | {bounds.concurrency} at one time{spacing} |"
    yield ""


def _filters(info: ProviderInfo) -> str:
    words = {name: name for name in FILTERS if name in info.filters}
    if "freshness" in words and not info.date_ranges:
        words["freshness"] = "freshness (no ranges of days)"
    if "country" in words and info.countries:
        words["country"] = f"country (one of {len(info.countries)})"
    if "domains" in words:
        words["domains"] = f"domains (at most {info.max_domains} allowed ones)"
    return ", ".join(words.values()) or "none"


def _settings(info: ProviderInfo) -> Iterator[str]:
    if not info.config_fields:
        return
    yield "## Settings\n"
    yield f"In `outrider.toml`, in the table `[search.providers.{info.id}]`:\n"
    yield "| key | what | default | environment |\n| --- | --- | --- | --- |"
    for field in info.config_fields:
        names = ", ".join(f"`{name}`" for name in info.env.get(field.key, ()))
        default = f"`{field.default}`" if field.default else ("required" if field.required else "–")
        yield f"| `{field.key}` | {_about(field)} | {default} | {names or '–'} |"
    yield ""


def _about(field: Field) -> str:
    options = ", ".join(f"`{option.value}`" for option in field.options if option.value)
    parts = [f"{field.label}.", f"One of {options}." if options else "", field.description]
    return " ".join(part for part in parts if part)


def _terms(info: ProviderInfo) -> Iterator[str]:
    terms = info.terms
    yield "## Terms\n"
    kept = f"Answers are kept for at most {terms.cache_s} s." if terms.cache_s else "Answers are not kept."
    yield kept
    if terms.personal_use:
        yield "For personal use; ask the vendor before any commercial one."
    if terms.attribution:
        yield f"Name the source: {terms.attribution}."
    if terms.note:
        yield terms.note
    yield ""


def pages() -> dict[Path, str]:
    """Every generated page by its path."""
    entries = Catalogue().entries()
    return {DOCS / "index.md": index_page(entries)} | {DOCS / f"{info.id}.md": page(info) for info in entries}


def main() -> int:
    """Write the pages, or with `--check` name those that are not current."""
    if sys.argv[1:] == ["--check"]:
        stale = [path for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text]
        known = {*pages(), DOCS / "asking.md", DOCS / "writing.md"}
        stale += [path for path in DOCS.glob("*.md") if path not in known]
        for path in stale:
            print(f"{path} is not what scripts/provider_docs.py writes; run it")
        return 1 if stale else 0
    DOCS.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
