"""The Protocols through which flows touch the world. Adapters implement them, `bootstrap` wires them.

All of them are asynchronous: a flow runs in one event loop, and an adapter over a blocking client
moves the call to a thread. Errors are those of `workers.errors`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path
from typing import Literal, Protocol

from schemas.ids import utc_string
from schemas.messages import TaskMessage
from schemas.records.cluster import ClusterDecision, ClusterMember, EdgeVerdict, Fingerprint
from schemas.records.compaction import Compaction
from schemas.records.job import Lane, StoredJob
from schemas.records.outcome import Outcome, UrlOutcome
from schemas.records.receipt import Receipt, Token
from schemas.records.snapshot import MemberLocation, SnapshotLine
from workers.light import light

# --- time ------------------------------------------------------------------------------------


class Clock(Protocol):
    """Where flows get the time from; nothing pure ever asks."""

    def now(self) -> datetime:
        """Aware, in UTC."""

    def monotonic(self) -> float:
        """Seconds of a clock that never goes back."""


# --- objects ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What the store says of an object. The ETag serves If-Match only; it is never a digest."""

    key: str
    size: int
    etag: str


@light
class Upload:
    """An object that is on its way into the store, part by part. Nobody sees it before it is completed."""

    key: str
    id: str
    begun_at: datetime
    """Aware, in UTC; of one that was found, by the store's clock."""


@light
class FilePart:
    """Bytes of a file that are one part of an upload."""

    path: Path
    offset: int
    size: int
    sha256: str


@light
class UploadedPart:
    """A part that the store has."""

    number: int
    """From 1."""
    size: int
    etag: str
    """The store's name for it, which completing asks for; it is never a digest."""
    sha256: str | None
    """64 lower-case hex, as the store says; None where it says none."""


class Uploads(Protocol):
    """Objects that go up in parts, over hours and by several processes where need be. Parts of one upload come in
    order, each but the last of the same size, at least 5 MiB. UploadLostError, from any of these calls: the upload was
    aborted, completed, or does not hold what it should; the object can go up anew."""

    async def begin(self, key: str, *, content_type: str = "application/octet-stream") -> Upload:
        """A new upload. There may be several of one key."""

    async def send(self, upload: Upload, number: int, part: FilePart) -> UploadedPart:
        """Store one part: its SHA-256 travels with the bytes, and the store checks it. The file is read in pieces. One
        that is sent again takes the place of the earlier, and ends those after it."""

    async def parts(self, upload: Upload) -> Sequence[UploadedPart]:
        """What is there of it, by number; a number twice where a part was sent twice."""

    async def complete(
        self, upload: Upload, parts: Sequence[UploadedPart], digests: Sequence[str], *, sha256: str
    ) -> None:
        """Make the object of these parts, and confirm it: by the checksums of its parts and its size, else by reading
        it back. `digests`: the SHA-256 that each of them must have; `sha256`: the one of the whole."""

    async def abort(self, upload: Upload) -> None:
        """Give its parts up; one that is gone is no error."""

    def begun(self, prefix: str) -> AsyncIterator[Upload]:
        """Uploads of keys under a prefix that are neither completed nor aborted, in no order that may be relied on."""


class ObjectStore(Protocol):
    """An S3-compatible bucket (and prefix), with read-after-write and conditional PUT."""

    @property
    def uploads(self) -> Uploads:
        """The same store, for objects that go up in parts."""

    async def put(
        self,
        key: str,
        body: bytes | Path,
        *,
        content_type: str = "application/octet-stream",
        sha256: str | None = None,
    ) -> None:
        """Store and confirm: a SHA-256 checksum travels with the bytes, and the store checks it. `sha256`: the one that
        the caller knows already; CorruptError where the file has come to hold other bytes."""

    async def create(self, key: str, body: bytes | Path, *, content_type: str = "application/octet-stream") -> bool:
        """Store with `If-None-Match: *`. True: these bytes are there now (also if an earlier try put them);
        False: other bytes were there first."""

    async def replace(self, key: str, body: bytes, *, etag: str) -> bool:
        """Store with `If-Match`. False: somebody else changed it in between."""

    async def get(self, key: str, *, limit: int | None = None) -> bytes:
        """The whole object; `limit` bytes at most, else PermanentError. ObjectMissingError if absent."""

    async def get_range(self, key: str, offset: int, length: int) -> bytes:
        """Exactly these bytes; CorruptError if the store returns fewer."""

    async def info(self, key: str) -> ObjectInfo | None:
        """Size and ETag, or None where there is no such object."""

    def list(self, prefix: str) -> AsyncIterator[str]:
        """Keys under a prefix, in no order that may be relied on."""

    async def delete(self, key: str) -> None:
        """Remove an object; one that is not there is no error. Only for what stands elsewhere, byte for byte, or what
        nothing names."""


