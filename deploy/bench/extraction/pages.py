"""The pages of the four extraction suites of the conformance data, each with what its suite expects."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import html

from deploy.bench.capture.origin import MissingProgramError

ARTICLES, SNIPPETS, READABILITY, NEWSPAPER = (
    "article-extraction-benchmark",
    "trafilatura snippets",
    "readability",
    "newspaper4k",
)
BASELINE = "trafilatura 2.3.1 default (run here)"


@dataclass(frozen=True)
class SuitePage:
    """`expected` is the main text, where the suite has one; else snippets that must and must not be in it."""

    suite: str
    name: str
    payload: bytes
    content_type: str
    expected: str | None = None
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    valid_utf8: bool = True


def data_folder() -> Path:
    """Where the conformance data lie. MissingProgramError where they do not."""
    root = Path(os.environ.get("CITEVAULT_CONFORMANCE_DATA") or Path(__file__).parents[4] / "shared/data")
    if not (root / "extraction").is_dir():
        raise MissingProgramError(
            f"there are no pages in {root}/extraction: name the conformance data with CITEVAULT_CONFORMANCE_DATA"
        )
    return root


def has_data() -> bool:
    """Whether there is anything to measure with."""
    try:
        data_folder()
    except MissingProgramError:
        return False
    return True


def suite_pages(root: Path) -> list[SuitePage]:
    """All 250 pages."""
    folder = root / "extraction"
    return [*_articles(folder), *_snippets(folder), *_readability(folder), *_newspaper(folder)]


def baselines(root: Path) -> dict[str, dict[str, float]]:
    """What trafilatura's default cascade reaches, by suite."""
    stored = json.loads((root / "extraction/BASELINES.json").read_text("utf-8"))
    return {suite: values[BASELINE] for suite, values in stored.items() if BASELINE in values}


def _articles(folder: Path) -> Iterator[SuitePage]:
    truth = json.loads((folder / ARTICLES / "ground-truth.json").read_text("utf-8"))
    for name, entry in truth.items():
        payload = gzip.decompress((folder / ARTICLES / f"html/{name}.html.gz").read_bytes())
        yield SuitePage(ARTICLES, name, payload, "text/html", entry["articleBody"])


def _snippets(folder: Path) -> Iterator[SuitePage]:
    for entry in json.loads((folder / "trafilatura/evaldata.json").read_text("utf-8")).values():
        yield SuitePage(
            SNIPPETS,
            entry["file"],
            (folder / "trafilatura/html" / entry["file"]).read_bytes(),
            "text/html",
            present=tuple(entry["with"]),
            absent=tuple(entry["without"]),
            valid_utf8=entry["valid_utf8"],
        )


def _readability(folder: Path) -> Iterator[SuitePage]:
    for page in sorted((folder / READABILITY).iterdir()):
        expected = str(html.fromstring((page / "expected.html").read_bytes().decode("utf-8")).xpath("string()"))
        payload = (page / "source.html").read_bytes()
        # The suite's own reader writes all files as UTF-8, also those that declare GBK.
        yield SuitePage(READABILITY, page.name, payload, "text/html; charset=utf-8", expected)


def _newspaper(folder: Path) -> Iterator[SuitePage]:
    for file in sorted((folder / NEWSPAPER / "html").iterdir()):
        expected = (folder / NEWSPAPER / "txt" / f"{file.stem}.txt").read_text("utf-8")
        yield SuitePage(NEWSPAPER, file.stem, file.read_bytes(), "text/html", expected)
