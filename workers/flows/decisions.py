"""The decision log: append to it, read it, and what it means for groups and conflicts.

The store decides who is next: an entry is created with `If-None-Match: *` under the number after the last one,
and who loses reads the winner and tries again. Nothing is ever changed; a later entry takes the place of an earlier.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.claim import Arbitration
from schemas.records.decision import ControlJob, Decision, DecisionContent, DissolveGroup, GroupSources, SetAside
from workers.dedup.independence import ManualGroup
from workers.errors import CorruptError, ObjectMissingError, RetryableError
from workers.flows.ahead import read_ahead
from workers.flows.documents import read_object
from workers.flows.numbered import gone, highest, is_end_nearby
from workers.ports import ObjectStore

RACES = 20


async def read_decisions(store: ObjectStore, known: Sequence[Decision] = ()) -> tuple[Decision, ...]:
    """The whole log, in order; `known` is what was read of it before. CorruptError where an entry cannot be read, or is
    gone: a later one may have taken the place of an earlier, and means something else without it."""
    found = list(known)
    if found and not await _follow(store, found, 1) and await is_end_nearby(store, len(found), keys.decision):
        return tuple(found)  # the usual case for who has read the log before: two requests
    last = highest([key async for key in store.list(keys.DECISIONS)], keys.decision)
    if not await _follow(store, found, last - len(found)):
        raise gone(keys.decision(len(found) + 1))
    while await _follow(store, found, 1):
        pass
    return tuple(found)


async def _follow(store: ObjectStore, found: list[Decision], most: int) -> bool:
    """Read so many entries on, some at a time; False where the log ends before."""
    wanted = [keys.decision(len(found) + ahead) for ahead in range(1, most + 1)]
    try:
        async for key, entry in read_ahead(wanted, lambda key: read_object(store, key, Decision)):
            if entry.sequence != len(found) + 1:
                raise CorruptError(
                    f"a decision says that it is number {entry.sequence}",
                    where=key,
                    next_step="restore the object from a copy of the bucket",
                )
            found.append(entry)
    except ObjectMissingError:
        return False
    return True


async def append_decision(
    store: ObjectStore, decision: DecisionContent, *, by: str, why: str, now: str, known: Sequence[Decision] = ()
) -> Decision:
    """Write a decision down as the next entry. ValueError where `by` or `why` (10 characters at least) is missing."""
    log = tuple(known)
    for _ in range(RACES):
        log = await read_decisions(store, log)
        entry = Decision(
            schema="citevault/decision@1", sequence=len(log) + 1, at=now, by=by, why=why, decision=decision
        )
        key = keys.decision(entry.sequence)
        if await store.create(key, canonical_bytes(entry), content_type="application/json"):
            return entry
    raise RetryableError("others write decisions at the same time", where=keys.DECISIONS, next_step="try again")


async def append_to_damaged(store: ObjectStore, decision: DecisionContent, *, by: str, why: str, now: str) -> Decision:
    """The same where the log cannot be read to its end: behind all that is there, for what cannot wait until it is
    restored. Whoever asks answers for what it means without the entries before it."""
    for _ in range(RACES):
        last = highest([key async for key in store.list(keys.DECISIONS)], keys.decision)
        entry = Decision(schema="citevault/decision@1", sequence=last + 1, at=now, by=by, why=why, decision=decision)
        if await store.create(keys.decision(last + 1), canonical_bytes(entry), content_type="application/json"):
            return entry
    raise RetryableError("others write decisions at the same time", where=keys.DECISIONS, next_step="try again")


def manual_groups(log: Iterable[Decision]) -> tuple[ManualGroup, ...]:
    """The manual groups that stand, sorted by name. A source is in the group that named it last; a group without
    sources is gone, and the last one that others have left is no longer said to be one with anything, nor to stand
    alone. Each carries who made it what it is, when and why."""
    standing: dict[str, Decision] = {}
    group_of: dict[str, str] = {}
    for entry in log:
        match entry.decision:
            case GroupSources(name=name, source_ids=source_ids):
                group_of = {source: other for source, other in group_of.items() if other != name}
                group_of |= dict.fromkeys(source_ids, name)
                standing[name] = entry
            case DissolveGroup(name=name):
                group_of = {source: other for source, other in group_of.items() if other != name}
            case SetAside() | ControlJob():
                pass
    return tuple(
        ManualGroup(
            name=name,
            source_ids=tuple(sorted(source for source, group in group_of.items() if group == name)),
            by=standing[name].by,
            at=standing[name].at,
            why=standing[name].why,
            is_rest=_named(standing[name]) > 1 and list(group_of.values()).count(name) == 1,
        )
        for name in sorted(set(group_of.values()))
    )


def _named(entry: Decision) -> int:
    """How many sources a decision puts into one group."""
    return len(set(entry.decision.source_ids)) if isinstance(entry.decision, GroupSources) else 0


EdgeKey = tuple[str, str]
"""Snapshot id and SHA-256 of the quote."""


def arbitrations_of(
    log: Iterable[Decision],
    report: str,
    claims: Iterable[tuple[str, str]],
    contradicting: Iterable[tuple[str, EdgeKey, str]],
) -> tuple[Arbitration, ...]:
    """What was decided on this report's conflicts, as its bundle carries it.

    `claims`: claim id and SHA-256 of its text; `contradicting`: claim id, the edge by what it quotes, evidence id.
    Decisions on another wording of a claim, or on evidence that is not there, bring nothing.
    """
    texts = dict(claims)
    edges: dict[tuple[str, EdgeKey], list[str]] = {}
    for claim_id, edge, evidence_id in contradicting:
        edges.setdefault((claim_id, edge), []).append(evidence_id)
    found: list[Arbitration] = []
    for entry in log:
        what = entry.decision
        if not isinstance(what, SetAside) or what.report != report:
            continue
        if texts.get(what.claim_id) != what.claim_sha256:
            continue
        named = [(what.claim_id, (name.snapshot_id, name.quote_sha256)) for name in what.evidence]
        ids = sorted({evidence_id for name in named for evidence_id in edges.get(name, [])})
        if ids:
            found.append(
                Arbitration(
                    id=f"decision-{entry.sequence}",
                    claim_id=what.claim_id,
                    evidence_ids=tuple(ids),
                    by=entry.by,
                    at=entry.at,
                    why=entry.why,
                )
            )
    return tuple(found)
