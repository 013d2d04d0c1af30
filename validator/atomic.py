"""Claims that seem to say several things at once (R072), by `schemas/assertions.py`: a note, and a coarse hint."""

from __future__ import annotations

from schemas.assertions import assertions
from schemas.findings import FindingKind
from schemas.pointer import pointer
from validator.found import Found
from validator.input import BundleInput


def check_atomic(given: BundleInput, found: Found) -> None:
    """Every claim's text."""
    for i, claim in enumerate(given.bundle.claims):
        count = assertions(claim.text)
        if count > 1:
            found.add(
                FindingKind.CLAIM_COMPOUND,
                pointer=pointer(("claims", i, "text")),
                ids=(claim.id,),
                expected="one assertion",
                actual=f"some {count}",
            )
