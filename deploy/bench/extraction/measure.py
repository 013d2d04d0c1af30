"""Extraction against trafilatura with its default options: the scores first, since a fast wrong text is worth nothing.

Both sides start from the decoded page and read the 250 pages of the suites (mean 139 kB) in one process. The first row
of time ends with the text on both sides; the second with everything that either side says of a page.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import date

import trafilatura

from deploy.bench.extraction.pages import BASELINE, SuitePage, baselines, data_folder, suite_pages
from deploy.bench.extraction.scores import score
from deploy.bench.result import Result
from deploy.bench.timing import compare
from workers.extract.charset import decode_text
from workers.extract.extraction import Extracted, ExtractionRequest
from workers.extract.html import extract_html, main_content, warm_up
from workers.extract.page_tree import parse_page
from workers.extract.pipeline import extract_payload
from workers.extract.plain import clean_text

RETRIEVED_ON = date(2026, 11, 29)
REPEATS = 3


def measure() -> list[Result]:
    """Scores, then times. AssertionError where a score is below the baseline's."""
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # it warns of pages that it finds nothing in
    root = data_folder()
    pages = suite_pages(root)
    results = scores(pages, baselines(root))
    for result in results:
        if not result.holds:
            raise AssertionError(f"{result.name}: {result.value} is below {result.peer_value}; speed means nothing")
    return results + times([decode_text(page.payload, header=None, markup=True).text for page in pages])


def scores(pages: Sequence[SuitePage], reached: dict[str, dict[str, float]]) -> list[Result]:
    """F1 by suite, and of the pages that are not UTF-8 the share of snippets that is found."""
    found = [(page, text_of(page)) for page in pages]
    results = [
        _quality(f"F1 on {suite}", score([each for each in found if each[0].suite == suite]).f1, baseline["f1"])
        for suite, baseline in reached.items()
    ]
    legacy = [each for each in found if not each[0].valid_utf8]
    least = next(each["not_utf8_pages_recall"] for each in reached.values() if "not_utf8_pages_recall" in each)
    return [*results, _quality("recall on pages that are not UTF-8", score(legacy).recall, least)]


def text_of(page: SuitePage) -> str:
    """What a snapshot of the page would hold."""
    request = ExtractionRequest(content_type=page.content_type, retrieved_on=RETRIEVED_ON.isoformat())
    answer = extract_payload(page.payload, request)
    return answer.text if isinstance(answer, Extracted) else ""


def times(sources: Sequence[str]) -> list[Result]:
    """Pages a CPU second, ours and trafilatura's."""
    warm_up()

    def text() -> list[str]:
        documents = [main_content(parse_page(source)) for source in sources]
        return [clean_text(found.text or "") if found else "" for found in documents]

    def everything() -> list[object]:
        return [extract_html(source, latest=RETRIEVED_ON) for source in sources]

    def peer_text() -> list[object]:
        return [trafilatura.extract(source) for source in sources]

    def peer_everything() -> list[object]:
        return [trafilatura.bare_extraction(source, with_metadata=True) for source in sources]

    return [
        _speed("HTML to text", text, peer_text, len(sources)),
        _speed("HTML to text, metadata, links and headings", everything, peer_everything, len(sources)),
    ]


def _quality(name: str, value: float, baseline: float) -> Result:
    """Rounded as the baselines are."""
    value = round(value, 3)
    return Result(name, value, "", BASELINE, baseline, value / baseline, False, 1.0, None)


def _speed(name: str, ours: Callable[[], object], peer: Callable[[], object], pages: int) -> Result:
    found = compare(ours, peer, REPEATS)
    return Result(
        name=name,
        value=pages / found.ours,
        unit="pages/CPU-s",
        peer="trafilatura default",
        peer_value=pages / found.peer,
        ratio=found.ratio,
        lower_is_better=False,
        floor=1.6,
        goal=2.0,
    )
