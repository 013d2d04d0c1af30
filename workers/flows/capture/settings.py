"""What a capture flow is given: ports, and settings that never change while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from workers.archive.file_parts import PART_BYTES
from workers.archive.packing import Compression
from workers.archive.segment import SYNC_BYTES, SYNC_SECONDS
from workers.capture.guard import Networks
from workers.capture.limits import MAX_REDIRECTS, FetchLimits
from workers.capture.pacing import DEFAULT_PACE, Pace
from workers.capture.requisites.wanted import RequisiteLimits
from workers.capture.retries import RetrySchedule
from workers.flows.capture.batches import Batches
from workers.flows.capture.rests import Rests
from workers.ports import (
    Announcer,
    Catalog,
    Clock,
    Frontier,
    Ledger,
    ObjectStore,
    Permits,
    RequisiteIndex,
    RevisitIndex,
    SegmentFiles,
    VersionIndex,
)


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """How to fetch and how to write. Times in seconds, sizes in bytes."""

    software: str
    user_agent: str
    worker: str
    contact: str | None = None
    limits: FetchLimits = FetchLimits()  # noqa: RUF009 (frozen)
    allowed_networks: Networks = ()
    pace: Pace = DEFAULT_PACE
    address_hosts: int = 2
    """Hosts served at a time on one public address; 0: as many as there are."""
    permit_patience_seconds: float = 30.0
    """How long a visit waits for a host that its batch does not have, before it goes on in another batch."""
    retries: RetrySchedule = RetrySchedule()  # noqa: RUF009 (frozen)
    """When a URL that got no answer is tried again."""
    max_redirects: int = MAX_REDIRECTS
    requisites: RequisiteLimits = RequisiteLimits()  # noqa: RUF009 (frozen)
    batch_seconds: float = 300.0
    heartbeat_seconds: float = 3.0
    sync_bytes: int = SYNC_BYTES
    sync_seconds: float = SYNC_SECONDS
    segment_bytes: int = 64 * 1024 * 1024
    segment_seconds: float = 30.0
    interactive_segment_seconds: float = 2.0
    """The same where somebody waits: the pages of a batch do not wait for its slowest one."""
    part_bytes: int = PART_BYTES
    """What goes up at a time while a segment grows; at least 5 MiB over S3."""
    compression: Compression = "gzip"
    spool_free_bytes: int = 0
    """No batch is begun while less is free where segments lie."""
    spool_place: str = ""
    """Where that is, for messages."""
    room_patience_seconds: float = 30.0
    """How long a batch waits for that, before it goes back."""
    tick_seconds: float = 0.25
    stop_seconds: float = 3.0
    """For answers that are on their way when the worker is told to stop."""

    def for_requisites(self) -> CaptureSettings:
        """The same for what pages need, robots.txt of its hosts included: with less patience, since it is much."""
        own = self.requisites
        limits = replace(
            self.limits,
            total_seconds=min(self.limits.total_seconds, own.fetch_seconds),
            idle_seconds=min(self.limits.idle_seconds, own.fetch_seconds / 2),
        )
        patience = min(self.permit_patience_seconds, own.patience_seconds)
        return replace(self, limits=limits, permit_patience_seconds=patience)


@dataclass(frozen=True, slots=True)
class SettlePorts:
    """What it takes to follow a receipt, wherever that is done."""

    store: ObjectStore
    frontier: Frontier
    ledger: Ledger
    catalog: Catalog
    revisits: RevisitIndex
    versions: VersionIndex
    requisites: RequisiteIndex
    announcer: Announcer
    clock: Clock


@dataclass(frozen=True, slots=True)
class CapturePorts(SettlePorts):
    permits: Permits
    files: SegmentFiles
    rests: Rests = field(default_factory=Rests)
    batches: Batches = field(default_factory=Batches)
    """Both are one for all batches of a process."""
