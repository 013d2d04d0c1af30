"""The Protocols through which flows touch the world. Adapters implement them, `bootstrap` wires them.

All of them are asynchronous: a flow runs in one event loop, and an adapter over a blocking client
moves the call to a thread. Errors are those of `workers.errors`.
"""

from __future__ import annotations

from workers.ports.clock import Clock
from workers.ports.clusters import (
    CandidateIndex,
    ClusterChange,
    ClusterFamily,
    ClusterMembers,
    ClusterPosition,
    ClusterState,
    Neighbourhood,
)
from workers.ports.frontier import (
    Asked,
    Batch,
    BatchAside,
    Frontier,
    Held,
    JobProgress,
    JobState,
    Lease,
    NotClaimed,
    QueuedUrl,
)
from workers.ports.judging import Endpoint
from workers.ports.links import FoundUrl, FoundUrls, LinkBudgets, LinkStanding
from workers.ports.lookups import (
    Catalog,
    CataloguedLine,
    CataloguedPlace,
    CataloguedSnapshot,
    FilePlace,
    KnownVersion,
    Original,
    RequisiteIndex,
    RevisitIndex,
    VersionIndex,
    VersionSeen,
)
from workers.ports.objects import FilePart, ObjectInfo, ObjectStore, Upload, UploadedPart, Uploads
from workers.ports.pipeline import Announcer, Ledger, SegmentEntry, Stage
from workers.ports.politeness import AddressSlot, NotBefore, Permit, Permits, RobotsCopies
from workers.ports.signing import Signer
from workers.ports.spool import LeftBatch, SegmentFiles
from workers.ports.visits import DueAt, DueCounts, DueQueue

__all__ = [
    "AddressSlot",
    "Announcer",
    "Asked",
    "Batch",
    "BatchAside",
    "CandidateIndex",
    "Catalog",
    "CataloguedLine",
    "CataloguedPlace",
    "CataloguedSnapshot",
    "Clock",
    "ClusterChange",
    "ClusterFamily",
    "ClusterMembers",
    "ClusterPosition",
    "ClusterState",
    "DueAt",
    "DueCounts",
    "DueQueue",
    "Endpoint",
    "FilePart",
    "FilePlace",
    "FoundUrl",
    "FoundUrls",
    "Frontier",
    "Held",
    "JobProgress",
    "JobState",
    "KnownVersion",
    "Lease",
    "Ledger",
    "LeftBatch",
    "LinkBudgets",
    "LinkStanding",
    "Neighbourhood",
    "NotBefore",
    "NotClaimed",
    "ObjectInfo",
    "ObjectStore",
    "Original",
    "Permit",
    "Permits",
    "QueuedUrl",
    "RequisiteIndex",
    "RevisitIndex",
    "RobotsCopies",
    "SegmentEntry",
    "SegmentFiles",
    "Signer",
    "Stage",
    "Upload",
    "UploadedPart",
    "Uploads",
    "VersionIndex",
    "VersionSeen",
]
