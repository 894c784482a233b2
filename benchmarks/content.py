"""
Extraction beside other extractors: how much of a page's main content each finds, and what it costs.

The pages of `content_pages/` were written for this: every page type, with the usual things around the content. What
counts as content stands between the comments `<!--main-->` and `<!--/main-->`, which no extractor looks at.

    python benchmarks/content.py                       ours and every peer that is installed
    python benchmarks/content.py --check               ours alone, held to the floors below; for CI
    python benchmarks/content.py --data FOLDER         also the pages of FOLDER/wcxb.jsonl.xz, a sample of --limit

A word F1 is the overlap of the words of what was found with the words of the content, each word as often as it stands
there. Time is CPU time of this process, so that other load on the machine counts little.
"""

from __future__ import annotations

import argparse
import html
import importlib
import json
import lzma
import random
import re
import statistics
import sys
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from outrider.content.converter import convert

PAGES = Path(__file__).parent / "content_pages"
URL = "https://example.org/page"
ROUNDS = 3

# Held by --check on the shipped pages. They may only rise.
FLOORS = {
    "article": 0.97,
    "collection": 0.94,
    "docs": 0.97,
    "forum": 0.94,
    "listing": 0.96,
    "product": 0.95,
    "service": 0.97,
}

_MAIN = re.compile(r"<!--main-->(.*?)<!--/main-->", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_WORD = re.compile(r"\w+")

Extract = Callable[[bytes, str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page and the words of its content."""

    kind: str
    url: str
    body: bytes
    words: Counter[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How an extractor did on one page."""

    kind: str
    f1: float
    cpu_ms: float


def ours(body: bytes, url: str) -> str:
    """The text that Outrider finds."""
    return convert(body, url=url, content_type="text/html").text


def _trafilatura() -> Extract:
    trafilatura = importlib.import_module("trafilatura")

    def extract(body: bytes, url: str) -> str:
        found = trafilatura.extract(
            body, url=url, output_format="markdown", include_links=True, include_formatting=True, include_images=True
        )
        return _LINK.sub(r"\1", found or "")

    return extract


# The address of a Markdown link is no content.
_LINK = re.compile(r"(\[[^\]]*\])\([^)]*\)")


def _readability() -> Extract:
    readability = importlib.import_module("readability")

    def extract(body: bytes, _url: str) -> str:
        summary = readability.Document(body.decode("utf-8", "replace")).summary()
        return html.unescape(_TAG.sub(" ", summary))

    return extract


def _resiliparse() -> Extract:
    html2text = importlib.import_module("resiliparse.extract.html2text")

    def extract(body: bytes, _url: str) -> str:
        return str(html2text.extract_plain_text(body.decode("utf-8", "replace"), main_content=True))

    return extract


def _justext() -> Extract:
    justext = importlib.import_module("justext")

    stop_words = justext.get_stoplist("English")

    def extract(body: bytes, _url: str) -> str:
        return "\n".join(part.text for part in justext.justext(body, stop_words) if not part.is_boilerplate)

    return extract


PEERS: dict[str, Callable[[], Extract]] = {
    "trafilatura": _trafilatura,
    "readability-lxml": _readability,
    "resiliparse": _resiliparse,
    "justext": _justext,
}


def shipped() -> list[Page]:
    """The pages of this folder."""
    pages = []
    for path in sorted(PAGES.glob("*.html")):
        text = path.read_text(encoding="utf-8")
        content = " ".join(html.unescape(_TAG.sub(" ", part)) for part in _MAIN.findall(text))
        pages.append(Page(kind=path.stem.partition("-")[0], url=URL, body=text.encode(), words=_words(content)))
    return pages


def development(folder: Path, limit: int) -> list[Page]:
    """A fixed sample of the pages of a data folder."""
    with lzma.open(folder / "wcxb.jsonl.xz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = random.Random(11).sample(rows, min(limit, len(rows)))
    return [Page(kind=row["type"], url=row["url"], body=_body(row), words=_words(row["text"] or "")) for row in rows]


def _body(row: dict[str, str]) -> bytes:
    return row["html"].encode() if "html" in row else b64decode(row["html_b64"])


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def _f1(found: Counter[str], wanted: Counter[str]) -> float:
    both = (found & wanted).total()
    return 2 * both / (found.total() + wanted.total()) if both else float(found == wanted)


def scores(extract: Extract, pages: list[Page]) -> Iterator[Score]:
    """The scores of an extractor, page by page."""
    for page in pages:
        times = []
        text = ""
        for _ in range(ROUNDS):
            start = time.process_time()
            text = extract(page.body, page.url)
            times.append(1000 * (time.process_time() - start))
        yield Score(kind=page.kind, f1=_f1(_words(text), page.words), cpu_ms=statistics.median(times))


def by_kind(found: list[Score]) -> dict[str, float]:
    """The mean word F1 of each page type."""
    kinds = sorted({score.kind for score in found})
    return {kind: statistics.fmean(score.f1 for score in found if score.kind == kind) for kind in kinds}


def compare(pages: list[Page], extractors: dict[str, Extract]) -> None:
    """Print a table: a row for each extractor."""
    kinds = sorted({page.kind for page in pages})
    print(f"{'':18} {'F1':>6} " + " ".join(f"{kind[:10]:>10}" for kind in kinds) + f" {'ms/page':>8}")
    for name, extract in extractors.items():
        list(scores(extract, pages[:1]))  # imports and tables are loaded before anything is timed
        found = list(scores(extract, pages))
        means = by_kind(found)
        mean, cpu_ms = statistics.fmean(means.values()), statistics.fmean(score.cpu_ms for score in found)
        print(
            f"{name:18} {mean:6.3f} " + " ".join(f"{means[kind]:10.3f}" for kind in kinds) + f" {cpu_ms:8.2f}",
            flush=True,
        )


def installed() -> dict[str, Extract]:
    """Ours and every peer that can be imported; says which cannot."""
    extractors: dict[str, Extract] = {"outrider": ours}
    for name, load in PEERS.items():
        try:
            extractors[name] = load()
        except ImportError:
            print(f"MISSING: {name} is not installed and has no row (pip install {name})")
    return extractors


def check() -> int:
    """Hold ours to the floors; answers the exit status."""
    means = by_kind(list(scores(ours, shipped())))
    low = {kind: mean for kind, mean in means.items() if mean < FLOORS[kind]}
    for kind, mean in means.items():
        print(f"{kind:12} {mean:.3f}  floor {FLOORS[kind]:.3f}{'  BELOW' if kind in low else ''}")
    return 1 if low else 0


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="hold ours to the floors")
    parser.add_argument("--data", type=Path, help="a folder with wcxb.jsonl.xz")
    parser.add_argument("--limit", type=int, default=100, help="how many pages of it")
    options = parser.parse_args()
    if options.check:
        return check()
    extractors = installed()
    print("\npages of this repository")
    compare(shipped(), extractors)
    if options.data:
        print(
            f"\n{options.limit} pages of {options.data} (ours was trained on such pages; see docs for held-out figures)"
        )
        compare(development(options.data, options.limit), extractors)
    return 0


if __name__ == "__main__":
    sys.exit(main())
