"""The near-duplicate suites of the conformance data: what candidates and estimates find at .7, .8 and .9.

A pair is told at a threshold where it is a candidate and its estimate (all 128 values) reaches it; what is right is
the exact Jaccard similarity that the suite states. `python -m deploy.bench neardup`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from deploy.bench.duplicates.accuracy import candidates
from deploy.bench.extraction.pages import data_folder
from deploy.bench.result import Result
from workers.dedup.cuts import cut
from workers.dedup.fingerprint import estimate
from workers.dedup.minhash import Signature, minima

SUITES = ("news-plagiarism", "revisions", "licence-texts")
THRESHOLDS = (0.7, 0.8, 0.9)
Pair = frozenset[str]


@dataclass(frozen=True)
class Suite:
    texts: dict[str, str]
    exact: dict[Pair, float]
    """Pairs that the suite lists; all others are below .02, of news articles no duplicates."""


def measure() -> list[Result]:
    """Precision and recall over all three suites, and how far estimates are from the exact similarity."""
    suites = [suite_of(data_folder() / "neardup" / name) for name in SUITES]
    told, exact, errors = {}, {}, []
    for number, suite in enumerate(suites):
        names = sorted(suite.texts)
        signatures = dict(zip(names, minima([cut(suite.texts[name]) for name in names]), strict=True))
        for one, other in candidates([suite.texts[name] for name in names]):
            pair = frozenset((names[one], names[other]))
            told[number, pair] = _estimated(signatures, pair)
        for pair, jaccard in suite.exact.items():
            exact[number, pair] = jaccard
            errors.append(abs(_estimated(signatures, pair) - jaccard))
    results = [_alone(f"suites: mean error of {len(errors)} estimates", mean(errors), 0.04, lower_is_better=True)]
    for threshold in THRESHOLDS:
        found = {pair for pair, jaccard in told.items() if jaccard >= threshold}
        wanted = {pair for pair, jaccard in exact.items() if jaccard >= threshold}
        candidates_of = wanted & told.keys()
        results += [
            _alone(
                f"suites: {len(wanted)} pairs at {threshold}, recall of candidates",
                len(candidates_of) / len(wanted),
                0.97,
            ),
            _alone(f"suites: precision at {threshold}, by estimate", len(found & wanted) / len(found), None),
            _alone(f"suites: recall at {threshold}, by estimate", len(found & wanted) / len(wanted), None),
        ]
    return results


def suite_of(folder: Path) -> Suite:
    """A suite as its folder holds it."""
    articles = folder / "articles.tsv"
    if articles.exists():
        rows = articles.read_text("utf-8").splitlines()
        texts = dict(row.split("\t", 1) for row in rows if "\t" in row)
    else:
        texts = {path.name: path.read_text("utf-8", "replace") for path in sorted(folder.glob("*.txt"))}
    listed = json.loads((folder / "pairs.json").read_bytes())
    return Suite(texts, {frozenset((pair["a"], pair["b"])): pair["jaccard_word5"] for pair in listed})


def _estimated(signatures: dict[str, Signature], pair: Pair) -> float:
    one, other = sorted(pair)
    return estimate(signatures[one], signatures[other])


def _alone(name: str, value: float, floor: float | None, *, lower_is_better: bool = False) -> Result:
    return Result(name, value, "", None, None, None, lower_is_better, floor, None)
