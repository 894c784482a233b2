#!/usr/bin/env python3
"""
Train the model of the main-content choice and write `src/outrider/content/extract_model.json.gz`.

    python scripts/train_extractor.py BENCHDATA --cache FOLDER [--folds-only | --final-only]

BENCHDATA holds `wcxb.jsonl.xz`, `scrapinghub.jsonl.xz` and `trafeval.jsonl.xz` as its README describes them. Needs
numpy, scipy, scikit-learn and catboost, which the product itself does not. Pages are folded by site: what is learned
from a page, or from another page of its site, never scores it. `--cache` keeps what takes long; the out-of-fold scores
there (`folds.npz`) are what `benchmarks/extract_eval.py` judges.

The words that describe pages (`lexicon`, `types`) are learned apart for each fold, then trees are learned from pages so
described. The words of a page that trees are learned from may thus have seen the held fold; the page that is scored has
never been seen by either.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import lzma
import pickle
import time
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import extractor_labels
import numpy as np
import scipy.sparse as sp
from catboost import CatBoostClassifier, Pool
from sklearn.linear_model import LogisticRegression, SGDClassifier

from outrider.content import (
    charset,
    clean,
    dom,
    embedded,
    features,
    features_own,
    math,
    pagehead,
    pagetype,
    reveal,
    segments,
)
from outrider.content.hints import Labels

FOLDS = 5
SETS = ("wcxb", "scrapinghub", "trafeval")
UNIT = 1 / 32
MODEL = Path(__file__).parent.parent / "src/outrider/content/extract_model.json.gz"
# Rare types count more: each must be read well, and the mean over pages is mostly articles.
TYPE_WEIGHTS = {
    "article": 1.0,
    "documentation": 1.3,
    "service": 1.5,
    "forum": 1.5,
    "collection": 2.0,
    "listing": 2.0,
    "product": 2.0,
}
OTHER_WEIGHTS = {"scrapinghub": 2.5, "trafeval": 0.9}
# Trees that differ by chance only are wrong about different pages: the mean of two forests is steadier than either.
SEEDS = (1, 2)
MOST_PIECES = 220
"""Sampled from a page for training."""
_SECOND_LEVEL = {"co", "com", "org", "net", "gov", "ac", "edu"}


@dataclass(slots=True)
class Item:
    """A page with what is known about it."""

    origin: str
    id: str
    url: str
    type: str
    fold: int
    tree: dom.Tree
    pieces: int
    labels: list[float]
    counts: list[Counter[str]]
    reference: Counter[str] | None
    row: dict[str, Any] = field(repr=False)


def main() -> None:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchdata", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folds-only", action="store_true")
    parser.add_argument("--final-only", action="store_true")
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    items = load_items(arguments.benchdata, arguments.cache)
    words = Words(items)
    learn(items, words, arguments)


# Pages and labels.


def site(url: str) -> str:
    """The registrable domain, near enough."""
    parts = (urlsplit(url).hostname or url).split(".")
    if len(parts) >= 3 and parts[-2] in _SECOND_LEVEL and len(parts[-1]) == 2:
        return ".".join(parts[-3:])
    return ".".join(parts[-2:])


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a set; the page as bytes under `body`."""
    rows = []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            row["body"] = base64.b64decode(row.pop("html_b64")) if "html_b64" in row else row.pop("html").encode()
            rows.append(row)
    return rows


def read_page(body: bytes) -> dom.Tree:
    """A page as the product sees it when it chooses."""
    tree, _ = embedded.unfold(dom.parse(charset.decode(body, declared="", markup="html").text))
    formulas = math.find(tree) if math.may_hold(tree) else {}
    clean.clean(tree, shown=frozenset(formulas))
    reveal.reveal(tree)
    return tree


def load_items(benchdata: Path, cache: Path) -> list[Item]:
    """All pages with pieces, labelled; kept in the cache."""
    kept = cache / "items.pkl"
    if kept.exists():
        loaded: list[Item] = pickle.loads(kept.read_bytes())  # noqa: S301  # our own file
        return loaded
    items = [make_item(name, row) for name in SETS for row in read_rows(benchdata / f"{name}.jsonl.xz")]
    kept.write_bytes(pickle.dumps(items, protocol=5))
    return items


def make_item(name: str, row: dict[str, Any]) -> Item:
    """One page, labelled."""
    tree = read_page(row.pop("body"))
    pieces = segments.segment(tree, Labels({}, {}))
    tokens = [extractor_labels.tokens(text) for text in pieces.texts]
    url = row["url"] or ""
    if name == "trafeval":
        labels, reference = extractor_labels.from_segments(pieces.texts, row["with"], row["without"]), None
    else:
        expected = extractor_labels.tokens(row["text"])
        labels, reference = extractor_labels.align(tokens, expected), Counter(expected)
    return Item(
        origin=name,
        id=row["id"],
        url=url,
        type=row["type"],
        fold=zlib.crc32(site(url or row["id"]).encode()) % FOLDS,
        tree=tree,
        pieces=len(pieces),
        labels=labels,
        counts=[Counter(found) for found in tokens],
        reference=reference,
        row=row,
    )


