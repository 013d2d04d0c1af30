"""Why a verdict changed between two bundles of one report (R099). Pure.

Each edge of one bundle is set beside the edge of the other that rests on the same, each difference is put down to one
cause by comparing what it rests on, and the verdict is derived anew with the differences of one cause at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from schemas.records.bundle import Bundle
from schemas.records.claim import Claim, Evidence, Verdict
from schemas.records.comparison import BundleComparison, Cause, ClaimChange, EdgeChange
from workers.cite.side_by_side import Change, Pair, Side, pairs_of
from workers.cite.verdict import Edge, verdict_of

_ORDER = tuple(cause for cause in Cause if cause is not Cause.NONE)


def compare_bundles(before: Bundle, before_sha256: str, after: Bundle, after_sha256: str) -> BundleComparison:
    """Every claim of either. KeyError where a bundle does not hang together: `citevault-validate` says where."""
    one, other = Side.of(before), Side.of(after)
    return BundleComparison(
        schema="citevault/bundle-comparison@1",
        before=before_sha256,
        after=after_sha256,
        claims=tuple(_compare(name, one, other) for name in sorted(one.claims.keys() | other.claims.keys())),
    )


def _compare(claim_id: str, one: Side, other: Side) -> ClaimChange:
    old, new = one.claims.get(claim_id), other.claims.get(claim_id)
    pairs = pairs_of(claim_id, one, other)
    told = [EdgeChange(before=None, after=None, cause=c.cause, what=c.what) for c in _of_claim(old, new)]
    told += [
        EdgeChange(
            before=None if pair.before is None else pair.before.id,
            after=None if pair.after is None else pair.after.id,
            cause=change.cause,
            what=change.what[:4000],
        )
        for pair in pairs
        for change in pair.changes
    ]
    told += _arbitrated(claim_id, one, other, pairs)
    causes = _causes(claim_id, one, other, pairs)
    return ClaimChange(
        claim_id=claim_id,
        before=None if old is None else old.status,
        after=None if new is None else new.status,
        cause=causes[0] if causes else Cause.NONE,
        causes=causes,
        edges=tuple(told),
    )


def _of_claim(old: Claim | None, new: Claim | None) -> list[Change]:
    if old is None or new is None:
        return [Change(Cause.EVIDENCE, "the claim is new" if old is None else "the claim is gone")]
    found = []
    if old.text != new.text:
        found.append(Change(Cause.EVIDENCE, "the claim says something else"))
    if old.importance is not new.importance:
        found.append(Change(Cause.EVIDENCE, f"importance {old.importance.value}, now {new.importance.value}"))
    return found


def _arbitrated(claim_id: str, one: Side, other: Side, pairs: Sequence[Pair]) -> list[EdgeChange]:
    before, after = one.set_aside(claim_id), other.set_aside(claim_id)
    found = []
    for pair in pairs:
        if pair.before is None or pair.after is None:
            continue
        was, now = pair.before.id in before, pair.after.id in after
        if was != now:
            what = "set aside" if now else "no longer set aside"
            found.append(EdgeChange(before=pair.before.id, after=pair.after.id, cause=Cause.EVIDENCE, what=what))
    return found


def _causes(claim_id: str, one: Side, other: Side, pairs: Sequence[Pair]) -> tuple[Cause, ...]:
    """The first cause that makes the later verdict by itself; else those that make it together; else the gate."""
    old, new = one.claims.get(claim_id), other.claims.get(claim_id)
    if old is None or new is None:
        return (Cause.EVIDENCE,)
    if old.status is new.status:
        return ()

    def gives(causes: Iterable[Cause]) -> bool:
        return _derived(claim_id, one, other, pairs, set(causes)) is new.status

    present = [c for c in _ORDER if _has(c, pairs, old, new, one.set_aside(claim_id) != other.set_aside(claim_id))]
    if not gives(()):  # else by the rules of today the earlier bundle had this verdict already
        for cause in present:
            if gives((cause,)):
                return (cause,)
        for count in range(2, len(present) + 1):
            if gives(present[:count]):
                return tuple(present[:count])
    return (Cause.GATE,)


def _has(cause: Cause, pairs: Sequence[Pair], old: Claim, new: Claim, arbitrated: bool) -> bool:
    own = cause is Cause.EVIDENCE and (old.importance is not new.importance or arbitrated)
    return own or any(change.cause is cause for pair in pairs for change in pair.changes)


def _derived(claim_id: str, one: Side, other: Side, pairs: Sequence[Pair], causes: set[Cause]) -> Verdict:
    """The verdict of the earlier bundle with the differences of these causes alone."""
    edges: list[Edge] = []
    aside: set[str] = set()
    evidence = Cause.EVIDENCE in causes
    set_aside = (other if evidence else one).set_aside(claim_id)
    for number, pair in enumerate(pairs):
        edge = _with(pair, one, other, causes)
        if edge is None:
            continue
        named = pair.after if evidence and pair.after is not None else pair.before or pair.after
        if named is not None and named.id in set_aside:
            aside.add(str(number))
        edges.append(replace(edge, evidence_id=str(number)))
    importance = (other if evidence else one).claims[claim_id].importance
    return verdict_of(importance, edges, aside).verdict


def _with(pair: Pair, one: Side, other: Side, causes: set[Cause]) -> Edge | None:
    """The earlier edge with these differences; None where it is then not there."""
    taken = {change.field for change in pair.changes if change.cause in causes}
    if pair.before is None or pair.after is None:
        there = (pair.after is not None) if "whole" in taken else (pair.before is not None)
        if not there:
            return None
        return other.rules_see(pair.after) if pair.after is not None else one.rules_see(_given(pair.before))
    old, new = one.rules_see(pair.before), other.rules_see(pair.after)
    support = new.support if "support" in taken else old.support
    return replace(
        old,
        support=support,
        group=new.group if "group" in taken else old.group,
        tier=new.tier if "tier" in taken else old.tier,
        retention=new.retention if "retention" in taken else old.retention,
    )


def _given(edge: Evidence | None) -> Evidence:
    assert edge is not None
    return edge
