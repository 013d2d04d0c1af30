"""Figures of a claim that none of its quotes has (C07), by `schemas/figures.py`. It changes no verdict."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.figures import figures_of, missing_figures
from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.claim import Claim
from validator.found import Found


def check_figures(claim: Claim, index: int, quotes: Sequence[str], found: Found) -> None:
    """`quotes` of the edges that count; without any another finding speaks."""
    if not quotes:
        return
    found.looked_at("claims with their figures")
    missing = missing_figures(claim.text, quotes)
    if missing:
        found.add(
            FindingKind.CLAIM_FIGURE,
            pointer=pointer(("claims", index, "text")),
            ids=(claim.id,),
            expected=f"{', '.join(missing)} in a quote with full support",
            actual=", ".join(sorted(set().union(*map(figures_of, quotes)))) or "no figures",
        )