# --- segments on disk ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LeftBatch:
    """A batch of which segments lie on this machine that no running worker holds."""

    batch_id: str
    segments: tuple[Path, ...]
    left_seconds: float
    """How long ago the last of them was written to."""


class SegmentFiles(Protocol):
    """Where segments lie before they are stored: a folder a batch, held by one process while that lives.

    The calls are quick and block: they look at names and move files, and never read one.
    """

    def folder(self, batch_id: str) -> Path:
        """The folder for new segments of a batch, made where it is not there."""

    def take(self, batch_id: str) -> Sequence[Path]:
        """Segments of the batch that a process which is gone, or has given the batch up, left here: they are in
        the batch's folder now, oldest first."""

    def end(self, batch_id: str) -> None:
        """This process is done with the batch. What lies in its folder still may be taken by any other."""

    def left(self, *, at_least_seconds: float) -> Sequence[LeftBatch]:
        """Batches that wait to be taken and were left at least so long ago. Each is told once in that time."""

    def drop(self, batch_id: str) -> None:
        """Remove what waits of a batch."""

    def free_bytes(self) -> int:
        """Room for more."""


# --- frontier --------------------------------------------------------------------------------


@light
class QueuedUrl:
    """A URL of a job as the frontier holds it. `host` is the politeness key (scheme-less host:port) of what is fetched
    next: the URL itself, or `resumes_at`."""

    requested_url: str
    normalized_url: str
    host: str
    visit: int = 1
    tries: int = 0
    depth: int = 0
    via: tuple[str, ...] = ()
    """Redirects of this visit that were followed in an earlier batch, and are archived."""
    resumes_at: str | None = None
    """Where the last of them led; None: the visit begins."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A set of URLs of one job, many hosts, leased as one."""

    batch_id: str
    job_id: str
    lane: Lane
    urls: tuple[QueuedUrl, ...]
    fruitless: int = field(default=0, compare=False)
    """Of a reclaimed one: how often it was claimed since it last got on."""
    stopped: bool = field(default=False, compare=False)
    """Of a reclaimed one: its job is paused or cancelled."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A worker's right to a batch until `seconds` from the claim, by its own monotonic clock."""

    batch: Batch
    token: Token
    seconds: float
    calls: int = 0
    """How often somebody had asked by then for another try of the job's failures."""


@dataclass(frozen=True, slots=True)
class NotClaimed:
    """Why a batch cannot be had: it is done, somebody else's lease still runs, or its job is paused or cancelled."""

    reason: Literal["done", "leased", "unknown", "stopped"]


class Held(IntEnum):
    """What a heartbeat hears of its lease."""

    LOST = 0
    """Stop."""
    HELD = 1
    STOPPED = 2
    """Held, but the job is paused or cancelled: hand back what is left."""


JobState = Literal["running", "paused", "cancelled"]


@dataclass(frozen=True, slots=True)
class JobProgress:
    """A job as its sets stand: known, done and waiting URLs, and done ones by outcome."""

    job_id: str
    known: int
    done: int
    outcomes: Mapping[str, int]
    hosts_waiting: int
    state: JobState
    intake_open: bool = False
    """Seeds are still being queued, so what is known is not all there is."""
    later: int = 0
    """URLs that got no answer and wait for their next try; none of them is done."""
    next_try_ms: int | None = None
    """When the first of them is due."""
    unread_segments: int = 0
    """Committed segments whose links the job is still to take: they may bring more to be known."""

    @property
    def shown_state(self) -> JobState | Literal["captured"]:
        """One word for people."""
        return "captured" if self.captured_all and self.state != "cancelled" else self.state

    @property
    def next_try_at(self) -> str | None:
        """The same as RFC 3339 in UTC."""
        if self.next_try_ms is None:
            return None
        return utc_string(datetime.fromtimestamp(self.next_try_ms / 1000, UTC))

    @property
    def at_rest(self) -> bool:
        """Whether nothing can be done for it now: what has no outcome waits for its next try."""
        return not self.intake_open and not self.unread_segments and self.done + self.later >= self.known

    @property
    def captured_all(self) -> bool:
        """Derived from sets of one moment: all seeds are known, no page is left whose links may bring more, and nothing
        that is known lacks an outcome."""
        return not self.intake_open and not self.unread_segments and self.done >= self.known


