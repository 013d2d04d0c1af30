"""Independence groups, recomputed from the records (R071, X31, X34): distinct groups count, never URLs.

Our own union-find, by the rules of the format's section "Independence" alone: what the archive
stored is compared with it and never used. Manual records of several sources, clusters and sites all
unite; the order manual, cluster, site, own only names the reason; only a manual record of one source splits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from schemas.findings import FindingKind
from schemas.judging import MIN_WHY, gives_reason, says_something
from schemas.pointer import pointer
from schemas.records.cluster import Cluster
from schemas.records.independence import IndependenceGroup, IndependenceReason
from schemas.records.source import Source
from validator.found import Found
from validator.input import BundleInput
from validator.sites import Sites, sites_of

UNKNOWN = "unknown"
"""As in the decision log."""


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    reason: IndependenceReason
    set_apart: bool = field(default=False, compare=False)
    """A person said that its one source stands alone."""


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


def recompute(
    sources: Mapping[str, Source], clusters: Sequence[Cluster], manual: Mapping[str, str], site: Sites
) -> dict[str, Group]:
    """The group of every source. `manual` gives the group name of each source that a manual record names, also of
    those that are not among `sources`: a record of several does not split, however few of them are there."""
    named: dict[str, list[str]] = defaultdict(list)
    for source, name in manual.items():
        named[name].append(source)
    groups = {
        own[0]: Group(name, IndependenceReason.MANUAL, set_apart=True)
        for name, own in named.items()
        if len(own) == 1 and own[0] in sources
    }
    rest = [s for s in sources if s not in groups]
    apart = set(rest)
    shared = {c.id: sorted({m.source_id for m in c.members} & apart) for c in clusters}
    judged = {s for s in rest if sources[s].cluster_id is not None}.union(*shared.values())
    sites: dict[str, list[str]] = defaultdict(list)
    for source in rest:
        sites[site.of(sources[source].normalized_url)].append(source)
    by_hand = {name: together for name, own in named.items() if len(together := sorted(apart.intersection(own))) > 1}
    union = _Union(rest)
    for members in (*shared.values(), *sites.values()):
        union.unite(members)
    union.unite([s for component in union.components() if judged.isdisjoint(component) for s in component])
    for members in by_hand.values():
        union.unite(members)
    decided: dict[str, list[str]] = defaultdict(list)
    for name, members in by_hand.items():
        decided[union.find(members[0])].append(name)
    joining: dict[str, list[str]] = defaultdict(list)
    for cluster, members in shared.items():
        if len(members) > 1:
            joining[union.find(members[0])].append(cluster)
    for component in union.components():
        root = union.find(component[0])
        if root in decided and not judged.isdisjoint(component):
            group = Group(min(decided[root]), IndependenceReason.MANUAL)
        else:
            group = _named(component, joining.get(root, []), judged, site.of(sources[component[0]].normalized_url))
        groups |= dict.fromkeys(component, group)
    return groups


def _named(component: list[str], joining: Sequence[str], judged: set[str], site: str) -> Group:
    """`joining`: clusters that two or more of them share; `judged`: sources with a cluster verdict, named by
    themselves or by a cluster; `site`: that of all, where no cluster joins them."""
    if judged.isdisjoint(component):
        return Group(UNKNOWN, IndependenceReason.UNKNOWN)
    if joining:
        return Group(f"cluster:{min(joining)}", IndependenceReason.CLUSTER)
    return Group(f"site:{site}", IndependenceReason.SITE if len(component) > 1 else IndependenceReason.OWN)


def check_independence(given: BundleInput, found: Found) -> dict[str, Group]:
    """Compare what is stored with what the records give; the recomputed groups are what counts."""
    groups = recompute(given.sources, given.bundle.clusters, _manual(given, found), sites_of(given))
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
        if not says_something(record.by) or not gives_reason(record.why):
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
            # The record is a rule, and its sources are looked up as references: but nobody may be torn off by it.
            if not members.get(group, set()) <= set(record.source_ids):
                _differs(found, i, record, members[group])
            continue
        if group in stored or set(record.source_ids) != members.get(group, set()):
            _differs(found, i, record, members.get(group, set()))
        stored.add(group)
    for group in members:
        if group not in stored and group.reason is not IndependenceReason.MANUAL:
            found.add(FindingKind.INDEPENDENCE_GROUPS, pointer="/independence", ids=(group.name,), expected=group.name)


def _differs(found: Found, index: int, record: IndependenceGroup, members: set[str]) -> None:
    found.add(
        FindingKind.INDEPENDENCE_GROUPS,
        pointer=pointer(("independence", index)),
        ids=(record.group,),
        expected=" ".join(sorted(members)) or "no such group",
        actual=" ".join(sorted(record.source_ids)),
    )
