"""Pages to extract: the real ones of the conformance data, and a sandbox that the whole run shares."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.bench.extraction import pages
from deploy.bench.extraction.pages import SuitePage
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.pipeline import extract_payload
from workers.extract.sandbox import Sandbox

RETRIEVED_ON = "2026-11-29"


@pytest.fixture(scope="session")
def suite_pages(conformance_data: Path) -> list[SuitePage]:
    """All 250 pages of the four suites."""
    return pages.suite_pages(conformance_data)


@pytest.fixture(scope="session")
def extracted_pages(suite_pages: list[SuitePage]) -> list[tuple[SuitePage, Extracted | NotExtracted]]:
    """Every page of the suites with its extraction, made once (some ten seconds)."""
    return [
        (
            page,
            extract_payload(page.payload, ExtractionRequest(content_type=page.content_type, retrieved_on=RETRIEVED_ON)),
        )
        for page in suite_pages
    ]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox with its default limits."""
    box = Sandbox()
    yield box
    box.close()