class Frontier(Protocol):
    """The lease protocol that both planes speak. Every call is one atomic script that checks the epoch first
    (EpochError where it is missing or another)."""

    async def open_job(self, job: StoredJob) -> None:
        """Make a job known; again is harmless."""

    async def admit(self, job_id: str, urls: Sequence[QueuedUrl]) -> int:
        """Queue URLs that the job does not know yet; how many were new."""

    async def close_intake(self, job_id: str) -> None:
        """All seeds of the job are queued: from now on it can be complete."""

    async def release(self, *, now_ms: int, batches: int, urls: int, lane: Lane | None = None) -> list[Batch]:
        """Form batches from hosts that are ready, of one lane or interactive first. A host is in one batch at a
        time."""

    async def backlog(self, lane: Lane) -> int:
        """How many released batches no worker has claimed yet."""

    async def waiting(self, lane: Lane) -> list[str]:
        """Some of those batches, the one that was formed first at the beginning."""

    async def reclaim(self, *, now_ms: int, limit: int = 100) -> list[Batch]:
        """Batches whose lease or message has expired, under their own ids, to be sent again."""

    async def claim(self, batch_id: str, *, worker: str, now_ms: int, to_give_back: bool = False) -> Lease | NotClaimed:
        """Take a batch: the next token, and a lease from now on. Batches of paused and cancelled jobs are had only
        `to_give_back`."""

    async def heartbeat(self, lease: Lease, *, now_ms: int) -> Held:
        """Extend the lease, if it was not lost."""

    async def excuse(self, lease: Lease) -> None:
        """This delivery failed for no fault of the batch: it does not count as fruitless."""

    async def isolate(self, lease: Lease, *, now_ms: int) -> list[Batch]:
        """Take a batch apart: for each of its hosts the first URL that is left goes into a batch of its own. Returns
        those, to be sent; the other URLs are queued again. The batch itself is still to be ended by a commit."""

    async def give_back(self, lease: Lease, *, now_ms: int) -> bool:
        """End the lease now: the batch can go out again under its own id. False: it was lost."""

    async def commit(
        self,
        lease: Lease,
        outcomes: Mapping[str, Outcome],
        *,
        now_ms: int,
        ready_at_ms: Mapping[str, int],
        last: bool,
        unanswered: Sequence[UrlOutcome] = (),
        part: int | None = None,
    ) -> bool:
        """After the receipt (of this `part`; None: there is none): mark URLs (by normalized URL) done with their
        outcome. Those that got no answer come as the receipt has them, and are done too or wait for their next try. A
        host in `ready_at_ms` that has nothing left in the batch is given back at once, ready at that time. With `last`,
        end the batch, give all its hosts back, and requeue what has no outcome. False: lease lost (the receipt stands
        all the same)."""

    async def wake(self, *, now_ms: int) -> int:
        """Queue the URLs whose next try is due; how many."""

    async def defer(self, lease: Lease, url: QueuedUrl, *, now_ms: int) -> bool:
        """Take a URL out of the batch and let it wait for the host that it now names. False: nothing to do, since the
        lease was lost, or the URL is done or gone already."""

    async def progress(self, job_id: str) -> JobProgress | None:
        """None: the frontier does not know the job."""

    async def jobs(self) -> list[str]:
        """Ids of all jobs it knows, oldest first."""


# --- visits ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DueAt:
    """When a schedule's next visit is due, in ms since 1970."""

    schedule_id: str
    due_ms: int


@dataclass(frozen=True, slots=True)
class DueCounts:
    """How many schedules wait for their next visit, how many of those are due, and when the first one is."""

    waiting: int
    due: int
    first_ms: int | None


