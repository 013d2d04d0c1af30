"""HTML to main text and metadata, by trafilatura with the options that its id names (`workers.extract.options`).

The result depends on the page and on the day of its retrieval, on nothing else: not on its address, on
the clock, or on pages that were read before. trafilatura drops U+200D and writes table cells with
`|`; a quote copied from the page may differ there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from lxml.html import HtmlElement
from trafilatura import bare_extraction
from trafilatura.settings import Document, Extractor

from schemas.records.snapshot import Heading
from workers.extract import options
from workers.extract.headings import headings_of, locate_headings
from workers.extract.links import Links, read_links
from workers.extract.markers import WALL_CHARACTERS, find_markers
from workers.extract.metadata import PageMetadata, read_metadata
from workers.extract.options import Focus
from workers.extract.page_tree import TooDeepError, parse_page
from workers.extract.plain import clean_text
from workers.extract.quick_match import quick_matching

WARM_UP = """<!DOCTYPE html><html lang="en"><head><title>Warm-up</title></head><body><article><h1>Warm-up</h1>
<p>By the time a first page arrives, the parsers have compiled what they compile once.</p>
<p class="date">Published on 3 March 2021</p></article></body></html>"""


@dataclass(frozen=True, slots=True)
class HtmlContent:
    """What a page gives. `text` is in text-v1 and may be empty; offsets of headings count its code points."""

    text: str
    metadata: PageMetadata
    headings: tuple[Heading, ...]
    links: Links
    markers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoHtml:
    """Why nothing could be made of a page."""

    reason: str


def extract_html(source: str, *, latest: date, focus: Focus = "balanced") -> HtmlContent | NoHtml:
    """Extract a decoded page that was retrieved on the day `latest` (UTC)."""
    if len(source) > options.MAX_CHARACTERS:
        return NoHtml(f"html.larger-than-{options.MAX_CHARACTERS}-characters")
    try:
        tree = parse_page(source)
    except TooDeepError:
        return NoHtml("html.too-deep")
    metadata = read_metadata(tree, latest)
    links = read_links(tree)
    document = main_content(tree, focus)
    text = clean_text(document.text or "") if document is not None else ""
    headings = locate_headings(headings_of(document.body), text) if document is not None else ()
    markers = find_markers(source) if len(text) < WALL_CHARACTERS else ()
    return HtmlContent(text, metadata, headings, links, markers)


def warm_up() -> None:
    """Extract a small page: the first call costs 1.3 s, and no page of somebody's should pay for it."""
    extract_html(WARM_UP, latest=date(2021, 3, 4))


def main_content(tree: HtmlElement, focus: Focus = "balanced") -> Document | None:
    """The main text and its elements; the tree is left as it is."""
    with quick_matching():
        return _cascade(tree, focus)


def _cascade(tree: HtmlElement, focus: Focus) -> Document | None:
    """The fast cascade; the full one as well where that finds next to nothing."""
    first = bare_extraction(tree, options=_extractor(focus, fast=True))
    found = len(first.text or "") if isinstance(first, Document) else 0
    if isinstance(first, Document) and found >= options.RESCUE_BELOW:
        return first
    second = bare_extraction(tree, options=_extractor(focus, fast=False))
    if isinstance(second, Document) and len(second.text or "") >= max(1, options.RESCUE_FACTOR * found):
        return second
    return first if isinstance(first, Document) else None


def _extractor(focus: Focus, *, fast: bool) -> Extractor:
    extractor = Extractor(
        output_format="python",
        fast=fast,
        precision=focus == "precision",
        recall=focus == "recall",
        comments=options.COMMENTS,
        formatting=False,
        links=False,
        images=False,
        tables=options.TABLES,
        dedup=False,
        lang=None,
        url=None,
        with_metadata=False,
        date_params={"max_date": "1970-01-01"},  # not used here; without a value it is made from the clock
    )
    extractor.min_extracted_size = options.MIN_EXTRACTED_SIZE
    extractor.min_output_size = options.MIN_OUTPUT_SIZE
    extractor.min_output_comm_size = options.MIN_OUTPUT_SIZE
    extractor.max_tree_size = None
    return extractor
