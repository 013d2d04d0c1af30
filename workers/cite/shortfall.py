"""Which claims of a bundle the gate will not pass, why, and what would make them pass. Pure.

Whether they pass is the validator's to say, which reads everything again; this is what the author is told beforehand,
by the same rules (`schemas/README.md`, 17. Verdicts), in profile `claim`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.records.bundle import Bundle
from schemas.records.claim import Claim, ClaimType, Evidence, Importance, Support, Verdict
from schemas.records.source import Tier
from workers.cite.verdict import REQUIRED

MAX_NAMED = 5
"""Pieces of evidence or groups that one sentence names."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One claim, and why it will not pass."""

    claim_id: str
    verdict: Verdict
    why: str
    next_step: str


def shortfalls(bundle: Bundle) -> list[Shortfall]:
    """The claims that will not pass, in the bundle's order. None: each has what its importance needs."""
    return [found for claim in bundle.claims if (found := _of(claim, bundle)) is not None]


def _of(claim: Claim, bundle: Bundle) -> Shortfall | None:
    own = [edge for edge in bundle.evidence if edge.claim_id == claim.id]
    counting, not_counting = counted(claim, own, bundle)
    match claim.status:
        case Verdict.SUPPORTED:
            return _by_vendor(claim, counting, bundle)
        case Verdict.CONFLICTED if claim.importance is Importance.CRITICAL:
            return _conflicted(claim, own, bundle)
        case Verdict.CONFLICTED:  # of an ordinary claim a warning: the reader is told, and it passes
            return None
        case Verdict.UNCITED:
            why, step = "nothing is cited for it", "quote a page that says it, or drop the claim"
        case Verdict.SINGLE_SOURCE:
            names, needed = _names([edge.id for edge in counting]), REQUIRED[claim.importance]
            alone = "is its only support" if len(counting) == 1 else f"count as one ({counting[0].independence_group})"
            why = f"{names} {alone}, and a critical claim needs {needed} independent sources"
            step = (
                "cite another independent source (`citevault groups explain URL…` says which count as one), or drop it"
            )
        case Verdict.PARTIAL:
            partial = [edge.id for edge in own if edge.support is Support.PARTIAL]
            why, step = f"{_names(partial)} says a part of it", "quote what says all of it, or claim only that part"
        case Verdict.UNSUPPORTED:
            why = "nothing that is quoted for it supports it"
            step = "quote what does, with support `full`, or drop the claim"
    return Shortfall(claim.id, claim.status, why + "".join(f"; {reason}" for reason in not_counting), step)


def counted(claim: Claim, own: Sequence[Evidence], bundle: Bundle) -> tuple[list[Evidence], list[str]]:
    """Full support that counts; and why other full support of a critical claim does not (R067, X24)."""
    full = [edge for edge in own if edge.support is Support.FULL]
    if claim.importance is Importance.ORDINARY:
        return full, []
    aggregators = {source.id for source in bundle.sources if source.tier.tier is Tier.AGGREGATOR}
    quotes_alone = {snapshot.id for snapshot in bundle.snapshots if snapshot.retention == "quote_only"}
    counting: list[Evidence] = []
    reasons: list[str] = []
    for edge in full:
        if edge.source_id in aggregators:
            reasons.append(f"{edge.id} does not count, since it quotes an aggregator: cite the source behind it")
        elif edge.snapshot_id in quotes_alone:
            reasons.append(f"{edge.id} does not count, since only its quote may be kept")
        else:
            counting.append(edge)
    return counting, reasons[:MAX_NAMED]


def _conflicted(claim: Claim, own: Sequence[Evidence], bundle: Bundle) -> Shortfall:
    aside = {name for one in bundle.arbitrations if one.claim_id == claim.id for name in one.evidence_ids}
    against = [edge.id for edge in own if edge.support is Support.CONTRADICTS and edge.id not in aside]
    return Shortfall(
        claim.id,
        claim.status,
        f"{_names(against)} contradicts it",
        "tell the reader both and record why one stands, as an arbitration of the draft; or correct or drop the claim",
    )


def _by_vendor(claim: Claim, counting: Sequence[Evidence], bundle: Bundle) -> Shortfall | None:
    """A critical comparison that only the compared say of themselves (R069)."""
    tiers = {source.id: source.tier.tier for source in bundle.sources}
    if (claim.claim_type, claim.importance) != (ClaimType.COMPARISON, Importance.CRITICAL):
        return None
    if {tiers.get(edge.source_id) for edge in counting} != {Tier.OFFICIAL}:
        return None
    return Shortfall(
        claim.id,
        claim.status,
        "it compares, and only official sources say so, of themselves",
        "cite somebody who is not a party to the comparison",
    )


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more