class DueQueue(Protocol):
    """Which schedules are due, soonest first. A hint, given back by reading the schedules: who acts on an entry looks
    at the schedule itself, so an entry too many costs a look, and one that is missing, time."""

    async def put(self, entries: Sequence[DueAt]) -> None:
        """Note when schedules are due, in place of what was noted of them."""

    async def drop(self, schedule_ids: Sequence[str]) -> None:
        """Forget them: removed, paused, or on their way."""

    async def due(self, *, now_ms: int, limit: int) -> list[DueAt]:
        """Those that are due, soonest first."""

    async def counts(self, *, now_ms: int) -> DueCounts: ...


# --- links -----------------------------------------------------------------------------------

LinkStanding = Literal["new", "nearer", "known", "job_budget", "host_budget", "query_budget"]
"""What a link is to its job: to be queued; queued before, but found by a longer way; queued before; or beyond what may
be found in all, on one host, or of one form of a query."""


@light
class FoundUrl:
    """A link to follow, as it would be queued. `form`: what it shares with its variations, if it has any."""

    url: QueuedUrl
    form: str | None = None


@light
class LinkBudgets:
    """How many pages a job may find by links: in all, on one host, and of one form of a query."""

    pages: int
    pages_per_host: int
    pages_per_form: int


class FoundUrls(Protocol):
    """What a job has found by links, with the least depth of each. Every call is one atomic script, or several of them
    for many links, that checks the epoch first."""

    async def offer(self, job_id: str, links: Sequence[FoundUrl], budgets: LinkBudgets) -> list[LinkStanding]:
        """What the job would make of each link. For new ones there is room in the budgets from now on; they are new
        again whenever they are offered, until they are queued."""

    async def note(self, job_id: str, links: Sequence[FoundUrl]) -> frozenset[str]:
        """Note links that are written down, before they are queued; again is harmless. Those (normalized) that the job
        had queued before."""

    async def depths(self, job_id: str, urls: Sequence[str], *, visit: int) -> Mapping[str, int]:
        """The least depth at which each of these was found; what no link led to is absent."""


# --- politeness ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Permit:
    """The right to ask one host from outside of the batch that it may be in, for `seconds` from the call, by the
    monotonic clock of who asked, unless it is kept."""

    host: str
    holder: str
    seconds: float
    strikes: int = 0
    """How often in a row the host has said that it is busy."""


@dataclass(frozen=True, slots=True)
class NotBefore:
    """A host cannot be asked now; when it is worth while to ask for it again."""

    ready_at_ms: int
    reason: Literal["busy", "paced", "full"]
    """In somebody else's hands; at rest; or served on an address that serves enough hosts already."""


@dataclass(frozen=True, slots=True)
class AddressSlot:
    """One of the few hosts that are served at a time on one address. `who` names batch and host."""

    address: str
    who: str


class Permits(Protocol):
    """Politeness beyond one batch: what all workers know of hosts and addresses together. Every call is one atomic
    script that checks the epoch first. What a killed worker held comes free when its time is over."""

    async def take(self, host: str, *, batch_id: str, now_ms: int) -> Permit | NotBefore:
        """The right to ask a host, where no other batch has it, nobody else asks it, and it is not at rest. `batch_id`:
        the batch on whose behalf; its own hosts can be had too, while nobody else asks them."""

    async def give_back(self, permit: Permit, *, now_ms: int, ready_at_ms: int) -> bool:
        """End a permit; from `ready_at_ms` on the host may be asked again. False: it had run out before."""

    async def enter(self, address: str, who: str, *, most: int, now_ms: int) -> AddressSlot | NotBefore:
        """Be one of at most `most` that are served on an address. Again is harmless, and ends the slot's rest."""

    async def leave(self, slot: AddressSlot, *, now_ms: int, ready_at_ms: int) -> bool:
        """End the request. Until `ready_at_ms` the slot is at rest, and only the same `who` may use it. False: it had
        run out before."""

    async def keep(self, permits: Collection[Permit], slots: Collection[AddressSlot], *, now_ms: int) -> int:
        """Hold them for another full time from now; how many are still held."""

    async def strikes(self, hosts: Sequence[str]) -> Mapping[str, int]:
        """How often in a row each of these hosts has said that it is busy; hosts that have not are left out."""

    async def back_off(self, host: str, *, strikes: int, now_ms: int, ready_at_ms: int) -> None:
        """Note that a host has said so (again), or with 0 that it answers as it should; kept over all workers."""


