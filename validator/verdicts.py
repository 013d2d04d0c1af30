"""What the edges of a claim say together (X14-X17, R067, R093): derived, never asserted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from schemas.counted import counted
from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.claim import Claim, Evidence, Importance, Support, Verdict
from schemas.records.finding import ClaimVerdict, Severity
from schemas.records.source import Tier
from validator.found import Found, shown
from validator.independence import Group
from validator.input import BundleInput
from validator.settings import Profile

MOST_NAMED = 5
GROUPS_NEEDED = {Importance.CRITICAL: 2, Importance.ORDINARY: 1}  # R093


@dataclass(frozen=True, slots=True)
class Derived:
    verdicts: tuple[ClaimVerdict, ...]
    coverage: Coverage
    counting: Sequence[Sequence[Evidence]] = field(default=())
    """For each claim, in order, its edges of full support that count."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares in parts per million, None of nothing. They hide nothing, since verdicts decide (R096)."""

    claims: int
    """Claims with a citation that holds."""
    critical: int | None
    """The same of critical claims alone, so that no average covers the one that matters."""
    replayable: int | None
    """Edges whose text is here, so that anybody may look them up again (X24)."""


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
    against = [e.id for e in edges if e.support is Support.CONTRADICTS]
    return ClaimVerdict(
        claim_id=claim.id,
        importance=claim.importance,
        verdict=verdict,
        groups=tuple(shown(name) for name in names[:100]),
        required=needed,
        contradicted_by=tuple(against[:100]),
        set_aside=tuple([identifier for identifier in against if identifier in aside][:100]),
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
    counted: list[Sequence[Evidence]] = []
    covered: list[tuple[Importance, bool]] = []
    for i, claim in enumerate(given.bundle.claims):
        own = edges.get(claim.id, [])
        counting = [e for k, e in own if e.id in holding and _counts(given, claim, e, k, found)]
        verdict = derive(claim, [e for _, e in own], counting, groups, aside.get(claim.id, set()))
        cited = any(e.id in holding and e.support in (Support.FULL, Support.PARTIAL) for _, e in own)
        covered.append((claim.importance, cited))
        counted.append(counting)
        verdicts.append(verdict)
        found.looked_at("verdicts")
        lost: list[Evidence] = []
        if claim.status is not verdict.verdict:
            lost = _lost(given, claim, [e for _, e in own], holding, groups, aside.get(claim.id, set()))
        _report(claim, i, verdict, lost, profile, found)
    return Derived(tuple(verdicts), _coverage(given, covered), counted)


def _coverage(given: BundleInput, covered: Sequence[tuple[Importance, bool]]) -> Coverage:
    kept = {s.id for s in given.bundle.snapshots if s.text_path is not None}
    return Coverage(
        claims=_share([cited for _, cited in covered]) or 0,
        critical=_share([cited for importance, cited in covered if importance is Importance.CRITICAL]),
        replayable=_share([edge.snapshot_id in kept for edge in given.bundle.evidence]),
    )


def _share(of: Sequence[bool]) -> int | None:
    return sum(of) * 1_000_000 // len(of) if of else None


def _counts(given: BundleInput, claim: Claim, edge: Evidence, index: int, found: Found) -> bool:
    if edge.support is not Support.FULL:
        return False
    against = _against(given, claim, edge)
    if against is not None:
        where = pointer(("evidence", index))
        found.add(FindingKind.EDGE_NOT_COUNTED, pointer=where, ids=(edge.id, claim.id), actual=against)
    return against is None


def _against(given: BundleInput, claim: Claim, edge: Evidence) -> str | None:
    """Why full support does not count for a critical claim; None where it does."""
    if claim.importance is Importance.ORDINARY:
        return None
    source, snapshot = given.sources.get(edge.source_id), given.snapshots.get(edge.snapshot_id)
    if source is None or source.tier.tier is Tier.AGGREGATOR:  # R067
        return "an aggregator"
    return "retention quote_only" if snapshot is None or snapshot.retention == "quote_only" else None  # X24


def _lost(
    given: BundleInput,
    claim: Claim,
    own: Sequence[Evidence],
    holding: Set[str],
    groups: Mapping[str, Group],
    aside: Set[str],
) -> list[Evidence]:
    """Edges that do not hold, where with them the claim would be what its status says: then what they rest on was
    changed, and not the status."""
    lost = [e for e in own if e.id not in holding and e.support is Support.FULL]
    if not lost:
        return []
    whole = [e for e in own if e.support is Support.FULL and _against(given, claim, e) is None]
    return lost if derive(claim, own, whole, groups, aside).verdict is claim.status else []


def _report(
    claim: Claim, i: int, derived: ClaimVerdict, lost: Sequence[Evidence], profile: Profile, found: Found
) -> None:
    """`lost`: edges that do not hold, where the status is what they would give if they did."""
    at = pointer(("claims", i))
    verdict = derived.verdict
    advice = None
    if lost:
        named = ", ".join(edge.id for edge in lost[:MOST_NAMED]) + (" and more" if len(lost) > MOST_NAMED else "")
        advice = f"Leave the status: its evidence was changed or does not hold ({named}). Mend what is said of that."
    if claim.status is not verdict:
        found.add(
            FindingKind.CLAIM_STATUS,
            pointer=f"{at}/status",
            ids=(claim.id,),
            expected=verdict,
            actual=claim.status,
            next_step=advice,
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
        next_step=advice,
        expected=f"full support from {derived.required} independent groups ({claim.importance})",
        actual=f"{verdict}, {counted(len(derived.groups), 'group')}",
        severity=severity,
    )
