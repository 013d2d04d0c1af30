"""One object of the cluster log as Redis commands. Pure: what it needs to know is read before, under the lock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from schemas.canonical import canonical_bytes
from schemas.records.cluster import ClusterDecision, ClusterMember, EdgeVerdict
from workers.adapters.redis.cluster_keys import ClusterKeys
from workers.dedup.sighting import witness_order
from workers.ports import ClusterChange

ARGUMENTS = 500  # of one command; Lua unpacks some thousands at most


@dataclass(frozen=True, slots=True)
class Before:
    """What the state holds of the things that a change touches."""

    sequence: int
    births: int
    witnesses: Mapping[str, str]
    clusters: Mapping[str, int]
    """Cluster id to its number of birth."""
    aliases: Mapping[str, frozenset[str]]
    """Cluster id to its aliases, for those that are merged away."""


@dataclass(slots=True)
class Commands:
    """Commands and the keys that they declare."""

    keys: list[str] = field(default_factory=list)
    commands: list[list[str | int]] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)

    def add(self, verb: str, key: str, arguments: Iterable[str] = (), *, together: int = 1) -> None:
        """A command on a key; `together` arguments are never parted when there are too many for one command."""
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.keys)
            self.keys.append(key)
        flat = list(arguments)
        step = ARGUMENTS - ARGUMENTS % together
        for start in range(0, max(1, len(flat)), step):
            self.commands.append([verb, place, *flat[start : start + step]])

    def set_fields(self, key: str, fields: Mapping[str, str]) -> None:
        """HSET, where there is anything to set."""
        if fields:
            self.add("HSET", key, (part for pair in fields.items() for part in pair), together=2)

    def add_members(self, key: str, members: Iterable[str]) -> None:
        """SADD, where there is anything to add."""
        listed = sorted(set(members))
        if listed:
            self.add("SADD", key, listed)


def commands_of(change: ClusterChange, before: Before, keys: ClusterKeys) -> Commands:
    """Everything that the change writes.

    An object that comes later in the log than all that are applied brings its decisions too. Any other one was
    written without knowledge of what is applied: its texts and edges count, its decisions do not. Unless it comes
    next (so nothing is missing between), the texts that it touches are left unsettled.
    """
    commands = Commands()
    _members(commands, change.members, before, keys)
    _edges(commands, change.verdicts, keys)
    births = before.births
    if change.sequence > before.sequence:
        births = _decisions(commands, change.decisions, before, keys)
    if change.sequence == before.sequence + 1:
        commands.add("DEL", keys.unsettled)
    else:
        ends = (end for verdict in change.verdicts for end in (verdict.a, verdict.b))
        commands.add_members(keys.unsettled, [*(member.text_sha256 for member in change.members), *ends])
    commands.add_members(keys.applied, [change.name])
    sequence = max(before.sequence, change.sequence)
    commands.set_fields(keys.meta, {"sequence": str(sequence), "births": str(births), "pending": ""})
    return commands


def _members(commands: Commands, members: Iterable[ClusterMember], before: Before, keys: ClusterKeys) -> None:
    witnesses: dict[str, str] = {}
    snapshots: dict[str, list[str]] = defaultdict(list)
    sources: dict[str, list[str]] = defaultdict(list)
    for member in members:
        text = member.text_sha256
        snapshots[text].append(f"{member.snapshot_id} {member.source_id}")
        sources[member.source_id].append(text)
        known = witnesses.get(text) or before.witnesses.get(text)
        witnesses[text] = member.snapshot_id if known is None else min(known, member.snapshot_id, key=witness_order)
    commands.set_fields(keys.witness, witnesses)
    for text, listed in snapshots.items():
        commands.add_members(keys.snapshots(text), listed)
    for source_id, texts in sources.items():
        commands.add_members(keys.source(source_id), texts)


def _edges(commands: Commands, verdicts: Iterable[EdgeVerdict], keys: ClusterKeys) -> None:
    """A later verdict on a pair stands for an earlier one; only confirmed ones are kept."""
    latest = {(verdict.a, verdict.b): verdict for verdict in verdicts}
    near: dict[str, dict[str, str]] = defaultdict(dict)
    told: dict[str, dict[str, str]] = defaultdict(dict)
    refused: dict[str, list[str]] = defaultdict(list)
    for (a, b), verdict in latest.items():
        if verdict.confirmed:
            near[a][b] = near[b][a] = str(verdict.figures.shingle_jaccard_ppm)
            told[a][b] = canonical_bytes(verdict).decode("utf-8")
        else:
            refused[a].append(b)
            refused[b].append(a)
    for text, fields in near.items():
        commands.set_fields(keys.near(text), fields)
    for text, fields in told.items():
        commands.set_fields(keys.verdicts(text), fields)
    for text, others in refused.items():
        commands.add("HDEL", keys.near(text), others)
        commands.add("HDEL", keys.verdicts(text), others)


def _decisions(commands: Commands, decisions: Iterable[ClusterDecision], before: Before, keys: ClusterKeys) -> int:
    """Each decision carries the final texts of its cluster, so that the last one on an id tells them. Returns how
    many clusters were ever born. A segment may have hundreds of births, so what they share is written together."""
    births = before.births
    numbers = dict(before.clusters)
    final: dict[str, ClusterDecision] = {}
    for decision in decisions:
        if decision.kind == "birth":
            numbers[decision.cluster_id] = births
            births += 1
        if decision.kind == "merge" and decision.other is not None:
            final.pop(decision.other, None)
            _merge(commands, decision.cluster_id, decision.other, before, keys)
        final[decision.cluster_id] = decision
    cluster_of: dict[str, str] = {}
    standing: dict[str, str] = {}
    for cluster_id, decision in final.items():
        if cluster_id in before.clusters or decision.kind != "birth":
            commands.add("DEL", keys.texts(cluster_id))
        commands.add_members(keys.texts(cluster_id), decision.texts)
        cluster_of |= dict.fromkeys(decision.texts, cluster_id)
        standing[cluster_id] = f"{numbers.get(cluster_id, births)} {decision.leader_text_sha256}"
    commands.set_fields(keys.cluster_of, cluster_of)
    commands.set_fields(keys.clusters, standing)
    return births


def _merge(commands: Commands, cluster_id: str, other: str, before: Before, keys: ClusterKeys) -> None:
    gone = before.aliases.get(other, frozenset()) | {other}
    commands.set_fields(keys.alias, dict.fromkeys(sorted(gone), cluster_id))
    commands.add_members(keys.aliases(cluster_id), gone)
    for key in (keys.texts(other), keys.aliases(other)):
        commands.add("DEL", key)
    commands.add("HDEL", keys.clusters, [other])
