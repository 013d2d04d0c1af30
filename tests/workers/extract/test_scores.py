"""Extraction quality on real pages, against what trafilatura with its default options reaches on the same ones.

Texts are compared by 4-grams of words as multisets, each page's counts brought to a sum of one, and
precision and recall averaged over pages (the method of the article extraction benchmark). Snippets are
counted: a wanted one that is found is a true positive, an unwanted one a false positive.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import pytest

WORD = re.compile(r"\w+")
NGRAM = 4
BASELINE = "trafilatura 2.3.1 default (run here)"


def shingles(text: str) -> Counter[tuple[str, ...]]:
    words = WORD.findall(text)
    return Counter(tuple(words[i : i + NGRAM]) for i in range(max(1, len(words) - NGRAM + 1))) if words else Counter()


def overlap(expected: str, found: str) -> tuple[float, float, float]:
    """True positives, false positives and false negatives, as shares."""
    wanted, got = shingles(expected), shingles(found)
    counts = (wanted & got).total(), (got - wanted).total(), (wanted - got).total()
    return tuple(count / max(1, sum(counts)) for count in counts)  # type: ignore[return-value]


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)


def score(overlaps: Sequence[tuple[float, float, float]]) -> dict[str, float]:
    precision = mean(1.0 if wrong == missed == 0 else right / (right + wrong or 1) for right, wrong, missed in overlaps)
    recall = mean(1.0 if wrong == missed == 0 else right / (right + missed or 1) for right, wrong, missed in overlaps)
    return {"precision": precision, "recall": recall, "f1": f1(precision, recall)}


@pytest.fixture(scope="module")
def baselines(conformance_data: Path) -> dict[str, dict[str, float]]:
    """Of the default cascade, by suite."""
    stored = json.loads((conformance_data / "extraction/BASELINES.json").read_text())
    return {suite: values[BASELINE] for suite, values in stored.items() if BASELINE in values}


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["article-extraction-benchmark", "readability", "newspaper4k"])
def test_main_text_is_found_as_well_as_by_the_default_cascade(extracted_pages, baselines, suite: str) -> None:
    pairs = [(page, found) for page, found in extracted_pages if page.suite == suite]
    assert len(pairs) in (90, 40, 9)
    reached = score([overlap(page.expected, found.text) for page, found in pairs])
    assert round(reached["f1"], 3) >= baselines[suite]["f1"], reached


@pytest.mark.slow
def test_snippets_are_found_as_well_as_by_the_default_cascade(extracted_pages, baselines) -> None:
    pairs = [(page, found.text) for page, found in extracted_pages if page.suite == "trafilatura snippets"]
    assert len(pairs) == 111
    right = sum(snippet in text for page, text in pairs for snippet in page.present)
    wanted = sum(len(page.present) for page, _ in pairs)
    wrong = sum(snippet in text for page, text in pairs for snippet in page.absent)
    precision, recall = right / (right + wrong), right / wanted
    baseline = baselines["trafilatura snippets"]
    assert round(f1(precision, recall), 3) >= baseline["f1"], (precision, recall)
    assert round(recall, 3) >= baseline["recall"]


@pytest.mark.slow
def test_legacy_pages_keep_their_snippets(extracted_pages, baselines) -> None:
    pairs = [(page, found.text) for page, found in extracted_pages if not page.valid_utf8]
    found = sum(snippet in text for page, text in pairs for snippet in page.present)
    wanted = sum(len(page.present) for page, _ in pairs)
    assert round(found / wanted, 3) >= baselines["trafilatura snippets"]["not_utf8_pages_recall"]


@pytest.mark.slow
def test_no_real_page_is_taken_for_a_wall(extracted_pages) -> None:
    from schemas.records.outcome import Outcome
    from workers.extract.reader import read_status

    judged = {page.name: read_status(200, Outcome.CAPTURED, found) for page, found in extracted_pages}
    refused = {name: verdict.reason for name, verdict in judged.items() if verdict.reason is not None}
    # Two stubs: one declares its paywall, the other ends in the publisher's members-only notice.
    assert sorted(refused.values()) == ["paywall.declared", "paywall.text"], refused
