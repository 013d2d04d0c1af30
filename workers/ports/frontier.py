"""The lease protocol: URLs, batches, leases, and how a job stands."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum
from typing import Literal, Protocol

from schemas.ids import utc_string
from schemas.records.job import Lane, StoredJob
from schemas.records.outcome import Outcome, UrlOutcome, WrittenPage
from schemas.records.receipt import Token
from workers.light import light


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
    written: WrittenPage | None = None
    """Where the page itself is archived already, and only what it needs is left."""


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
    """Of a reclaimed one: its job is paused or cancelled, or it was set aside."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A worker's right to a batch until `seconds` from the claim, by its own monotonic clock."""

    batch: Batch
    token: Token
    seconds: float
    calls: int = 0
    """How often somebody had asked by then for another try of the job's failures."""
    claims: int = 1
    """How often it was claimed since it last got on, this time included."""
    parts: int = 0
    """So many receipts of it were followed, as far as the frontier remembers."""


@dataclass(frozen=True, slots=True)
class BatchAside:
    """A batch that waits until an object that it needs is restored."""

    batch_id: str
    job_id: str
    fault: str
    """Which object, what is wrong with it, and what to do."""
    looks: int
    """How often that was found."""
    next_look_ms: int
    urls: int
    """That wait with it."""


@dataclass(frozen=True, slots=True)
class NotClaimed:
    """Why a batch cannot be had: it is done, somebody else's lease still runs, or its job is paused or cancelled, or it
    is set aside (both `stopped`)."""

    reason: Literal["done", "leased", "unknown", "stopped"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A URL that is being fetched, and since when; or a host that a batch waits for, since its last answer."""

    url: str
    since_ms: int
    crawl_delay_ms: int = 0
    """Not 0: a host, which is not asked before that time since its last answer is over: its robots.txt asks for it."""


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
    def left_to_cancel(self) -> int:
        """URLs of a cancelled job that are still to end: in queues, which are emptied bit by bit, or with a worker."""
        return self.known - self.done if self.state == "cancelled" else 0

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

    def release_each(self, *, now_ms: int, batches: int, urls: int, lane: Lane | None = None) -> AsyncIterator[Batch]:
        """The same, each as soon as it is formed. What is not asked for any more is not formed."""

    async def backlog(self, lane: Lane) -> int:
        """How many released batches no worker has claimed yet."""

    async def waiting(self, lane: Lane) -> list[str]:
        """Some of those batches, the one that was formed first at the beginning."""

    async def reclaim(self, *, now_ms: int, limit: int = 100) -> list[Batch]:
        """Batches whose lease or message has expired, under their own ids, to be sent again."""

    async def claim(self, batch_id: str, *, worker: str, now_ms: int, to_give_back: bool = False) -> Lease | NotClaimed:
        """Take a batch: the next token, and a lease from now on. Batches of paused and cancelled jobs, and those that
        are set aside, are had only `to_give_back`."""

    async def heartbeat(self, lease: Lease, *, now_ms: int, asked: Sequence[Asked] = ()) -> Held:
        """Extend the lease, if it was not lost, and tell what is waited for."""

    async def excuse(self, lease: Lease) -> None:
        """This delivery failed for no fault of the batch: it does not count as fruitless."""

    async def set_aside(self, lease: Lease, *, fault: str, now_ms: int) -> bool:
        """An object that the batch needs is damaged or gone: free its hosts, and let the batch wait, each time longer,
        until it is looked at again. No worker has it any more. False: the lease was lost."""

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
