"""Clusters as the API and the pages show them, and why two captures are one story or not."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from scheduler.web import snapshots
from scheduler.web.answers import ClusterList, ClusterSummary, PairAnswer, PairDifference, PairSide, PairVerdict
from scheduler.web.room import Room
from schemas.records.cluster import Cluster
from schemas.records.snapshot import Snapshot
from workers.errors import ObjectMissingError
from workers.flows.cluster_explain import ExplainPorts, explain
from workers.flows.tier_view import ExplainedTier, explain_tier

MOST_CLUSTERS = 1000
"""Clusters that are counted for the list. The state has no order, so one cannot page through it."""
LIST_SECONDS = 5.0
MOST_MEMBERS, MOST_NUMBERS = 1000, 100
Purpose = Literal["specification", "tracing"]


@dataclass(frozen=True, slots=True)
class ShownMember:
    """A capture in a cluster, as a page shows it."""

    snapshot: Snapshot
    tier: ExplainedTier
    stands_for_all: bool


async def largest_clusters(room: Room, *, limit: int, least_sources: int) -> ClusterList:
    """Clusters with at least so many sources, the one with most sources first."""
    found = await room.look("clusters", lambda: _counted(room), fresh_seconds=LIST_SECONDS)
    fitting = [item for item in found.items if item.sources >= least_sources]
    return ClusterList(items=tuple(fitting[:limit]), complete=found.complete and len(fitting) <= limit)


async def cluster(room: Room, cluster_id: str, purpose: Purpose = "tracing") -> Cluster:
    """One cluster, by its id or an alias, represented for a purpose."""
    found = await room.look(
        f"cluster {cluster_id} {purpose}",
        lambda: room.archive.cluster_reader().cluster(cluster_id, purpose),
        fresh_seconds=LIST_SECONDS,
    )
    if found is None:
        raise ObjectMissingError("there is no such cluster", where=cluster_id, next_step="see /api/v1/clusters")
    return found


async def shown_members(room: Room, found: Cluster) -> list[ShownMember]:
    """The captures of a cluster with their addresses and tiers, in order of time; the first thousand."""
    shown = []
    for member in sorted(found.members, key=lambda member: member.snapshot_id.split("-")[2])[:MOST_MEMBERS]:
        snapshot = (await snapshots.snapshot_line(room, member.snapshot_id)).snapshot
        tier = explain_tier(room.archive.tiers(), snapshot.normalized_url)
        stands_for_all = member.source_id == found.representative_source_id
        shown.append(ShownMember(snapshot, tier, stands_for_all))
    return shown


async def pair(room: Room, one: str, other: str) -> PairAnswer:
    """Why two captures are, or are not, one story. Each is named by its id, or as the newest of a URL."""
    lines = [await snapshots.named_line(room, name) for name in (one, other)]
    archive = room.archive
    ports = ExplainPorts(archive.store, archive.catalog, archive.clusters)
    found = await room.look_once(
        f"pair {lines[0].snapshot.id} {lines[1].snapshot.id}", lambda: explain(lines[0], lines[1], ports)
    )
    verdicts = [*found.earlier, *([found.verdict] if found.verdict is not None else [])]
    return PairAnswer(
        one=PairSide(**asdict(found.one)),
        other=PairSide(**asdict(found.other)),
        answer=found.answer,
        reasons=found.reasons,
        verdicts=tuple(
            PairVerdict(sequence=stored.sequence, at=stored.at, key=stored.key, verdict=stored.verdict)
            for stored in verdicts
        ),
        looked_now=found.looked_now,
        numbers_of_one=found.numbers.one[:MOST_NUMBERS] if found.numbers else (),
        numbers_of_other=found.numbers.other[:MOST_NUMBERS] if found.numbers else (),
        differences=tuple(PairDifference(one=run.one, other=run.other) for run in found.differences),
    )


async def _counted(room: Room) -> ClusterList:
    clusters = room.archive.clusters
    items: dict[str, ClusterSummary] = {}
    complete = True
    async for cluster_id in clusters.all():
        if len(items) == MOST_CLUSTERS:
            complete = False
            break
        found = await clusters.members(cluster_id)
        if found is not None:  # else it was merged away meanwhile
            items[found.id] = ClusterSummary(
                id=found.id,
                leader_text_sha256=found.leader_text_sha256,
                texts=len({member.text_sha256 for member in found.members}),
                snapshots=len(found.members),
                sources=len({member.source_id for member in found.members}),
            )
    ordered = sorted(items.values(), key=lambda item: (-item.sources, -item.snapshots, item.id))
    return ClusterList(items=tuple(ordered), complete=complete)
