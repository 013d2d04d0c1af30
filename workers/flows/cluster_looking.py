"""What one segment shows, which pairs it brings, and the look at both texts of each.

Looking takes most of the time of clustering, and nothing of it depends on who else clusters: a verdict follows from
two texts and the two snapshots that showed them first. So a worker looks before it holds the lock, and again under
it, where only what has changed meanwhile is left to look at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from schemas.records.cluster import ClusterMember, EdgeVerdict, Fingerprint
from schemas.records.snapshot import SnapshotLine
from workers.dedup.confirm import judge
from workers.dedup.sighting import witness_order
from workers.flows.cluster_texts import Sightings, SnapshotSource, TextSource
from workers.ports import CandidateIndex, ClusterState

Pair = tuple[str, str]
MAX_PAIRS = 50_000
"""Pairs that one segment may bring to be looked at: some 100 MB of verdicts and a few minutes. A site with
thousands of near-equal pages would need millions; what is left out is counted in the object's head, and there
alone may the partition depend on the order of arrival, until it is looked at (`rejudge.py`)."""


@dataclass(frozen=True, slots=True)
class SegmentTexts:
    """What was extracted of a segment."""

    lines: Sequence[SnapshotLine]
    prints: Sequence[Fingerprint]


@dataclass(slots=True)
class Seen:
    """What the segment shows: its citeable snapshots, and who witnesses each text now."""

    members: list[ClusterMember]
    witnesses: dict[str, str]
    to_judge: list[str] = field(default_factory=list)
    """Texts that are new, or have a new witness, sorted."""


async def seen_of(clusters: ClusterState, lines: Iterable[SnapshotLine]) -> Seen:
    """Only what may be cited is clustered: error pages and walls would make strangers one story."""
    members = [
        ClusterMember(
            snapshot_id=line.snapshot.id, source_id=line.snapshot.source_id, text_sha256=line.snapshot.text_sha256
        )
        for line in lines
        if line.snapshot.citeable and line.snapshot.text_sha256 is not None
    ]
    members.sort(key=lambda member: member.snapshot_id)
    known = await clusters.witnesses(sorted({member.text_sha256 for member in members}))
    witnesses = dict(known)
    for member in members:
        now = witnesses.get(member.text_sha256)
        if now is None or witness_order(member.snapshot_id) < witness_order(now):
            witnesses[member.text_sha256] = member.snapshot_id
    changed = sorted(text for text, witness in witnesses.items() if known.get(text) != witness)
    return Seen(members, witnesses, changed)


async def candidate_pairs(candidates: CandidateIndex, prints: Iterable[Fingerprint], seen: Seen) -> list[Pair]:
    """What the index tells of the texts that are to be judged, each pair once and sorted."""
    wanted = set(seen.to_judge)
    found = await candidates.insert([print_ for print_ in prints if print_.text_sha256 in wanted])
    return sorted({(min(text, other), max(text, other)) for text, others in found.items() for other in others})


async def witnessed(clusters: ClusterState, pairs: Iterable[Pair], seen: Seen) -> list[Pair]:
    """Those of which both texts have a witness by now; `seen` learns the witnesses."""
    listed = list(pairs)
    missing = sorted({text for pair in listed for text in pair} - seen.witnesses.keys())
    seen.witnesses |= await clusters.witnesses(missing)
    return [(a, b) for a, b in listed if a in seen.witnesses and b in seen.witnesses]


async def pairs_of(
    clusters: ClusterState, candidates: CandidateIndex, prints: Iterable[Fingerprint], seen: Seen
) -> list[Pair]:
    """Candidate pairs, each once and sorted, of texts that have a witness; `seen` learns the witnesses.

    A text whose witness has changed is judged again with all of its candidates, so that verdicts do not depend on
    which capture was worked through first. A text without a witness is in the index only: its own segment, when it
    commits, will bring the pair again.
    """
    return await witnessed(clusters, await candidate_pairs(candidates, prints, seen), seen)


class Looks:
    """Verdicts on pairs, each made once for the two snapshots that witness the texts."""

    def __init__(self, store: TextSource, catalog: SnapshotSource, lines: Iterable[SnapshotLine] = ()) -> None:
        self._sightings = Sightings(store, catalog, {line.snapshot.id: line for line in lines})
        self._made: dict[tuple[Pair, Pair], EdgeVerdict | None] = {}

    async def at(
        self, pairs: Iterable[Pair], witnesses: Mapping[str, str], between: Callable[[], Awaitable[None]]
    ) -> list[EdgeVerdict]:
        """The verdicts, in the order of the pairs; none on a pair of which a text cannot be read any more. `between`
        is called after each look."""
        found: list[EdgeVerdict] = []
        for pair in pairs:
            seen_in = witnesses[pair[0]], witnesses[pair[1]]
            if (pair, seen_in) not in self._made:
                self._made[pair, seen_in] = await self._look(pair, seen_in)
            verdict = self._made[pair, seen_in]
            if verdict is not None:
                found.append(verdict)
            await between()
        return found

    def forget(self) -> None:
        """Forget the verdicts, but not the texts that were read last."""
        self._made.clear()

    async def _look(self, pair: Pair, seen_in: Pair) -> EdgeVerdict | None:
        one = await self._sightings.of(pair[0], seen_in[0])
        other = await self._sightings.of(pair[1], seen_in[1])
        return judge(one, other) if one is not None and other is not None else None


class Ahead:
    """Looks at what is a pair as things stand now, and again as often as others have committed meanwhile: what is in
    their segments has no witness before. Nothing follows from it but that `looks` remembers."""

    def __init__(self, clusters: ClusterState, candidates: CandidateIndex, texts: SegmentTexts, looks: Looks) -> None:
        self._clusters, self._candidates = clusters, candidates
        self._texts, self._looks = texts, looks
        self._seen = Seen([], {})
        self._waiting: set[Pair] = set()
        self._sequence: int | None = None

    async def start(self) -> None:
        """Once, before the lock is asked for."""
        self._sequence = await self._position()
        self._seen = await seen_of(self._clusters, self._texts.lines)
        pairs = await candidate_pairs(self._candidates, self._texts.prints, self._seen)
        self._waiting = set(pairs[:MAX_PAIRS])
        await self._look()

    async def go_on(self) -> None:
        """While another worker holds the lock."""
        sequence = await self._position()
        if sequence != self._sequence:
            self._sequence = sequence
            await self._look()

    async def _look(self) -> None:
        ready = await witnessed(self._clusters, sorted(self._waiting), self._seen)
        self._waiting.difference_update(ready)
        await self._looks.at(ready, self._seen.witnesses, _give_way)

    async def _position(self) -> int | None:
        position = await self._clusters.position()
        return None if position is None else position.sequence


async def _give_way() -> None:
    await asyncio.sleep(0)