def piece_weights(item: Item) -> np.ndarray:
    """How much each piece matters: its share of the words that should be kept."""
    sizes = np.array([sum(count.values()) for count in item.counts], float)
    if item.reference is not None:
        return np.minimum(sizes / (sum(item.reference.values()) + 50.0), 0.3) * 50
    return np.where(np.array(item.labels) >= 0, np.minimum(sizes, 60) / 60, 0.0)


# Words: weights of names and texts, and the type of page.


class Words:
    """The words of all pages as sparse matrices."""

    def __init__(self, items: list[Item]) -> None:
        started = time.time()
        self.items = items
        self.names, self.matrix = self._pieces()
        self.y = np.concatenate([np.array(item.labels) for item in items])
        self.w = np.concatenate([piece_weights(item) for item in items])
        self.fold = np.concatenate([np.full(item.pieces, item.fold) for item in items])
        self.page_names, self.page_matrix, self.page_measures = self._pages()
        print(f"words: {self.matrix.shape} and {self.page_matrix.shape}, {time.time() - started:.0f} s", flush=True)

    def _pieces(self) -> tuple[list[str], sp.csr_matrix]:
        known: dict[str, int] = {}
        sites: dict[int, set[str]] = defaultdict(set)
        starts, indices, values = [0], [], []
        for item in self.items:
            where = site(item.url or item.id)
            for found in piece_words(item.tree):
                for word, value in found.items():
                    number = known.setdefault(word, len(known))
                    sites[number].add(where)
                    indices.append(number)
                    values.append(value)
                starts.append(len(indices))
        names = list(known)
        matrix = sp.csr_matrix(
            (np.array(values, np.float32), np.array(indices, np.int32), np.array(starts)),
            shape=(len(starts) - 1, len(names)),
        )
        kept = [number for number, name in enumerate(names) if len(sites[number]) >= (6 if name[0] in "oa" else 8)]
        return [names[number] for number in kept], matrix[:, kept].tocsr()

    def _pages(self) -> tuple[list[str], sp.csr_matrix, np.ndarray]:
        known: dict[str, int] = {}
        starts, indices, measures = [0], list[int](), list[list[int]]()
        for item in self.items:
            pieces = segments.segment(item.tree, Labels({}, {}))
            head = pagehead.declared(item.tree, item.url)
            indices.extend(known.setdefault(word, len(known)) for word in sorted(pagetype.page_words(pieces, head)))
            starts.append(len(indices))
            measures.append(list(pagetype.page_measures(pieces, head, features.paragraphs(pieces))))
        names = list(known)
        matrix = sp.csr_matrix(
            (np.ones(len(indices), np.float32), np.array(indices, np.int32), np.array(starts)),
            shape=(len(starts) - 1, len(names)),
        )
        typed = np.array([item.origin == "wcxb" for item in self.items])
        kept = np.flatnonzero(np.asarray((matrix[typed] > 0).sum(0)).ravel() >= 15)
        return [names[number] for number in kept], matrix[:, kept].tocsr(), np.array(measures, float)

    def lexicon(self, without: int) -> dict[str, dict[str, int]]:
        """Weights learned from all folds but one, in steps."""
        mask = (self.fold != without) & (self.y >= 0) & (self.w > 0)
        weight = self.w[mask] ** 0.6
        learner = SGDClassifier(loss="log_loss", alpha=3e-4, max_iter=6, tol=None, average=True, random_state=0)
        learner.fit(self.matrix[mask], (self.y[mask] >= 0.5).astype(int), sample_weight=weight / weight.mean())
        groups = {"o": "own", "a": "above", "s": "short", "m": "middle", "l": "long"}
        found: dict[str, dict[str, int]] = {name: {} for name in groups.values()}
        for name, value in zip(self.names, learner.coef_[0], strict=True):
            steps = round(float(value) / UNIT)
            if steps:
                found[groups[name[0]]][name[2:]] = steps
        return found

    def types(self, without: int) -> dict[str, Any]:
        """The model of page types learned from all folds but one."""
        folds = np.array([item.fold for item in self.items])
        mask = np.array([item.origin == "wcxb" for item in self.items]) & (folds != without)
        mean, deviation = self.page_measures[mask].mean(0), self.page_measures[mask].std(0) + 1e-6
        norms = np.asarray(np.sqrt(self.page_matrix.sum(1))).ravel()
        scaled = sp.diags(5.0 / np.maximum(norms, 1)) @ self.page_matrix
        whole = sp.hstack([scaled, (self.page_measures - mean) / deviation * 0.5]).tocsr()
        learner = LogisticRegression(C=0.5, max_iter=400, class_weight="balanced")
        learner.fit(whole[mask], np.array([item.type for item in self.items])[mask])
        assert tuple(learner.classes_) == pagetype.TYPES
        steps = np.round(learner.coef_[:, : len(self.page_names)].T / UNIT).astype(int)
        return {
            "words": {name: row.tolist() for name, row in zip(self.page_names, steps, strict=True) if row.any()},
            "means": [round(float(value), 4) for value in mean],
            "deviations": [round(float(value), 4) for value in deviation],
            "measures": [
                [round(float(value), 4) for value in row] for row in learner.coef_[:, len(self.page_names) :].T
            ],
            "bias": [round(float(value), 4) for value in learner.intercept_],
        }


