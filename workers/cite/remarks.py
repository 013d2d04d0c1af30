"""What a checker will remark on in a bundle's claims, told when it is built, by the same rules. Pure; none fails it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.assertions import assertions
from schemas.figures import missing_figures
from schemas.findings import FindingKind
from schemas.records.bundle import Bundle
from schemas.records.claim import Claim
from schemas.records.draft import DraftClaim
from workers.cite.atomic import assertions_of
from workers.cite.shortfall import counted


@dataclass(frozen=True, slots=True)
class Remark:
    """One claim and what is to be looked at. `code` is the checker's finding."""

    code: str
    claim_id: str
    message: str
    next_step: str

    def __str__(self) -> str:
        return f"{self.claim_id} {self.message} ({self.code}); {self.next_step}"


def compound(claims: Iterable[DraftClaim | Claim]) -> list[Remark]:
    """Claims that seem to hold several, each of which could be false by itself (R072)."""
    found: list[Remark] = []
    for claim in claims:
        parts = assertions_of(claim.text)
        count = max(len(parts), assertions(claim.text))
        if count > 1:
            told = f": {' | '.join(parts)}" if len(parts) > 1 else ", so that each has its own evidence"
            message = f"may hold {count} claims, each of which could be false by itself"
            found.append(Remark(FindingKind.CLAIM_COMPOUND.code, claim.id, message, f"split it{told}"))
    return found


def unquoted_figures(bundle: Bundle) -> list[Remark]:
    """Claims with figures that none of the quotes which count for them has (C07)."""
    found: list[Remark] = []
    for claim in bundle.claims:
        own, _ = counted(claim, [edge for edge in bundle.evidence if edge.claim_id == claim.id], bundle)
        missing = missing_figures(claim.text, [edge.shown_quote for edge in own]) if own else []
        if missing:
            message = f"says {', '.join(missing)}, which none of its quotes with full support has"
            step = "quote what says it, or correct the claim"
            found.append(Remark(FindingKind.CLAIM_FIGURE.code, claim.id, message, step))
    return found
