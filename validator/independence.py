"""Independence groups, recomputed from the records (R071, X31, X34): distinct groups count, never URLs.

Our own union-find, by the rules of the format's section "Independence" alone: what the archive
stored is compared with it and never used. Cluster and site relations all unite; the order manual,
cluster, site, own only names the reason; only a manual record splits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.cluster import Cluster
from schemas.records.independence import IndependenceGroup, IndependenceReason
from schemas.records.source import Source
from validator.found import Found
from validator.identity import host_of
from validator.input import BundleInput

UNKNOWN = "unknown"
MIN_WHY = 10
"""As in the decision log."""


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    reason: IndependenceReason


class _Union:
    """Union-find with path halving."""

    def __init__(self, items: Iterable[str]) -> None:
        self._parent = {item: item for item in items}

    def find(self, item: str) -> str:
        while self._parent[item] != item:
            self._parent[item] = item = self._parent[self._parent[item]]
        return item

    def unite(self, items: Sequence[str]) -> None:
        for item in items[1:]:
            self._parent[self.find(item)] = self.find(items[0])

    def components(self) -> list[list[str]]:
        out: dict[str, list[str]] = defaultdict(list)
        for item in self._parent:
            out[self.find(item)].append(item)
        return list(out.values())


def site_of(normalized_url: str) -> str:
    """Host without one leading `www.`, with the port where it is not the default."""
    return host_of(normalized_url).removeprefix("www.")


def recompute(
    sources: Mapping[str, Source], clusters: Sequence[Cluster], manual: Mapping[str, str]
) -> dict[str, Group]:
    """The group of every source. `manual` gives the group name of each source that a manual record names."""
    groups = {s: Group(name, IndependenceReason.MANUAL) for s, name in manual.items() if s in sources}
    rest = [s for s in sources if s not in groups]
    apart = set(rest)
    shared = {c.id: sorted({m.source_id for m in c.members} & apart) for c in clusters}
    judged = {s for s in rest if sources[s].cluster_id is not None}.union(*shared.values())
    sites: dict[str, list[str]] = defaultdict(list)
    for source in rest:
        sites[site_of(sources[source].normalized_url)].append(source)
    union = _Union(rest)
    for members in (*shared.values(), *sites.values()):
        union.unite(members)
    joining: dict[str, list[str]] = defaultdict(list)
    for cluster, members in shared.items():
        if len(members) > 1:
            joining[union.find(members[0])].append(cluster)
    for component in union.components():
        group = _named(component, sources, joining.get(union.find(component[0]), []), judged)
        groups |= dict.fromkeys(component, group)
    return groups


def _named(component: list[str], sources: Mapping[str, Source], joining: Sequence[str], judged: set[str]) -> Group:
    """`joining`: clusters that two or more of them share; `judged`: sources with a cluster verdict, named by
    themselves or by a cluster."""
    if judged.isdisjoint(component):
        return Group(UNKNOWN, IndependenceReason.UNKNOWN)
    if joining:
        return Group(f"cluster:{min(joining)}", IndependenceReason.CLUSTER)
    site = f"site:{site_of(sources[component[0]].normalized_url)}"
    return Group(site, IndependenceReason.SITE if len(component) > 1 else IndependenceReason.OWN)


def check_independence(given: BundleInput, found: Found) -> dict[str, Group]:
    """Compare what is stored with what the records give; the recomputed groups are what counts."""
    groups = recompute(given.sources, given.bundle.clusters, _manual(given, found))
    _compare_records(given.bundle.independence, groups, found)
    for i, edge in enumerate(given.bundle.evidence):
        group = groups.get(edge.source_id)
        found.looked_at("groups of edges")
        if group is not None and edge.independence_group != group.name:
            found.add(
                FindingKind.INDEPENDENCE_EDGE,
                pointer=pointer(("evidence", i, "independence_group")),
                ids=(edge.id, edge.source_id),
                expected=group.name,
                actual=edge.independence_group,
            )
    return groups


def _manual(given: BundleInput, found: Found) -> dict[str, str]:
    """Group name by source, from manual records. The first record wins, the second is an error."""
    out: dict[str, str] = {}
    names: set[str] = set()
    for i, record in enumerate(given.bundle.independence):
        if record.reason is not IndependenceReason.MANUAL:
            continue
        at = pointer(("independence", i))
        if record.group in names or not record.group.startswith("manual:"):
            found.add(FindingKind.INDEPENDENCE_MANUAL, pointer=at, ids=(record.group,))
        names.add(record.group)
        if not record.by.strip() or len(record.why.strip()) < MIN_WHY:
            found.add(
                FindingKind.INDEPENDENCE_UNEXPLAINED,
                pointer=at,
                ids=(record.group,),
                expected=f"by whom, and why in {MIN_WHY} characters or more",
                actual=f"by {record.by!r}: {record.why}",
            )
        for source_id in record.source_ids:
            if source_id in out:
                found.add(FindingKind.INDEPENDENCE_MANUAL, pointer=at, ids=(record.group, source_id))
            out.setdefault(source_id, record.group)
    return out


def _compare_records(records: Sequence[IndependenceGroup], groups: Mapping[str, Group], found: Found) -> None:
    members: dict[Group, set[str]] = defaultdict(set)
    for source, group in groups.items():
        members[group].add(source)
    stored: set[Group] = set()
    for i, record in enumerate(records):
        group = Group(record.group, record.reason)
        found.looked_at("groups")
        if record.reason is IndependenceReason.MANUAL:
            continue  # the record is the rule; its sources are looked up as references
        if group in stored or set(record.source_ids) != members.get(group, set()):
            found.add(
                FindingKind.INDEPENDENCE_GROUPS,
                pointer=pointer(("independence", i)),
                ids=(record.group,),
                expected=" ".join(sorted(members.get(group, set()))) or "no such group",
                actual=" ".join(sorted(record.source_ids)),
            )
        stored.add(group)
    for group in members:
        if group not in stored and group.reason is not IndependenceReason.MANUAL:
            found.add(FindingKind.INDEPENDENCE_GROUPS, pointer="/independence", ids=(group.name,), expected=group.name)
