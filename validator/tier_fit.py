"""Which tiers may carry which kind of claim (R064-R069): a tier is a category of source, not a score of truth.

A vendor's page shows what the vendor says and not that it beats a competitor; a review does not replace the
official documentation of a parameter. The verdict is left alone: what is missing here is the right kind of source,
not support.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.claim import Claim, ClaimType, Importance
from schemas.records.finding import Severity
from schemas.records.source import Source, Tier
from validator.found import Found

DEFAULT: Final = "default"
"""The reason of a tier that no rule gave."""
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


def check_tier_fit(claim: Claim, index: int, sources: Sequence[Source], strict: bool, found: Found) -> None:
    """`sources` are those with full support that counts; without any another finding speaks.

    A tier by default says that nobody has looked at the host, so where one of them has it, this is a note.
    """
    if not sources:
        return
    found.looked_at("claims with their tiers")
    tiers = [source.tier.tier for source in sources]
    looked_at = all(source.tier.reason != DEFAULT for source in sources)
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
            severity=Severity.NOTE if not looked_at else Severity.ERROR if strict else None,
        )
