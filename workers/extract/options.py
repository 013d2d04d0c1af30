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
from workers.extract.page_tree import MAX_DEPTH

PLAIN_EXTRACTOR: Final = "plain@1"

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
METADATA_RULES: Final = 1
"""Version of our own reading of title, author, dates, links and headings."""


@functools.cache
def html_extractor_id(focus: Focus = "balanced") -> str:
    """`trafilatura@<version>+<8 hex of the SHA-256 of the options' RFC 8785 bytes>`."""
    return f"trafilatura@{metadata.version('trafilatura')}+{canonical_sha256(html_options(focus))[:8]}"


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
