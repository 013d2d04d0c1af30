"""Pages to extract: the real ones of the conformance data, and a sandbox that the whole run shares."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lxml import html

from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.pipeline import extract_payload
from workers.extract.sandbox import Sandbox

RETRIEVED_ON = "2026-11-29"


@dataclass(frozen=True)
class SuitePage:
    """A page of a suite with what the suite expects. `expected` is the main text, where the suite has one."""

    suite: str
    name: str
    payload: bytes
    content_type: str
    expected: str | None = None
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    valid_utf8: bool = True


@pytest.fixture(scope="session")
def suite_pages(conformance_data: Path) -> list[SuitePage]:
    """All 250 pages of the four suites."""
    folder = conformance_data / "extraction"
    pages = []
    truth = json.loads((folder / "article-extraction-benchmark/ground-truth.json").read_text("utf-8"))
    for name, entry in truth.items():
        payload = gzip.decompress((folder / f"article-extraction-benchmark/html/{name}.html.gz").read_bytes())
        pages.append(SuitePage("article-extraction-benchmark", name, payload, "text/html", entry["articleBody"]))
    snippets = json.loads((folder / "trafilatura/evaldata.json").read_text("utf-8"))
    for entry in snippets.values():
        payload = (folder / "trafilatura/html" / entry["file"]).read_bytes()
        pages.append(
            SuitePage(
                "trafilatura snippets",
                entry["file"],
                payload,
                "text/html",
                present=tuple(entry["with"]),
                absent=tuple(entry["without"]),
                valid_utf8=entry["valid_utf8"],
            )
        )
    for page in sorted((folder / "readability").iterdir()):
        expected = html.fromstring((page / "expected.html").read_bytes().decode("utf-8")).text_content()
        payload = (page / "source.html").read_bytes()
        # The suite's own reader writes all files as UTF-8, also those that declare GBK.
        pages.append(SuitePage("readability", page.name, payload, "text/html; charset=utf-8", expected))
    for file in sorted((folder / "newspaper4k/html").iterdir()):
        expected = (folder / "newspaper4k/txt" / f"{file.stem}.txt").read_text("utf-8")
        pages.append(SuitePage("newspaper4k", file.stem, file.read_bytes(), "text/html", expected))
    return pages


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
