"""Near-duplicates: candidates and clusters."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from schemas.records.cluster import ClusterDecision, ClusterMember, EdgeVerdict, Fingerprint


class CandidateIndex(Protocol):
    """Banded LSH over fingerprints. Derived, and only ever suspects: what it lacks costs recall, never truth."""

    async def insert(self, prints: Sequence[Fingerprint]) -> Mapping[str, frozenset[str]]:
        """Put texts in; for each of them, those that were there and agree in a band. Again is harmless, and
        answers again. Texts without a sketch have no candidates and get none."""

    def filling(self) -> CandidateFilling:
        """For who puts many texts in and asks for no candidates."""


class CandidateFilling(Protocol):
    """Leaves an index as inserting does. Again is harmless."""

    async def put(self, prints: Sequence[Fingerprint]) -> None:
        """Put texts in, at once or later."""

    async def end(self) -> None:
        """Whatever was put is in."""


@dataclass(frozen=True, slots=True)
class ClusterPosition:
    """How far the state has followed the cluster log."""

    sequence: int
    pending: str
    """Key of an object that a worker was about to write; it may exist without having been applied."""
    unsettled: frozenset[str]
    """Texts whose edges have changed without a decision; the next segment decides on them."""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Texts with everything that edges or clusters connect them to."""

    witnesses: Mapping[str, str]
    """Text to the id of the snapshot that showed it first, for texts that are known."""
    cluster_ids: Mapping[str, str]
    """Text to its cluster."""
    edges: Mapping[tuple[str, str], int]
    """Confirmed edges, the smaller text first, with their overlap in parts per million."""
    clusters: Mapping[str, tuple[int, str]]
    """Cluster id to (how many were born before it, its leader)."""


@dataclass(frozen=True, slots=True)
class ClusterChange:
    """What one object of the cluster log brings."""

    sequence: int
    name: str
    """Of the object: extractor and segment."""
    members: Sequence[ClusterMember]
    verdicts: Sequence[EdgeVerdict]
    decisions: Sequence[ClusterDecision]


@dataclass(frozen=True, slots=True)
class ClusterMembers:
    """A cluster as it stands: under its own id, whatever alias was asked for."""

    id: str
    leader_text_sha256: str
    members: tuple[ClusterMember, ...]
    """All snapshots of all its texts, sorted by id."""
    aliases: tuple[str, ...]


ClusterFamily: TypeAlias = Literal[
    "clusters of texts", "texts of clusters", "leaders of clusters", "numbers of birth", "ids of merged clusters",
    "aliases of clusters", "witnesses of texts", "snapshots of texts", "texts of sources", "confirmed edges",
    "verdicts on edges", "applied objects", "unsettled texts", "fields of the place in the log",
]  # fmt: skip
"""What the state is made of, as it is read back in full."""


class ClusterState(Protocol):
    """Clusters as the log in the store tells them. Derived: `workers.flows.cluster_load` builds it anew.

    Reading a state that was not loaded raises RetryableError, so that a lost one never looks like an archive
    without duplicates. Only who holds the lock may write.
    """

    async def hold(self, seconds: float) -> str | None:
        """Take the lock; a token, or None where somebody else has it."""

    async def keep(self, token: str, seconds: float) -> bool:
        """Hold it longer. False: it is lost."""

    async def release(self, token: str) -> None:
        """Give it back, if it is still held."""

    async def position(self) -> ClusterPosition | None:
        """None: nothing is loaded."""

    async def is_applied(self, name: str) -> bool:
        """Whether the object of this name is in the state."""

    async def intend(self, token: str, clusters_key: str) -> bool:
        """Note the object that is about to be written. False: the lock is lost."""

    async def witnesses(self, texts: Sequence[str]) -> Mapping[str, str]:
        """Text to the id of the snapshot that showed it first; unknown texts are left out."""

    async def neighbourhood(self, texts: Iterable[str]) -> Neighbourhood:
        """Everything that edges or clusters connect these texts to."""

    async def taken(self, cluster_ids: Sequence[str]) -> frozenset[str]:
        """Those of these ids that were given before."""

    async def apply(self, token: str, change: ClusterChange) -> bool:
        """Follow the log by one object. One that comes before what is applied brings its texts and edges only; one
        that does not come next leaves its texts unsettled. False: the lock is lost, or somebody else went on."""

    async def clear(self, token: str) -> bool:
        """Forget everything; from now on nothing is loaded. False: the lock is lost."""

    async def loaded(self, token: str) -> bool:
        """All objects of the log are applied. False: the lock is lost."""

    async def cluster_of(self, text_sha256: str) -> str | None:
        """The cluster of a text; None: no verdict yet."""

    async def clusters_of_source(self, source_id: str) -> frozenset[str]:
        """The clusters of all texts that a source ever had."""

    async def resolve(self, cluster_id: str) -> str | None:
        """The id under which a cluster stands now; None: it was never given."""

    async def members(self, cluster_id: str) -> ClusterMembers | None:
        """A cluster by its id or an alias of it."""

    async def edges(self, cluster_id: str) -> list[EdgeVerdict]:
        """The confirmed edges between texts of a cluster."""

    async def snapshots_of_text(self, text_sha256: str) -> list[ClusterMember]:
        """All citeable snapshots with this text, sorted by id."""

    def all(self) -> AsyncIterator[str]:
        """Ids of all clusters, in no order; what changes meanwhile may be missed or come twice."""