class RobotsCopies(Protocol):
    """What workers share of robots.txt files, as bytes that only their reader understands. Losing one costs a request,
    or while the site cannot be reached, a refusal."""

    async def get(self, site: str) -> bytes | None:
        """The copy of the robots.txt at this URL."""

    async def put(self, site: str, copy: bytes, *, seconds: float) -> None:
        """Keep a copy for so long."""


# --- pipeline --------------------------------------------------------------------------------

Stage = Literal["committed", "extracted", "clustered", "published"]


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """Where one segment stands in the pipeline."""

    segment_id: str
    job_id: str
    lane: Lane
    stage: Stage
    receipt_key: str
    snapshots_key: str = ""
    prints_key: str = ""
    clusters_key: str = ""
    since_ms: int = 0
    """When it got there, or when its message was last sent again."""
    tries: int = 0
    """How often its message was sent again because nobody had said anything."""
    failures: int = 0
    """How often a worker has told an error that is the segment's own."""
    put_off: int = 0
    """How often something else was missing: a store, or what another part has yet to write."""
    error: str = ""
    """The last one that a worker has told at this stage."""
    failed: bool = False
    """A worker has told an error since the message was sent last."""
    follows: bool = False
    """Its pages' links are followed, so its job is not captured before they are taken, which is before `extracted`."""
    parked: bool = False
    """Given up for now: its error lies under `parked/`. It leaves that state by reaching a later stage, or when
    somebody takes it up again."""


class Ledger(Protocol):
    """Which segment is at which stage. Derived from objects, so it can be rebuilt; completion is read from it."""

    async def advance(self, entry: SegmentEntry) -> None:
        """Put a segment at a stage; going back is ignored."""

    async def at(self, stage: Stage, *, limit: int = 1000) -> list[SegmentEntry]:
        """Segments at a stage, longest there first."""

    async def of_job(self, job_id: str) -> list[SegmentEntry]:
        """All segments of a job."""

    async def touch(self, segment_id: str, *, now_ms: int) -> None:
        """Note that its message was sent again."""

    async def fail(self, segment_id: str, error: str, *, own: bool, now_ms: int) -> None:
        """Note what a worker says that it failed with; `own`: the segment itself is the reason."""

    async def failing(self, *, limit: int = 1000) -> list[SegmentEntry]:
        """Segments whose worker told an error, and whose message was not sent again since; longest ago first."""

    async def park(self, segment_id: str, *, error: str, now_ms: int) -> None:
        """Stop sending its message: `at` leaves it out from now on, `of_job` shows it as parked, with this error."""

    async def resume(self, segment_id: str) -> None:
        """Take a parked segment up again, as if it had just got where it stands, and overdue."""

    async def parked(self, *, limit: int = 1000) -> list[SegmentEntry]:
        """Parked segments of all jobs, in order of their ids."""


class Announcer(Protocol):
    """Sends task messages. Losing one costs time, never data."""

    async def announce(self, message: TaskMessage) -> None: ...


# --- look-ups over what is stored -----------------------------------------------------------


@light
class Original:
    """A committed `response` record that a revisit may refer to."""

    record_id: str
    target_uri: str
    date: str
    content_sha256: str


class RevisitIndex(Protocol):
    """Payload digest to original, within a collection. Entries appear only after their receipt."""

    async def find(self, collection: str, digests: Sequence[str]) -> Mapping[str, Original]: ...

    async def publish(self, collection: str, originals: Iterable[Original]) -> None: ...


@light
class KnownVersion:
    """The content that a URL had when it last came whole with status 200, and how to ask for a newer one."""

    original: Original | None
    """The committed `response` of this very URL that holds it; None: nothing that a 304 could refer to."""
    content_sha256: str
    content_bytes: int
    content_type: str | None
    etag: str | None
    last_modified: str | None
    received_at: str
    """When this content last came in full, RFC 3339."""
    confirmed: int = 0
    """304 in a row since then."""
    distrusted: bool = False
    """These validators are not to be sent."""