def piece_words(tree: dom.Tree) -> list[dict[str, float]]:
    """For each piece the words that may speak for it, each with a letter for its place."""
    pieces = segments.segment(tree, Labels({}, {}))
    around: dict[int, dict[str, int]] = {}

    def names_around(key: int) -> dict[str, int]:
        path = []
        while key >= 0 and key not in around:
            path.append(key)
            key = tree.parents[key]
        held = around[key] if key >= 0 else {}
        for below in reversed(path):
            held = dict(held)
            for part in sorted(pieces.labels[below].parts):
                held[f"a:{part}"] = held.get(f"a:{part}", 0) + 1
            around[below] = held
        return held

    found = []
    for at, spoken in enumerate(pieces.spoken):
        parent, container = pieces.parents[at], pieces.containers[at]
        words: dict[str, float] = dict(names_around(parent))
        inner, outer = pieces.labels[parent], pieces.labels[container]
        for label in (inner,) if inner is outer else (inner, outer):
            for part in sorted(label.parts):
                words[f"o:{part}"] = words.get(f"o:{part}", 0) + 1
        length = features_own.length_class(pieces.words[at])
        for word in spoken:
            name = f"{'sml'[length]}:{word}"
            words[name] = words.get(name, 0) + len(spoken) ** -0.5
        found.append(words)
    return found


# Trees.


def describe(items: list[Item], models: dict[int, tuple[features.Lexicon, pagetype.TypeModel]]) -> np.ndarray:
    """The columns of all pieces, each page with the words of the models that did not see its fold."""
    from outrider.content.columns import width  # the product's own order of columns

    parts = []
    for item in items:
        lexicon, types = models[item.fold]
        sheet = features.describe(item.tree, url=item.url, lexicon=lexicon, types=types)
        if len(sheet.pieces):
            parts.append(np.frombuffer(b"".join(sheet.columns), np.uint8).reshape(-1, len(sheet.pieces)).T)
    described = np.vstack(parts)
    start = features.OWN_FEATURES
    bits = np.unpackbits(described[:, start : start + features.BIT_FEATURES], axis=1, bitorder="little")
    # The bits are asked about one by one, never the bytes that hold them.
    described[:, start : start + features.BIT_FEATURES] = 0
    columns = np.hstack([described, bits])
    assert columns.shape[1] == width(described.shape[1])
    return columns


def sample(items: list[Item]) -> tuple[np.ndarray, np.ndarray]:
    """Which pieces are learned from, and how many others each stands for."""
    chance_of = np.random.default_rng(0)
    masks, factors = [], []
    for item in items:
        mask, factor = np.ones(item.pieces, bool), np.ones(item.pieces)
        if item.pieces > MOST_PIECES:
            chance = np.array([sum(count.values()) for count in item.counts], float) ** 0.5 + 0.3
            for _ in range(6):
                chance = np.minimum(1, chance * MOST_PIECES / chance.sum())
            mask, factor = chance_of.random(item.pieces) < chance, 1 / np.maximum(chance, 1e-3)
        masks.append(mask)
        factors.append(factor)
    return np.concatenate(masks), np.concatenate(factors)


def page_weight(item: Item) -> float:
    """How much a page counts."""
    return TYPE_WEIGHTS[item.type] if item.origin == "wcxb" else OTHER_WEIGHTS[item.origin]


def fit(
    columns: np.ndarray, words: Words, items: list[Item], without: int, threads: int, **options: Any
) -> list[CatBoostClassifier]:
    """Forests learned from all folds but one; their mean counts."""
    mask, factor = sample(items)
    mask &= (words.fold != without) & (words.y >= 0) & (words.w > 0)
    weight = words.w**0.8 * factor * np.concatenate([np.full(item.pieces, page_weight(item)) for item in items])
    settings: dict[str, Any] = {
        "iterations": 300, "depth": 6, "learning_rate": 0.1, "border_count": 32, "l2_leaf_reg": 10, "rsm": 0.2,
        "loss_function": "CrossEntropy", "thread_count": threads, "verbose": 0,
    }  # fmt: skip
    pool = Pool(columns[mask], np.clip(words.y[mask], 0, 1), weight=weight[mask])
    learners = [CatBoostClassifier(**(settings | options), random_seed=seed) for seed in SEEDS]
    for learner in learners:
        learner.fit(pool)
    return learners


