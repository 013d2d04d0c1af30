"""Whether a quote stands where its edge says: `text[start:end] == quote`, in code points, half-open (R013, R091)."""

from __future__ import annotations

from typing import Final

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.claim import Evidence
from validator.cuts import cuts_token
from validator.found import Found

CONTEXT_CHARACTERS: Final = 32


def check_span(edge: Evidence, index: int, text: str, found: Found) -> bool:
    """Whether the span holds. The context is compared too, since a judge was shown it."""
    at = ("evidence", index)
    found.looked_at("spans")
    start, end = edge.quote_start, edge.quote_end
    if not start < end <= len(text):
        found.add(
            FindingKind.BUNDLE_QUOTE_DRIFTED,
            pointer=pointer((*at, "quote_end")),
            ids=(edge.id, edge.snapshot_id),
            expected=f"a span within the {len(text)} code points of the text",
            actual=f"{start} to {end}",
        )
        return False
    if text[start:end] != edge.quote:
        found.add(
            FindingKind.BUNDLE_QUOTE_DRIFTED,
            pointer=pointer((*at, "quote")),
            ids=(edge.id, edge.snapshot_id),
            expected=text[start:end],
            actual=edge.quote,
        )
        return False
    held = True
    around = (
        ("prefix", text[max(0, start - CONTEXT_CHARACTERS) : start], edge.prefix),
        ("suffix", text[end : end + CONTEXT_CHARACTERS], edge.suffix),
    )
    for name, expected, actual in around:
        if expected != actual:
            held = False
            found.add(
                FindingKind.BUNDLE_CONTEXT_DRIFTED,
                pointer=pointer((*at, name)),
                ids=(edge.id, edge.snapshot_id),
                expected=expected,
                actual=actual,
            )
    if cuts_token(text, start, end):
        held = False
        around_it = text[max(0, start - 8) : start], text[end : end + 8]
        found.add(
            FindingKind.BUNDLE_QUOTE_CUT,
            pointer=pointer((*at, "quote")),
            ids=(edge.id, edge.snapshot_id),
            expected="whole words and figures",
            actual=f"{around_it[0]}[{edge.quote}]{around_it[1]}",
        )
    return held
