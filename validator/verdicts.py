"""What the edges of a claim say together (X14-X17, R067, R093): derived, never asserted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.claim import Claim, Evidence, Importance, Support, Verdict
from schemas.records.finding import ClaimVerdict, Severity
from schemas.records.source import Tier
from validator.found import Found, shown
from validator.independence import Group
from validator.input import BundleInput
from validator.settings import Profile

GROUPS_NEEDED = {Importance.CRITICAL: 2, Importance.ORDINARY: 1}  # R093


@dataclass(frozen=True, slots=True)
class Derived:
    verdicts: tuple[ClaimVerdict, ...]
    coverage_ppm: int
    """Share of claims with a valid citation; hides nothing, since verdicts decide (R096)."""


def derive(
    claim: Claim, edges: Sequence[Evidence], counting: Sequence[Evidence], groups: Mapping[str, Group], aside: Set[str]
) -> ClaimVerdict:
    """The verdict of one claim. `counting` are its full edges that count, `aside` the arbitrated edges."""
    needed = GROUPS_NEEDED[claim.importance]
    names = sorted({groups[e.source_id].name for e in counting if e.source_id in groups})
    if not edges:
        verdict = Verdict.UNCITED
    elif any(e.support is Support.CONTRADICTS and e.id not in aside for e in edges):
        verdict = Verdict.CONFLICTED
    elif len(names) >= needed:
        verdict = Verdict.SUPPORTED
    elif names:
        verdict = Verdict.SINGLE_SOURCE
    elif any(e.support is Support.PARTIAL for e in edges):
        verdict = Verdict.PARTIAL
    else:
        verdict = Verdict.UNSUPPORTED
    return ClaimVerdict(
        claim_id=claim.id,
        importance=claim.importance,
        verdict=verdict,
        groups=tuple(shown(name) for name in names[:100]),
        required=needed,
    )


def check_verdicts(
    given: BundleInput, groups: Mapping[str, Group], holding: Set[str], profile: Profile, found: Found
) -> Derived:
    """Derive every claim's verdict. `holding` are the ids of edges whose span, text and judgement hold."""
    edges: dict[str, list[tuple[int, Evidence]]] = {}
    for index, edge in enumerate(given.bundle.evidence):
        edges.setdefault(edge.claim_id, []).append((index, edge))
    aside: dict[str, set[str]] = {}
    for arbitration in given.bundle.arbitrations:
        aside.setdefault(arbitration.claim_id, set()).update(arbitration.evidence_ids)
    verdicts: list[ClaimVerdict] = []
    covered = 0
    for i, claim in enumerate(given.bundle.claims):
        own = edges.get(claim.id, [])
        counting = [e for k, e in own if e.id in holding and _counts(given, claim, e, k, found)]
        verdict = derive(claim, [e for _, e in own], counting, groups, aside.get(claim.id, set()))
        covered += any(e.id in holding and e.support in (Support.FULL, Support.PARTIAL) for _, e in own)
        verdicts.append(verdict)
        found.looked_at("verdicts")
        _report(claim, i, verdict, profile, found)
    return Derived(tuple(verdicts), covered * 1_000_000 // max(1, len(verdicts)))


def _counts(given: BundleInput, claim: Claim, edge: Evidence, index: int, found: Found) -> bool:
    if edge.support is not Support.FULL:
        return False
    if claim.importance is Importance.ORDINARY:
        return True
    source, snapshot = given.sources.get(edge.source_id), given.snapshots.get(edge.snapshot_id)
    aggregator = source is None or source.tier.tier is Tier.AGGREGATOR  # R067
    quote_only = snapshot is None or snapshot.retention == "quote_only"  # X24
    if aggregator or quote_only:
        found.add(
            FindingKind.EDGE_NOT_COUNTED,
            pointer=pointer(("evidence", index)),
            ids=(edge.id, claim.id),
            actual="an aggregator" if aggregator else "retention quote_only",
        )
    return not (aggregator or quote_only)


def _report(claim: Claim, i: int, derived: ClaimVerdict, profile: Profile, found: Found) -> None:
    at = pointer(("claims", i))
    verdict = derived.verdict
    if claim.status is not verdict:
        found.add(
            FindingKind.CLAIM_STATUS, pointer=f"{at}/status", ids=(claim.id,), expected=verdict, actual=claim.status
        )
    if verdict is Verdict.SUPPORTED:
        return
    ordinary = claim.importance is Importance.ORDINARY
    kind, severity = FindingKind.CLAIM_NOT_SUPPORTED, Severity.ERROR
    if verdict is Verdict.CONFLICTED:
        kind = FindingKind.CLAIM_CONFLICTED
        severity = Severity.WARNING if ordinary and profile is not Profile.STRICT else Severity.ERROR
    elif verdict is Verdict.UNCITED:
        kind = FindingKind.CLAIM_UNCITED
        severity = Severity.WARNING if ordinary and profile is Profile.PARAGRAPH else Severity.ERROR
    found.add(
        kind,
        pointer=at,
        ids=(claim.id,),
        expected=f"full support from {derived.required} independent groups ({claim.importance})",
        actual=f"{verdict}, {len(derived.groups)} groups",
        severity=severity,
    )
