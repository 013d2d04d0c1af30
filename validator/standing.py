"""What the author says of sources, against what the signed leaves said of them: tiers, and copies kept apart.

Sources, clusters and groups of a bundle are its author's word, each recomputed from the others. The leaves are the
log's: an author cannot change them, so they bound what he may say (`schemas/README.md, Bundle, Independence`).
"""

from __future__ import annotations

from collections.abc import Mapping

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.bundle import BundleSnapshot
from schemas.records.finding import Severity
from validator.found import Found
from validator.independence import Group
from validator.input import BundleInput


def check_standing(given: BundleInput, groups: Mapping[str, Group], strict: bool, found: Found) -> None:
    """All sources with their leaves. `groups` are the recomputed ones."""
    _tiers(given, strict, found)
    _copies(given, groups, found)


def _tiers(given: BundleInput, strict: bool, found: Found) -> None:
    """One policy gives one page one tier. Another policy may give another, which cannot be recomputed here."""
    places = {source.id: i for i, source in reversed(list(enumerate(given.bundle.sources)))}
    told: set[tuple[str, str]] = set()
    for snapshot in given.bundle.snapshots:
        source, leaf = given.sources.get(snapshot.source_id), snapshot.inclusion.leaf
        if source is None:
            continue  # reported as an unknown reference
        found.looked_at("tiers")
        where = pointer(("sources", places[source.id], "tier"))
        if source.tier.policy != leaf.tier.policy:
            if (source.id, leaf.tier.policy) not in told:
                found.add(
                    FindingKind.TIER_OTHER_POLICY,
                    pointer=where,
                    ids=(source.id, snapshot.id),
                    expected=f"{leaf.tier.tier} by {leaf.tier.policy}",
                    actual=f"{source.tier.tier} by {source.tier.policy}",
                    severity=Severity.ERROR if strict else None,
                )
            told.add((source.id, leaf.tier.policy))
        elif (source.tier.tier, source.tier.reason) != (leaf.tier.tier, leaf.tier.reason):
            found.add(
                FindingKind.TIER_DIFFERS,
                pointer=where,
                ids=(source.id, snapshot.id),
                expected=f"{leaf.tier.tier} ({leaf.tier.reason})",
                actual=f"{source.tier.tier} ({source.tier.reason})",
            )


def _copies(given: BundleInput, groups: Mapping[str, Group], found: Found) -> None:
    """Snapshots that the log had in one cluster are of one group; only a manual record splits."""
    first: dict[str, dict[Group, BundleSnapshot]] = {}
    for i, snapshot in enumerate(given.bundle.snapshots):
        cluster, group = snapshot.inclusion.leaf.cluster_id, groups.get(snapshot.source_id)
        if cluster is None or group is None or group.set_apart:
            continue
        known = first.setdefault(cluster, {})
        if known and group not in known:
            other = next(iter(known))
            found.add(
                FindingKind.INDEPENDENCE_LEAF_SPLIT,
                pointer=pointer(("snapshots", i, "inclusion", "leaf", "cluster_id")),
                ids=(known[other].id, snapshot.id, cluster),
                expected=f"one group, since both leaves name {cluster}",
                actual=f"{other.name} and {group.name}",
            )
        known.setdefault(group, snapshot)
