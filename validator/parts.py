"""Quotes that leave something out: each part where it says, in order, apart, and whole words at each of its ends (C21).

What stands between the parts is in the edge's `quote`, so that nobody is kept from it; it is not quoted.
"""

from __future__ import annotations

from typing import Final

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.claim import MAX_GAP, Evidence, QuotePart
from validator.cuts import cuts_token
from validator.found import Found

FEWEST: Final = 2


def check_parts(edge: Evidence, index: int, text: str, found: Found) -> bool:
    """Whether the parts hold; an edge without parts leaves nothing out. The edge's own span was looked at before."""
    if not edge.parts:
        return True
    held = True
    at = ("evidence", index, "parts")
    for j, (part, expected) in enumerate(zip(edge.parts, _expected(edge, text), strict=True)):
        found.looked_at("parts of quotes")
        if expected is not None:
            held = False
            found.add(
                FindingKind.BUNDLE_PARTS,
                pointer=pointer((*at, j)),
                ids=(edge.id, edge.snapshot_id),
                expected=expected,
                actual=f"{part.start} to {part.end}: {part.quote}",
            )
        elif cuts_token(text, part.start, part.end):
            held = False
            around = text[max(0, part.start - 8) : part.start], text[part.end : part.end + 8]
            found.add(
                FindingKind.BUNDLE_QUOTE_CUT,
                pointer=pointer((*at, j, "quote")),
                ids=(edge.id, edge.snapshot_id),
                expected="whole words and figures",
                actual=f"{around[0]}[{part.quote}]{around[1]}",
            )
    return held


def _expected(edge: Evidence, text: str) -> list[str | None]:
    """For each part what it should have been, if it is not that."""
    out: list[str | None] = []
    before: QuotePart | None = None
    last = len(edge.parts) - 1
    for j, part in enumerate(edge.parts):
        wrong: str | None = None
        if len(edge.parts) < FEWEST:
            wrong = f"{FEWEST} parts or more, or none"
        elif not edge.quote_start <= part.start < part.end <= edge.quote_end:
            wrong = f"a span within {edge.quote_start} to {edge.quote_end}"
        elif text[part.start : part.end] != part.quote:
            wrong = text[part.start : part.end]
        elif not part.quote.strip():
            wrong = "words"
        elif before is None and part.start != edge.quote_start:
            wrong = f"a first part that begins at {edge.quote_start}"
        elif before is not None and not before.end <= part.start <= before.end + MAX_GAP:
            wrong = f"a part that begins at {before.end} or at most {MAX_GAP} code points after it"
        elif j == last and part.end != edge.quote_end:
            wrong = f"a last part that ends at {edge.quote_end}"
        out.append(wrong)
        before = part
    return out
