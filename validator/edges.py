"""What a claim and its edges say of themselves, whatever the texts hold: words, places, nothing said twice.

Two claims that say the same would let an author keep what contradicts one of them away from the other.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.claim import Support
from schemas.records.finding import Severity
from validator.cuts import is_scant
from validator.found import Found
from validator.input import BundleInput

_WORD: Final = re.compile(r"\w")
LEAST_WEIGHT: Final = 8
"""Letters and digits, ideographs counting two, of a quote that can be told from others."""


def check_edges(given: BundleInput, strict: bool, found: Found) -> None:
    """Every edge has words and is there once; every claim is made once, and its place runs forwards."""
    _words(given, strict, found)
    _claims_once(given, found)
    _once(given, found)
    for i, claim in enumerate(given.bundle.claims):
        place = claim.place
        if place is not None and place.start > place.end:
            found.add(
                FindingKind.CLAIM_PLACE,
                pointer=pointer(("claims", i, "place")),
                ids=(claim.id,),
                actual=f"{place.start} to {place.end}",
            )


def _words(given: BundleInput, strict: bool, found: Found) -> None:
    """A full stop stands in every text, so it is evidence of nothing."""
    for i, edge in enumerate(given.bundle.evidence):
        if _WORD.search(edge.quote) is None:
            found.add(
                FindingKind.BUNDLE_QUOTE_WORDLESS,
                pointer=pointer(("evidence", i, "quote")),
                ids=(edge.id, edge.snapshot_id),
                actual=edge.quote,
            )
        elif edge.support is Support.FULL and is_scant(edge.shown_quote, LEAST_WEIGHT):
            found.add(
                FindingKind.BUNDLE_QUOTE_SCANT,
                pointer=pointer(("evidence", i, "quote")),
                ids=(edge.id, edge.snapshot_id),
                actual=edge.quote,
                severity=Severity.ERROR if strict else None,
            )


def _claims_once(given: BundleInput, found: Found) -> None:
    """Letter case, blanks, what cannot be seen and the full stop make no other claim; any sign does."""
    first: dict[str, str] = {}
    for i, claim in enumerate(given.bundle.claims):
        seen = claim.text
        if not seen.isprintable():  # nothing that is printable is a format or control character
            seen = "".join(c for c in seen if c.isspace() or unicodedata.category(c) not in ("Cf", "Cc"))
        said = " ".join(unicodedata.normalize("NFC", seen).casefold().split()).rstrip(".\u3002")
        other = first.setdefault(said, claim.id)
        if other != claim.id:
            found.add(FindingKind.CLAIM_TWICE, pointer=pointer(("claims", i, "text")), ids=(other, claim.id))


def _once(given: BundleInput, found: Found) -> None:
    """One span for one claim is one piece of evidence. An id that stands twice is a finding of its own."""
    first: dict[tuple[str, str, int, int], str] = {}
    for i, edge in enumerate(given.bundle.evidence):
        span = (edge.claim_id, edge.snapshot_id, edge.quote_start, edge.quote_end)
        other = first.setdefault(span, edge.id)
        if other != edge.id:
            found.add(
                FindingKind.BUNDLE_EDGE_TWICE, pointer=pointer(("evidence", i)), ids=(other, edge.id, edge.snapshot_id)
            )
