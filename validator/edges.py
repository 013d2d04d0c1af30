"""What a claim and its edges say of themselves, whatever the texts hold: words, places, nothing said twice."""

from __future__ import annotations

import re
from typing import Final

from schemas.findings import FindingKind
from schemas.pointer import pointer
from validator.found import Found
from validator.input import BundleInput

_WORD: Final = re.compile(r"\w")


def check_edges(given: BundleInput, found: Found) -> None:
    """Every edge has words and is there once; every place runs forwards."""
    _words(given, found)
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


def _words(given: BundleInput, found: Found) -> None:
    """A full stop stands in every text, so it is evidence of nothing."""
    for i, edge in enumerate(given.bundle.evidence):
        if _WORD.search(edge.quote) is None:
            found.add(
                FindingKind.BUNDLE_QUOTE_WORDLESS,
                pointer=pointer(("evidence", i, "quote")),
                ids=(edge.id, edge.snapshot_id),
                actual=edge.quote,
            )


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