@dataclass(frozen=True, slots=True)
class VersionSeen:
    """What one hop of a receipt says of its URL. `version` None: there is nothing to ask with any more."""

    url: str
    at: str
    version: KnownVersion | None


class RequisiteIndex(Protocol):
    """Which page requisites a job has captured, by the address that is fetched. Entries appear only after their
    receipt: only what is captured may suppress a fetch."""

    async def captured(self, job_id: str, urls: Sequence[str]) -> frozenset[str]:
        """Those of these that the job has."""

    async def publish(self, job_id: str, urls: Sequence[str]) -> None:
        """Make captured ones known. Again is harmless."""


class VersionIndex(Protocol):
    """URL as fetched to the version that a conditional request asks about, within a collection. Entries appear only
    after their receipt; of one URL the newest capture counts, in whatever order they come."""

    async def find(self, collection: str, urls: Sequence[str]) -> Mapping[str, KnownVersion]:
        """In one round trip; what has none is absent from the answer."""

    async def publish(self, collection: str, seen: Iterable[VersionSeen]) -> None:
        """Take in what receipts say; again is harmless."""


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in a stored file."""

    key: str
    offset: int


class CataloguedSnapshot(Protocol):
    """What a catalog remembers of a snapshot."""

    @property
    def id(self) -> str: ...

    @property
    def job_id(self) -> str: ...

    @property
    def requested_url(self) -> str: ...

    @property
    def normalized_url(self) -> str: ...

    @property
    def retrieved_at(self) -> str: ...


class CataloguedPlace(Protocol):
    """Where a record lies, and in which object."""

    @property
    def key(self) -> str: ...

    @property
    def record_id(self) -> str: ...

    @property
    def offset(self) -> int: ...

    @property
    def length(self) -> int: ...


class CataloguedLine(Protocol):
    """The part of a `SnapshotLine` that a catalog takes."""

    @property
    def snapshot(self) -> CataloguedSnapshot: ...

    @property
    def conversion(self) -> CataloguedPlace | None: ...


class Catalog(Protocol):
    """Look-ups derived from receipts and snapshot lines."""

    async def add_receipt(self, receipt: Receipt) -> None:
        """Remember where the records of a committed segment lie."""

    async def add_snapshots(self, snapshots_key: str, lines: Sequence[CataloguedLine]) -> None:
        """Remember the snapshots of an extracted segment."""

    async def locate(self, record_id: str) -> MemberLocation | None:
        """Where a WARC record lies now."""

    async def add_compaction(self, compaction: Compaction) -> None:
        """Remember where the files that it joined lie now. Again is harmless."""

    async def compacted(self) -> int:
        """Number of the last entry of the compaction log that was added; 0: none."""

    async def moved(self, key: str, offset: int) -> FilePlace | None:
        """Where lies now what lay there in a file that was joined since. None: the file was not joined."""

    async def snapshots_of(self, normalized_url: str) -> list[str]:
        """Snapshot ids of a resource, as requested or as final URL, newest first."""

    async def snapshot(self, snapshot_id: str) -> SnapshotLine | None:
        """The snapshot with its text location, or None."""

    async def newest(self, *, limit: int = 100, before: str | None = None) -> list[str]:
        """Snapshot ids of the archive, newest first."""

    async def snapshots_of_job(self, job_id: str) -> list[str]:
        """Snapshot ids of a job, in order of retrieval."""


class Signer(Protocol):
    """Holds the private key of the log or of a bundle's author."""

    @property
    def keyid(self) -> str:
        """SHA-256 of the DER SubjectPublicKeyInfo, hex."""

    def public_spki(self) -> bytes:
        """DER SubjectPublicKeyInfo."""

    def sign(self, data: bytes) -> bytes:
        """Raw Ed25519 signature."""


# --- near-duplicates ---------------------------------------------------------------------------


class CandidateIndex(Protocol):
    """Banded LSH over fingerprints. Derived, and only ever suspects: what it lacks costs recall, never truth."""

    async def insert(self, prints: Sequence[Fingerprint]) -> Mapping[str, frozenset[str]]:
        """Put texts in; for each of them, those that were there and agree in a band. Again is harmless, and
        answers again. Texts without a sketch have no candidates and get none."""


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
