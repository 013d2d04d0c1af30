"""Which tiers may carry which kind of claim (R064-R069): a tier is a category of source, not a score of truth.

A vendor's page shows what the vendor says and not that it beats a competitor; a review does not replace the
official documentation of a parameter. The verdict is left alone: what is missing here is the right kind of source,
not support.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.claim import Claim, ClaimType, Importance
from schemas.records.finding import Severity
from schemas.records.source import Tier
from validator.found import Found

_OFFICIAL, _PRIMARY, _SECONDARY = Tier.OFFICIAL, Tier.PRIMARY, Tier.SECONDARY
FITTING: Final = {
    ClaimType.SPECIFICATION: frozenset({_OFFICIAL}),
    ClaimType.POLICY: frozenset({_OFFICIAL, _PRIMARY}),  # the text of a statute is primary
    ClaimType.PRICE: frozenset({_OFFICIAL}),
    ClaimType.METHOD: frozenset({_PRIMARY}),
    ClaimType.RESULT: frozenset({_PRIMARY}),
    ClaimType.STATEMENT: frozenset({_PRIMARY, _OFFICIAL}),  # what somebody said, in his own words
    ClaimType.BACKGROUND: frozenset({_OFFICIAL, _PRIMARY, _SECONDARY}),
    ClaimType.COMPARISON: frozenset({_PRIMARY, _SECONDARY}),
    ClaimType.OTHER: frozenset(Tier),
}
"""One source of such a tier, among those with full support that counts, is enough."""


def check_tier_fit(claim: Claim, index: int, tiers: Collection[Tier], strict: bool, found: Found) -> None:
    """`tiers` are those of the sources with full support that counts; none is another finding's concern."""
    if not tiers:
        return
    found.looked_at("claims with their tiers")
    at, shown = pointer(("claims", index, "claim_type")), " ".join(sorted(set(tiers)))
    if claim.claim_type is ClaimType.COMPARISON and set(tiers) == {_OFFICIAL}:
        lenient = claim.importance is Importance.ORDINARY and not strict
        severity = Severity.WARNING if lenient else Severity.ERROR
        found.add(FindingKind.CLAIM_BY_VENDOR, pointer=at, ids=(claim.id,), actual=shown, severity=severity)
    elif FITTING[claim.claim_type].isdisjoint(tiers):
        found.add(
            FindingKind.CLAIM_TIER_UNFIT,
            pointer=at,
            ids=(claim.id,),
            expected=f"{' or '.join(sorted(FITTING[claim.claim_type]))}, for a claim of type {claim.claim_type}",
            actual=shown,
            severity=Severity.ERROR if strict else None,
        )
