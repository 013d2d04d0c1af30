"""Independence groups: distinct groups count, never URLs or domains (R070, R071, X31, X34). Rule `independence@2`.

1. A source that is alone in a manual record was set apart: it belongs to that group (`manual:<name>`) and takes no
   part in unions. Nothing else splits.
2. Other sources are united when they share a cluster, by any of their snapshots, or a site: the registrable domain of
   the host by the list of public suffixes that is a policy (`suffixes.py`). `independence@1` took the host itself.
3. Components that hold no source with a known cluster verdict are united into one group, `unknown`.
4. A manual record of several sources unites the components that these are in. So it never takes anybody out of one.
5. A component's name, where it is not `unknown`, is `manual:<smallest of the names that join two or more of its
   sources>`; where none does, `cluster:<smallest of the cluster ids that do>`; where no cluster does, `site:<site>`,
   with the reason `site` for several sources and `own` for one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from schemas.records.base import UtcTime
from schemas.records.independence import IndependenceGroup, IndependenceReason
from workers.dedup.suffixes import owner_of

RULE = "independence@2"
UNKNOWN_GROUP = "unknown"

_NAME = re.compile(r"[!-~]{1,300}")


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What the rules look at. No cluster id: nothing has been said of any of its texts yet."""

    source_id: str
    normalized_url: str
    cluster_ids: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class ManualGroup:
    """One manual record: these sources are one, or this one stands alone, says who, when and why."""

    name: str
    source_ids: tuple[str, ...]
    by: str
    at: UtcTime
    why: str
    is_rest: bool = False
    """One source that others have left: nobody said that it stands alone, so nothing follows for it."""

    @property
    def sets_apart(self) -> bool:
        """Whether it says that its one source stands alone."""
        return len(self.source_ids) == 1 and not self.is_rest


class IndependenceProblem(StrEnum):
    NAMED_TWICE = "source-in-two-manual-groups"
    SAME_NAME = "two-manual-groups-of-one-name"
    BAD_NAME = "manual-group-name"
    DUPLICATE_SOURCE = "duplicate-source"


@dataclass(frozen=True, slots=True)
class IndependenceError:
    """Why no groups can be derived. `subject` is a source id or a group's name."""

    problem: IndependenceProblem
    subject: str
    message: str


def independence_groups(
    sources: Iterable[SourceFacts], manual: Sequence[ManualGroup] = ()
) -> tuple[IndependenceGroup, ...] | IndependenceError:
    """The groups of these sources, sorted by name; each source is in exactly one."""
    known: dict[str, SourceFacts] = {}
    for source in sources:
        if known.setdefault(source.source_id, source) != source:
            return _error(
                IndependenceProblem.DUPLICATE_SOURCE, source.source_id, "a source is given twice, differently"
            )
    contradiction = _contradiction(manual)
    if contradiction is not None:
        return contradiction
    alone = {record.source_ids[0]: record for record in manual if record.sets_apart}
    groups = [_manual_group(record, [one]) for one, record in alone.items() if one in known]
    uniting = [record for record in manual if not record.sets_apart]
    groups += _derived_groups([source for source in known.values() if source.source_id not in alone], uniting)
    return tuple(sorted(groups, key=lambda group: group.group))


def group_at_publication(source: SourceFacts, shared: Collection[str], manual: Sequence[ManualGroup] = ()) -> str:
    """The name of one source's group as a leaf binds it: by its own relations alone, without what they lead to.

    `shared`: those of its clusters that hold another source too.
    """
    for record in manual:
        if source.source_id in record.source_ids and not record.is_rest:
            return f"manual:{record.name}"
    if not source.cluster_ids:
        return UNKNOWN_GROUP
    joining = source.cluster_ids.intersection(shared)
    return f"cluster:{min(joining)}" if joining else f"site:{owner_of(source.normalized_url)}"


