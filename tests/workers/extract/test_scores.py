"""Extraction quality on real pages, against what trafilatura with its default options reaches on the same ones."""

import pytest

from deploy.bench.extraction.pages import baselines
from deploy.bench.extraction.scores import score


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "count"),
    [("article-extraction-benchmark", 90), ("readability", 40), ("newspaper4k", 9), ("trafilatura snippets", 111)],
)
def test_main_text_is_found_as_well_as_by_the_default_cascade(
    extracted_pages, conformance_data, suite: str, count: int
) -> None:
    found = [(page, found.text) for page, found in extracted_pages if page.suite == suite]
    assert len(found) == count
    reached, baseline = score(found), baselines(conformance_data)[suite]
    assert round(reached.f1, 3) >= baseline["f1"], reached
    if suite == "trafilatura snippets":
        assert round(reached.recall, 3) >= baseline["recall"]


@pytest.mark.slow
def test_legacy_pages_keep_their_snippets(extracted_pages, conformance_data) -> None:
    found = [(page, found.text) for page, found in extracted_pages if not page.valid_utf8]
    least = baselines(conformance_data)["trafilatura snippets"]["not_utf8_pages_recall"]
    assert round(score(found).recall, 3) >= least


@pytest.mark.slow
def test_no_real_page_is_taken_for_a_wall(extracted_pages) -> None:
    from schemas.records.outcome import Outcome
    from workers.extract.reader import read_status

    judged = {page.name: read_status(200, Outcome.CAPTURED, found) for page, found in extracted_pages}
    refused = {name: verdict.reason for name, verdict in judged.items() if verdict.reason is not None}
    # Two stubs: one declares its paywall, the other ends in the publisher's members-only notice.
    assert sorted(refused.values()) == ["paywall.declared", "paywall.text"], refused
