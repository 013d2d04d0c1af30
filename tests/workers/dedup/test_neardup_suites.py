"""Real near-duplicates with their exact Jaccard similarity, made by others (news, revisions, licences)."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from schemas.records.snapshot import Snapshot
from workers.dedup.bands import band_hashes
from workers.dedup.buckets import pairs_of_band, parted
from workers.dedup.clusters import Edge, partition
from workers.dedup.confirm import OVERLAP, judge
from workers.dedup.fingerprint import Signature, estimate, minhash
from workers.dedup.parameters import BANDS
from workers.dedup.shingles import Shingles, shingle
from workers.dedup.sighting import Sighting, sighting_of
from workers.dedup.sketch import sketches

SUITES = ("news-plagiarism", "revisions", "licence-texts")
Pair = frozenset[str]


@dataclass
class Suite:
    texts: dict[str, str]
    shingles: dict[str, Shingles]
    signatures: dict[str, Signature]
    exact: dict[Pair, float]
    """Listed pairs; every other pair is below 0.02, of news articles below 0.6 (they are no duplicates)."""

    def candidates(self) -> set[Pair]:
        """As bulk clustering finds them, which is what the index on Redis tells."""
        names = sorted(self.signatures)
        values = np.stack([self.signatures[name] for name in names])
        hashes, short, places = band_hashes(values), sketches(values), np.arange(len(names))
        found: set[Pair] = set()
        for band in range(BANDS):
            column = np.ascontiguousarray(hashes[:, band])
            pairs, _ = pairs_of_band(column, places, np.ones(len(names), dtype=np.bool_), short)
            found.update(frozenset((names[a], names[b])) for a, b in zip(*map(list, parted(pairs)), strict=True))
        return found

    def at_least(self, threshold: float) -> set[Pair]:
        return {pair for pair, jaccard in self.exact.items() if jaccard >= threshold}


def load(folder: Path) -> Suite:
    if (folder / "articles.tsv").exists():
        rows = (folder / "articles.tsv").read_text("utf-8").splitlines()
        texts = dict(row.split("\t", 1) for row in rows if "\t" in row)
    else:
        texts = {path.name: path.read_text("utf-8", "replace") for path in sorted(folder.glob("*.txt"))}
    shingles = {name: shingle(text) for name, text in texts.items()}
    return Suite(
        texts,
        shingles,
        {name: minhash(cut.values) for name, cut in shingles.items()},
        {
            frozenset((pair["a"], pair["b"])): pair["jaccard_word5"]
            for pair in json.loads((folder / "pairs.json").read_bytes())
        },
    )


@pytest.fixture(scope="module")
def suites(conformance_data: Path) -> dict[str, Suite]:
    return {name: load(conformance_data / "neardup" / name) for name in SUITES}


@pytest.mark.parametrize("name", SUITES)
def test_our_shingles_give_the_exact_jaccard_that_the_suite_states(name: str, suites: dict[str, Suite]) -> None:
    suite = suites[name]
    for pair, stated in suite.exact.items():
        one, other = (suite.shingles[text].values for text in sorted(pair))
        # The suite lower-cases where we case-fold; a handful of letters differ.
        assert len(one & other) / len(one | other) == pytest.approx(stated, abs=0.002)


@pytest.mark.parametrize("name", SUITES)
def test_sketches_estimate_the_exact_jaccard(name: str, suites: dict[str, Suite]) -> None:
    suite = suites[name]
    errors = []
    for pair, stated in suite.exact.items():
        one, other = (suite.signatures[text] for text in sorted(pair))
        errors.append(estimate(one, other) - stated)
        assert abs(errors[-1]) <= 5 * max(0.01, (stated * (1 - stated) / 128) ** 0.5)
    assert abs(float(np.mean(errors))) < 0.02


@pytest.mark.parametrize(("threshold", "recall"), [(0.7, 0.97), (0.8, 0.99), (0.9, 1.0)])
def test_banding_finds_the_pairs_above_a_threshold(threshold: float, recall: float, suites: dict[str, Suite]) -> None:
    """R054: candidate recall over all three suites."""
    wanted = found = 0
    for suite in suites.values():
        duplicates = suite.at_least(threshold)
        wanted += len(duplicates)
        found += len(duplicates & suite.candidates())
    assert wanted > 100
    assert found / wanted >= recall


def test_planted_rewrites_are_found_and_nothing_else_is(suites: dict[str, Suite]) -> None:
    """Ten pairs in 1,250 articles: all are candidates, and all candidates are among them."""
    suite = suites["news-plagiarism"]
    assert suite.candidates() == set(suite.exact)


@pytest.fixture
def look(new_snapshot: Callable[..., Snapshot]) -> Callable[[str, str], Sighting]:
    def make(name: str, text: str) -> Sighting:
        return sighting_of(text, new_snapshot(text, f"https://{name.lower()}.example/".replace("_", "-")), ())

    return make


@pytest.mark.parametrize("name", SUITES)
def test_confirmation_follows_the_exact_overlap(
    name: str, suites: dict[str, Suite], look: Callable[[str, str], Sighting]
) -> None:
    """R058: precision 1 whatever the candidates, since each is looked at."""
    suite = suites[name]
    seen = {text: look(text, suite.texts[text]) for pair in suite.candidates() for text in pair}
    for pair in suite.candidates():
        one, other = (seen[text] for text in sorted(pair))
        stated = suite.exact.get(pair, 0.0)
        if abs(stated * 1_000_000 - OVERLAP) > 2_000:
            assert judge(one, other).confirmed == (stated * 1_000_000 >= OVERLAP), pair


def test_licences_cluster_by_family(suites: dict[str, Suite]) -> None:
    """Of two families in one cluster there is only the AGPL, which is the GPL but for one section (0.82)."""
    suite = suites["licence-texts"]
    edges = []
    for pair in suite.candidates() & suite.at_least(OVERLAP / 1_000_000):
        one, other = sorted(pair)
        edges.append(Edge(one, other, round(suite.exact[pair] * 1_000_000)))
    families = [sorted({name[4:-4] for name in part.texts}) for part in partition(suite.texts, edges)]
    assert [family for family in families if len(family) > 1] == [["AGPL-3.0", "GPL-3.0"]]
    apache = [part.texts for part in partition(suite.texts, edges) if "Apache" in part.texts[0]]
    # 17 times the full text, a longer one with another project's terms (0.41), and two notices of 80 words.
    assert sorted(map(len, apache)) == [1, 2, 17]


@pytest.mark.parametrize("name", SUITES)
def test_a_hundred_orders_of_real_texts_give_one_partition(
    name: str, suites: dict[str, Suite], look: Callable[[str, str], Sighting]
) -> None:
    """Candidates, verdicts and partition over real texts; the same clusters in a hundred orders."""
    suite = suites[name]
    candidates = suite.candidates()
    seen = {text: look(text, suite.texts[text]) for pair in candidates for text in pair}
    edges = []
    for pair in candidates:
        one, other = sorted(pair)
        verdict = judge(seen[one], seen[other])
        if verdict.confirmed:
            edges.append(Edge(one, other, verdict.figures.shingle_jaccard_ppm))
    texts, shuffled = list(suite.texts), random.Random(11)
    expected = partition(texts, edges)
    assert 1 < len(expected) < len(texts)
    for _ in range(100):
        shuffled.shuffle(texts)
        shuffled.shuffle(edges)
        assert partition(texts, edges) == expected
