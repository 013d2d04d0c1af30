"""What the cluster log says of the cluster state, noted beside it while the log is followed.

Written from the log's own rules and without a look at Redis (`workers/adapters/redis/cluster_change.py` says the same
as commands), so that the two can be compared. What follows from entries that are compared themselves is not noted: the
witness of a text is the first of its snapshots.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from scheduler.rebuild.said import Entries, Fields, Members
from schemas.canonical import canonical_bytes
from schemas.records.cluster import ClusterDecision, ClusterMember, EdgeVerdict
from workers.ports import ClusterChange, ClusterFamily


@dataclass(slots=True)
class ClusterFacts:
    """Under one parameter id."""

    params: str
    whole: bool = True
    """No object of the log was damaged: then each cluster has its birth."""
    sequence: int = 0
    births: int = 0
    snapshots: Members = field(default_factory=Members)
    sources: Members = field(default_factory=Members)
    applied: Members = field(default_factory=Members)
    cluster_of: Fields = field(default_factory=Fields)
    leaders: Fields = field(default_factory=Fields)
    born: Fields = field(default_factory=Fields)
    near: Fields = field(default_factory=Fields)
    verdicts: Fields = field(default_factory=Fields)
    unsettled: set[str] = field(default_factory=set)
    merged: dict[bytes, bytes] = field(default_factory=dict)
    """Younger id to the one that took it in, which may have been merged in its turn."""

    def follow(self, change: ClusterChange) -> None:
        """Take in the next object of the log."""
        self._members(change.members)
        self._edges(change.verdicts)
        if change.sequence > self.sequence:
            self._decisions(change.decisions)
        if change.sequence == self.sequence + 1:
            self.unsettled.clear()
        else:
            self.unsettled.update(member.text_sha256 for member in change.members)
            self.unsettled.update(end for verdict in change.verdicts for end in (verdict.a, verdict.b))
        self.applied.add([(change.name.encode(),)])
        self.sequence = max(self.sequence, change.sequence)

    def settled(self) -> dict[ClusterFamily, Entries]:
        """What each family of keys must hold in the end."""
        texts = self.cluster_of.settled()
        found: dict[ClusterFamily, Entries] = {
            "clusters of texts": texts,
            "texts of clusters": texts,
            "leaders of clusters": self.leaders.settled(),
            "snapshots of texts": self.snapshots.settled(),
            "texts of sources": self.sources.settled(),
            "confirmed edges": self.near.settled(),
            "verdicts on edges": self.verdicts.settled(),
            "applied objects": self.applied.settled(),
        }
        if self.whole:
            found["numbers of birth"] = self.born.settled()
        aliases = [(other, self._stands_for(other)) for other in self.merged]
        found["ids of merged clusters"] = found["aliases of clusters"] = _settled(aliases)
        found["unsettled texts"] = _settled((text.encode(),) for text in self.unsettled)
        numbers = {"sequence": self.sequence, "births": self.births, "loaded": 1}
        place = [(name.encode(), str(value).encode()) for name, value in numbers.items()]
        found["fields of the place in the log"] = _settled([*place, (b"pending", b"")])
        return found

    # --- within ---

    def _members(self, members: Iterable[ClusterMember]) -> None:
        listed = [
            (member.text_sha256.encode(), member.snapshot_id.encode(), member.source_id.encode()) for member in members
        ]
        self.snapshots.add((text, snapshot + b" " + source) for text, snapshot, source in listed)
        self.sources.add((source, text) for text, _, source in listed)

    def _edges(self, verdicts: Iterable[EdgeVerdict]) -> None:
        for verdict in verdicts:
            a, b = verdict.a.encode(), verdict.b.encode()
            overlap = str(verdict.figures.shingle_jaccard_ppm).encode() if verdict.confirmed else None
            for one, other in ((a, b), (b, a)):
                self.near.put((one, other), None if overlap is None else (one, other, overlap))
            told = (a, b, canonical_bytes(verdict)) if verdict.confirmed else None
            self.verdicts.put((a, b), told)

    def _decisions(self, decisions: Iterable[ClusterDecision]) -> None:
        """Each carries the final texts of its cluster, so that the last one on an id tells them."""
        final: dict[str, ClusterDecision] = {}
        for decision in decisions:
            cluster = decision.cluster_id.encode()
            if decision.kind == "birth":
                self.born.put(cluster, (cluster, str(self.births).encode()))
                self.births += 1
            if decision.kind == "merge" and decision.other is not None:
                other = decision.other.encode()
                final.pop(decision.other, None)
                self.merged[other] = cluster
                self.born.put(other, None)
                self.leaders.put(other, None)
            final[decision.cluster_id] = decision
        for cluster_id, decision in final.items():
            cluster = cluster_id.encode()
            self.leaders.put(cluster, (cluster, decision.leader_text_sha256.encode()))
            for text in decision.texts:
                packed = text.encode()
                self.cluster_of.put(packed, (packed, cluster))

    def _stands_for(self, other: bytes) -> bytes:
        while (into := self.merged.get(other)) is not None:
            other = into
        return other


def _settled(entries: Iterable[tuple[bytes, ...]]) -> Entries:
    members = Members()
    members.add(entries)
    return members.settled()
