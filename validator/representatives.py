"""Which source speaks for a cluster, chosen again by the format's rule (R059, R060): the most official tier, of these
the earliest by the day of publication, else of capture."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.bundle import BundleSnapshot
from schemas.records.cluster import Cluster
from schemas.records.source import Source, Tier
from validator.found import Found
from validator.input import BundleInput

TIERS: Final = (Tier.OFFICIAL, Tier.PRIMARY, Tier.SECONDARY, Tier.AGGREGATOR)
_DAY: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9])")


def check_representatives(given: BundleInput, found: Found) -> None:
    """Every cluster whose members are all here, in the tiers that their leaves have; else others report it."""
    for i, cluster in enumerate(given.bundle.clusters):
        members = _members(given, cluster)
        if members is None or cluster.representative_source_id not in {source.id for source, _ in members}:
            continue
        chosen = min(members, key=lambda member: (TIERS.index(member[0].tier.tier), *_earliest(member[1])))[0]
        wanted = (chosen.id, f"for specifications: tier {chosen.tier.tier.value}, earliest of it")
        actual = (cluster.representative_source_id, cluster.representative_reason)
        found.looked_at("representatives")
        if actual != wanted:
            found.add(
                FindingKind.CLUSTER_REPRESENTATIVE_DIFFERS,
                pointer=pointer(("clusters", i, "representative_source_id")),
                ids=(cluster.id, *sorted({chosen.id, cluster.representative_source_id})),
                expected=" ".join(wanted),
                actual=" ".join(actual),
            )


def _members(given: BundleInput, cluster: Cluster) -> list[tuple[Source, BundleSnapshot]] | None:
    out = []
    for member in cluster.members:
        snapshot, source = given.snapshots.get(member.snapshot_id), given.sources.get(member.source_id)
        if snapshot is None or source is None:
            return None
        signed = snapshot.inclusion.leaf.tier
        if signed.policy == source.tier.policy and signed.tier is not source.tier.tier:
            return None
        out.append((source, snapshot))
    return out


def _earliest(snapshot: BundleSnapshot) -> tuple[str, str, str, str]:
    captured = snapshot.retrieved_at[:10]
    return published_day(snapshot) or captured, snapshot.retrieved_at, snapshot.source_id, snapshot.id


def published_day(snapshot: BundleSnapshot) -> str | None:
    """`published_at` as a day, if it can be true: a day of the calendar, at most one after that of the capture."""
    told = _DAY.match(snapshot.published_at or "")
    if told is None:
        return None
    try:
        day, captured = date.fromisoformat(told[1]), date.fromisoformat(snapshot.retrieved_at[:10])
    except ValueError:
        return None
    return told[1] if day <= captured + timedelta(days=1) else None
