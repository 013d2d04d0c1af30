"""What HTML extraction is asked to do, and the id that names it (`schemas/README.md, Parameter ids`; X27).

Options change the text, so they are part of the extractor's id, and so do the versions of the parser
beneath it. trafilatura also asks the interpreter which characters are printable, and htmldate finds
dates that nobody declared; both stand in the digest, so that equal ids mean equal output.

Why these: on the four suites of the conformance data the fast cascade without readers' comments
reaches the F1 of the default cascade or better (.957 / .948, .931 / .930, .940 / .939, .933 / .909) in two
thirds of the time. `favour recall` is 15 % faster still, but falls below on two of them (.927, .937).
What the fast cascade does lose is whole pages that are no articles, so a very short result is tried
again with the full one (`rescue`), which brings the second suite to .947.
"""

from __future__ import annotations

import functools
import unicodedata
from importlib import metadata
from typing import Final, Literal

from lxml import etree
from pydantic import JsonValue

from schemas.canonical import canonical_sha256

PLAIN_EXTRACTOR: Final = "plain@1"
VISIBLE_EXTRACTOR: Final = "visible@1"
"""The second, for pages that defeat the first."""

FAST: Final = True
Focus = Literal["balanced", "precision", "recall"]
FOCUSES: Final[tuple[Focus, ...]] = ("balanced", "precision", "recall")
"""The first is what pages are extracted with; the others are for `citevault reprocess`."""
COMMENTS: Final = False
TABLES: Final = True
MIN_EXTRACTED_SIZE: Final = 250
MIN_OUTPUT_SIZE: Final = 1
RESCUE_BELOW: Final = 500
"""Characters under which the full cascade is asked too."""
RESCUE_FACTOR: Final = 5
"""How many times as much the full cascade must find to be believed: it also picks up menus."""
MAX_CHARACTERS: Final = 16 * 1024 * 1024
"""Of one document. The largest page of the conformance data has 2.6 million; 12 million as small paragraphs were seen
to need more than 500 MB."""
MAX_DEPTH: Final = 2048
"""Nested elements: what libxml2 2.14 builds with `huge_tree` (`workers.extract.page_tree`)."""
MAX_PDF_PAGES: Final = 5_000
"""Of a document of which every page is read; a larger one has no text."""
METADATA_RULES: Final = 1
"""Version of our own reading of title, author, dates, links and headings."""


@functools.cache
def html_extractor_id(focus: Focus = "balanced") -> str:
    """`trafilatura@<version>+<8 hex of the SHA-256 of the options' RFC 8785 bytes>`."""
    return f"trafilatura@{metadata.version('trafilatura')}+{canonical_sha256(html_options(focus))[:8]}"


@functools.cache
def pdf_extractor_id() -> str:
    """`pypdfium2@<version>+<8 hex>`."""
    return f"pypdfium2@{metadata.version('pypdfium2')}+{canonical_sha256(pdf_options())[:8]}"


@functools.cache
def feed_extractor_id() -> str:
    """`feed@1+<8 hex>`."""
    return f"feed@1+{canonical_sha256(feed_options())[:8]}"


def extractor_policies() -> dict[str, JsonValue]:
    """What every extractor id of this version stands for."""
    return {
        **{html_extractor_id(focus): html_options(focus) for focus in FOCUSES},
        pdf_extractor_id(): pdf_options(),
        feed_extractor_id(): feed_options(),
        PLAIN_EXTRACTOR: {"id": PLAIN_EXTRACTOR, "does": "decodes plain text, then text-v1"},
        VISIBLE_EXTRACTOR: {"id": VISIBLE_EXTRACTOR, "does": "all text that the markup shows, without a tree"},
    }


def pdf_options() -> dict[str, JsonValue]:
    """Everything that the text of a PDF depends on. The wheel of pypdfium2 carries its PDFium."""
    return {
        "max_characters": MAX_CHARACTERS,
        "max_pages": MAX_PDF_PAGES,
        "order": "as PDFium gives it, page by page",
        "pypdfium2": metadata.version("pypdfium2"),
    }


def feed_options() -> dict[str, JsonValue]:
    """Everything that the text of a feed depends on."""
    return {
        "contents": "encoded, content, description, summary: the first that there is",
        "libxml2": _dotted(etree.LIBXML_VERSION),
        "lxml": _dotted(etree.LXML_VERSION),
        "markup": VISIBLE_EXTRACTOR,
    }


def html_options(focus: Focus = "balanced") -> dict[str, JsonValue]:
    """Everything that the text and metadata of an HTML page depend on, beside the page and its day."""
    return {
        "comments": COMMENTS,
        "fast": FAST,
        "focus": focus,
        "formatting": False,
        "htmldate": metadata.version("htmldate"),
        "images": False,
        "libxml2": _dotted(etree.LIBXML_VERSION),
        "links": False,
        "lxml": _dotted(etree.LXML_VERSION),
        "max_characters": MAX_CHARACTERS,
        "max_depth": MAX_DEPTH,
        "metadata_rules": METADATA_RULES,
        "min_extracted_size": MIN_EXTRACTED_SIZE,
        "min_output_size": MIN_OUTPUT_SIZE,
        "rescue_below": RESCUE_BELOW,
        "rescue_factor": RESCUE_FACTOR,
        "tables": TABLES,
        "unicode": unicodedata.unidata_version,
    }


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)