def learn(items: list[Item], words: Words, arguments: argparse.Namespace) -> None:
    """Write the model, learned from everything; then score each page with what was learned from other sites."""
    from outrider.content import extract_model

    # The words that describe a page must not have been learned from its site, or the trees would trust them too much.
    models = {}
    for fold in range(FOLDS):
        model = extract_model.read(word_models(words, fold) | {"forest": EMPTY_FOREST})
        models[fold] = model.lexicon, model.types
    started = time.time()
    columns = describe(items, models)
    np.save(arguments.cache / "columns.npy", columns)
    print(f"columns: {columns.shape}, {time.time() - started:.0f} s", flush=True)
    if not arguments.folds_only:
        learners = fit(columns, words, items, -1, arguments.threads)
        write(word_models(words, -1) | {"forest": export(learners, arguments.cache)})
    if not arguments.final_only:
        cross_validate(columns, items, words, arguments)


def word_models(words: Words, without: int) -> dict[str, Any]:
    """What is learned of words from all folds but one, as it is stored."""
    return {"unit": UNIT, "lexicon": words.lexicon(without), "types": words.types(without)}


def write(stored: dict[str, Any]) -> None:
    """Write the model's file."""
    packed = json.dumps(stored, separators=(",", ":"), ensure_ascii=False, sort_keys=True).encode()
    # Whoever reads the model meanwhile gets the old one or the new one.
    fresh = MODEL.with_suffix(".new")
    fresh.write_bytes(gzip.compress(packed, 9, mtime=0))
    fresh.replace(MODEL)
    print(f"{MODEL.name}: {MODEL.stat().st_size} bytes", flush=True)


def cross_validate(columns: np.ndarray, items: list[Item], words: Words, arguments: argparse.Namespace) -> None:
    """Keep each page's scores by trees that never saw its site."""
    scores = np.zeros(len(columns), np.float32)
    for fold in range(FOLDS):
        started = time.time()
        learners = fit(columns, words, items, fold, arguments.threads)
        held = words.fold == fold
        scores[held] = np.mean([one.predict(columns[held], prediction_type="RawFormulaVal") for one in learners], 0)
        print(f"fold {fold}: {time.time() - started:.0f} s", flush=True)
    start = features.types_at(columns.shape[1])
    np.savez(
        arguments.cache / "folds.npz",
        scores=scores,
        types=columns[:, start : start + len(pagetype.TYPES)],
        pieces=np.array([item.pieces for item in items]),
        ids=np.array([f"{item.origin}:{item.id}" for item in items]),
    )


EMPTY_FOREST: dict[str, Any] = {"questions": [], "trees": [], "leaves": "", "scale": 1.0, "bias": 0.0}


def export(learners: list[CatBoostClassifier], cache: Path) -> dict[str, Any]:
    """Forests as the one that `outrider.content.extract_model.forest` reads."""
    numbers: dict[tuple[int, int], int] = {}
    trees, values, bias = [], [], 0.0
    for learner in learners:
        told = told_by(learner, cache / "trees.json")
        factor, offset = told["scale_and_bias"][0], told["scale_and_bias"][1][0]
        bias += offset / len(learners)
        for tree in told["oblivious_trees"]:
            asked = []
            for split in tree["splits"]:
                question = (split["float_feature_index"], int(split["border"]))
                asked.append(numbers.setdefault(question, len(numbers)))
            trees.append(asked)
            values.append(np.array(tree["leaf_values"]) * factor / len(learners))
    low = min(float(leaves.min()) for leaves in values)
    step = (max(float(leaves.max()) for leaves in values) - low) / 255
    leaves = b"".join(bytes(np.round((found - low) / step).astype(int).tolist()) for found in values)
    return {
        "questions": [list(question) for question in numbers],
        "trees": trees,
        "leaves": base64.b64encode(leaves).decode(),
        "scale": step,
        "bias": bias + low * len(trees),
    }


def told_by(learner: CatBoostClassifier, path: Path) -> dict[str, Any]:
    """A forest as its library writes it down."""
    learner.save_model(str(path), format="json")
    told: dict[str, Any] = json.loads(path.read_text())
    return told


if __name__ == "__main__":
    # As a module of this name, so that what is kept in the cache can be read by others.
    import train_extractor

    train_extractor.main()
