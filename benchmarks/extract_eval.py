#!/usr/bin/env python3
"""
Cross-validated quality of the main-content choice.

    python scripts/train_extractor.py BENCHDATA --cache FOLDER --folds-only
    python benchmarks/extract_eval.py BENCHDATA LAB --cache FOLDER

BENCHDATA is the folder with the public pages, LAB the folder with `metrics.py` that judges them, FOLDER what the
training left. Every page is scored with what was learned from other sites; the pieces that the product's own rule keeps
of them are judged.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "scripts")]

from outrider.content import completion, extract, pagetype, segments, selection  # noqa: E402  # after the path
from outrider.content.classifier import probability  # noqa: E402
from outrider.content.features_groups import Surroundings  # noqa: E402
from outrider.content.hints import Labels  # noqa: E402

FLOORS = {
    "article": 0.95,
    "documentation": 0.97,
    "service": 0.85,
    "forum": 0.80,
    "collection": 0.74,
    "listing": 0.82,
    "product": 0.66,
    "all": 0.88,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchdata", type=Path)
    parser.add_argument("lab", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    arguments = parser.parse_args()
    for needed in (arguments.benchdata / "wcxb.jsonl.xz", arguments.lab / "metrics.py", arguments.cache / "folds.npz"):
        if not needed.exists():
            sys.exit(f"NOT MEASURED: {needed} is missing")
    import train_extractor

    items = train_extractor.load_items(arguments.benchdata, arguments.cache)
    report(items, np.load(arguments.cache / "folds.npz"), metrics_of(arguments.lab))


def metrics_of(lab: Path) -> ModuleType:
    """The lab's own metrics."""
    spec = importlib.util.spec_from_file_location("lab_metrics", lab / "metrics.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def report(items: list[Any], folds: Any, metrics: ModuleType) -> None:
    """Print what every set says."""
    by_type: dict[str, list[float]] = defaultdict(list)
    shingles: list[tuple[float, float, float]] = []
    found = required = wrong = 0
    start = 0
    for item in items:
        scores = folds["scores"][start : start + item.pieces]
        types = folds["types"][start].tobytes() if item.pieces else b""
        start += item.pieces
        text = kept_text(item, [float(score) for score in scores], types)
        if item.origin == "wcxb":
            value = metrics.word_prf(text, item.row["text"])[2]
            by_type[item.type].append(value)
            by_type["all"].append(value)
        elif item.origin == "scrapinghub":
            shingles.append(metrics.shingle_counts(text, item.row["text"]))
        else:
            found += metrics.found(text, item.row["with"])
            required += len(item.row["with"])
            wrong += metrics.found(text, item.row["without"])
    for name in (*pagetype.TYPES, "all"):
        print(f"WCXB {name:14} n={len(by_type[name]):5}  word F1 {fmean(by_type[name]):.4f}  (floor {FLOORS[name]})")
    print("scrapinghub shingle P {:.4f} R {:.4f} F1 {:.4f}  (floor 0.970)".format(*metrics.shingle_set(shingles)))
    precision, recall = found / (found + wrong), found / required
    both = 2 * precision * recall / (precision + recall)
    print(f"trafeval P {precision:.4f} R {recall:.4f} F1 {both:.4f}  (floor 0.915)")


def kept_text(item: Any, scores: list[float], types: bytes) -> str:
    """The text of the pieces that are kept."""
    if not scores:
        return ""
    pieces = segments.segment(item.tree, Labels({}, {}))
    if extract.is_shell(scores, pieces):
        return ""
    kinds = Surroundings(pieces).kinds
    heard = selection.hush(scores, pieces, types)
    settled = selection.settle(heard, [kinds[key] for key in pieces.containers], pieces.words, types)
    chosen = selection.select([probability(score) for score in settled], pieces.words, types)
    kept = completion.without_copies(completion.complete(chosen, pieces), pieces, types)
    return "\n".join(text for text, keep in zip(pieces.texts, kept, strict=True) if keep)


if __name__ == "__main__":
    main()
