"""Whether an edge's support is what somebody judged, of these very inputs (X33, R097).

A judgement of other inputs is stale: the edge is there, and counts as unjudged.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.findings import FindingKind
from schemas.judging import Rank, counting, inputs_sha256, rank_of, says_something
from schemas.pointer import pointer
from schemas.records.claim import Evidence, Judgement, Support
from schemas.records.finding import Severity
from validator.found import Found
from validator.input import BundleInput


def check_judgement(given: BundleInput, edge: Evidence, index: int, strict: bool, found: Found) -> bool:
    """Whether the judgement that the edge names holds."""
    judgement = given.judgements.get(edge.judgement_id)
    claim = given.claims.get(edge.claim_id)
    snapshot = given.snapshots.get(edge.snapshot_id)
    if judgement is None or claim is None or snapshot is None:
        return False  # reported as an unknown reference
    found.looked_at("edges judged")
    at = ("evidence", index)
    repeated = (
        ("id", edge.id, judgement.evidence_id),
        ("claim_id", edge.claim_id, judgement.claim_id),
        ("support", edge.support, judgement.support),
        ("checker_version", edge.checker_version, judgement.checker_version),
        ("checked_at", edge.checked_at, judgement.judged_at),
    )
    for name, actual, expected in repeated:
        if actual != expected:
            found.add(
                FindingKind.JUDGEMENT_DIFFERS,
                pointer=pointer((*at, name)),
                ids=(edge.id, judgement.id),
                expected=expected,
                actual=actual,
            )
            return False
    told = given.judgements_of_edge.get(edge.id, ())
    best = counting(told)  # of several that agree the edge may name any
    if not any(one is judgement for one in best):
        found.add(
            FindingKind.JUDGEMENT_SUPERSEDED,
            pointer=pointer((*at, "judgement_id")),
            ids=(edge.id, judgement.id),
            expected=f"{best[-1].id} by {best[-1].checker_version}, of {best[-1].judged_at}",
            actual=f"{judgement.id} by {judgement.checker_version}, of {judgement.judged_at}",
        )
        return False
    tied = [one for one in best if one.support != edge.support]
    if tied:
        people = rank_of(judgement.checker_version) >= Rank.HUMAN
        found.add(
            FindingKind.JUDGEMENT_UNRESOLVED if people else FindingKind.JUDGEMENT_TIED,
            pointer=pointer((*at, "judgement_id")),
            ids=(edge.id, judgement.id, *(j.id for j in tied)),
            expected="an arbiter's word" if people else f"one support at {judgement.judged_at}",
            actual=", ".join(f"{j.support.value} by {j.by}" for j in best)
            if people
            else " ".join(sorted({edge.support.value, *(j.support.value for j in tied)})),
        )
        return False
    if rank_of(judgement.checker_version) is Rank.NONE:
        found.add(
            FindingKind.JUDGEMENT_ONLY_WARNS,
            pointer=pointer((*at, "checker_version")),
            ids=(edge.id, judgement.id),
            expected="a person, an evaluator or the author",
            actual=judgement.checker_version,
        )
        return False
    _contradiction_stays(edge, judgement, told, index, strict, found)
    words = [part.quote for part in edge.parts]
    inputs = inputs_sha256(claim.text, edge.quote, edge.prefix, edge.suffix, snapshot.text_sha256, words)
    if inputs != judgement.inputs_sha256:
        found.add(
            FindingKind.JUDGEMENT_STALE,
            pointer=pointer((*at, "judgement_id")),
            ids=(edge.id, judgement.id),
            expected=inputs,
            actual=judgement.inputs_sha256,
        )
        return False
    return True


def _contradiction_stays(
    edge: Evidence, judgement: Judgement, told: Sequence[Judgement], index: int, strict: bool, found: Found
) -> None:
    """What once contradicted and no longer does is told (R075); the last word counts all the same."""
    before = [j for j in told if j is not judgement and j.support is Support.CONTRADICTS]
    if before and edge.support is not Support.CONTRADICTS:
        found.add(
            FindingKind.JUDGEMENT_OVERRULED,
            pointer=pointer(("evidence", index, "support")),
            ids=(edge.id, judgement.id, *(j.id for j in before)),
            expected=f"contradicts, by {before[-1].checker_version}",
            actual=f"{edge.support}, by {judgement.checker_version}: {judgement.rationale}",
            severity=Severity.ERROR if strict else None,
        )


def check_rationales(given: BundleInput, strict: bool, found: Found) -> None:
    """Every judgement says why, and by whom (R097)."""
    for i, judgement in enumerate(given.bundle.judgements):
        if not says_something(judgement.rationale) or not says_something(judgement.by):
            found.add(
                FindingKind.JUDGEMENT_BARE,
                pointer=pointer(("judgements", i)),
                ids=(judgement.id, judgement.evidence_id),
                severity=Severity.ERROR if strict else None,
            )