def _contradiction(manual: Sequence[ManualGroup]) -> IndependenceError | None:
    """Why these records cannot all hold, if they cannot."""
    named: dict[str, str] = {}
    names: set[str] = set()
    for record in manual:
        if _NAME.fullmatch(record.name) is None:
            return _error(
                IndependenceProblem.BAD_NAME,
                record.name[:40],
                "a name is 1 to 300 printable ASCII characters, no space",
            )
        if record.name in names:
            return _error(IndependenceProblem.SAME_NAME, record.name, "put all sources of a group into one record")
        names.add(record.name)
        for source_id in record.source_ids:
            if named.setdefault(source_id, record.name) != record.name:
                return _error(
                    IndependenceProblem.NAMED_TWICE,
                    source_id,
                    f"it stands in the manual groups {named[source_id]} and {record.name}; keep one of them",
                )
    return None


def _manual_group(record: ManualGroup, source_ids: Iterable[str]) -> IndependenceGroup:
    return IndependenceGroup(
        group=f"manual:{record.name}",
        source_ids=tuple(sorted(source_ids)),
        reason=IndependenceReason.MANUAL,
        by=record.by,
        at=record.at,
        why=record.why,
    )


def _derived_groups(sources: Sequence[SourceFacts], uniting: Sequence[ManualGroup]) -> list[IndependenceGroup]:
    by_relation: dict[str, list[str]] = defaultdict(list)
    for source in sources:
        for cluster in source.cluster_ids:
            by_relation[f"cluster:{cluster}"].append(source.source_id)
        by_relation[f"site:{owner_of(source.normalized_url)}"].append(source.source_id)
    facts = {source.source_id: source for source in sources}
    known = _components(facts, [ids for ids in by_relation.values() if len(ids) > 1])
    by_relation[UNKNOWN_GROUP] = [
        source for component in known for source in component if _is_unknown(component, facts)
    ]
    for record in uniting:
        by_relation[f"manual:{record.name}"] = [source for source in record.source_ids if source in facts]
    joins = {relation: ids for relation, ids in by_relation.items() if len(ids) > 1}
    records = [record for record in sorted(uniting, key=lambda one: one.name) if f"manual:{record.name}" in joins]
    groups: list[IndependenceGroup] = []
    unknown: list[str] = []
    for component in _components(facts, joins.values()):
        if _is_unknown(component, facts):
            unknown += component
        elif joining := [record for record in records if not set(component).isdisjoint(record.source_ids)]:
            groups.append(_manual_group(joining[0], component))
        else:
            groups.append(_named(component, facts, joins))
    if unknown:
        why = "nothing is known yet of what these sources share; together they count as one"
        groups.append(_group(UNKNOWN_GROUP, unknown, IndependenceReason.UNKNOWN, why))
    return groups


def _is_unknown(component: Iterable[str], facts: Mapping[str, SourceFacts]) -> bool:
    return not any(facts[source_id].cluster_ids for source_id in component)


def _named(
    component: Sequence[str], facts: Mapping[str, SourceFacts], joins: Mapping[str, Sequence[str]]
) -> IndependenceGroup:
    clusters = frozenset[str]().union(*(facts[source_id].cluster_ids for source_id in component))
    joining = sorted(cluster for cluster in clusters if f"cluster:{cluster}" in joins)
    if joining:
        why = "texts of these sources are near-duplicates, or their site is one"
        return _group(f"cluster:{joining[0]}", component, IndependenceReason.CLUSTER, why)
    site = owner_of(facts[component[0]].normalized_url)
    if len(component) > 1:
        return _group(f"site:{site}", component, IndependenceReason.SITE, "one site stands behind these sources")
    return _group(f"site:{site}", component, IndependenceReason.OWN, "no other source shares its text or its site")


def _components(nodes: Iterable[str], relations: Iterable[Sequence[str]]) -> list[list[str]]:
    """Connected components, by union-find with path halving; each sorted, in the order of their first node."""
    parent = {node: node for node in nodes}

    def root(node: str) -> str:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for first, *others in relations:
        for other in others:
            low, high = sorted((root(first), root(other)))
            parent[high] = low
    components: dict[str, list[str]] = defaultdict(list)
    for node in sorted(parent):
        components[root(node)].append(node)
    return list(components.values())


def _group(name: str, source_ids: Iterable[str], reason: IndependenceReason, why: str) -> IndependenceGroup:
    return IndependenceGroup(group=name, source_ids=tuple(sorted(source_ids)), reason=reason, by=RULE, at=None, why=why)


def _error(problem: IndependenceProblem, subject: str, message: str) -> IndependenceError:
    return IndependenceError(problem, subject, message)
