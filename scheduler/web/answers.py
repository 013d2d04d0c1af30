"""What the API answers with: the archive's own records where there is one, and lists and views of them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from scheduler.stuck import AsideBatch, StuckSegment
from schemas.records.base import Count, Record, Sha256, Url, UtcTime
from schemas.records.cluster import EdgeVerdict
from schemas.records.decision import Why
from schemas.records.discovered import LeftOutReason
from schemas.records.job import JobOptions, Lane
from schemas.records.manifest import ManifestHead
from schemas.records.outcome import Outcome
from schemas.records.schedule import Schedule
from schemas.records.snapshot import MemberLocation, Snapshot
from schemas.records.source import Source, TierVerdict
from schemas.records.unread import UnreadAnswer
from workers.ports import Stage


class Problem(Record):
    """What went wrong, as RFC 9457 has it; `where` and `next_step` are ours."""

    type: str
    title: str
    status: Count
    detail: str
    where: str | None = None
    next_step: str | None = None


class JobSummary(Record):
    """A job as the frontier counts it."""

    id: str
    created_at: UtcTime
    state: Literal["running", "captured", "paused", "cancelled"]
    """`captured`: every URL has an outcome; what is published is told by the stages."""
    intake_open: bool
    """Seeds are still being queued, so `known` will grow."""
    known: Count
    done: Count
    with_response: Count
    without_response: Count
    hosts_waiting: Count
    later: Count
    """URLs that got no answer and wait for their next try; none of them is done."""
    next_try_at: UtcTime | None
    """When the first of them is due."""
    outcomes: dict[Outcome, Count]


class JobDecision(Record):
    """What somebody decided about a job."""

    action: Literal["pause", "resume", "cancel", "retry"]
    outcomes: tuple[Outcome, ...]
    """For `retry`: which outcomes were meant."""
    by: str
    at: UtcTime
    why: str


class DecisionWish(BaseModel):
    """What somebody wants of a job: that it is paused, goes on, ends for good, or has its failures tried again."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    action: Literal["pause", "resume", "cancel", "retry"]
    outcomes: tuple[Outcome, ...] = ()
    """For `retry`: which outcomes are meant; none: everything that failed or was parked, no refusals."""
    by: Annotated[str, StringConstraints(min_length=1, max_length=4096)]
    """Who decides."""
    why: Why
    """Kept for good with the decision."""


class DecisionDone(Record):
    """What became of it. It is in force."""

    sequence: Count | None
    """Its number in the decision log; null where only parked segments and batches that are set aside were taken up."""
    segments_again: Count


class LeftOut(Record):
    """Links that are not followed for one reason, each as often as pages have it."""

    reason: LeftOutReason
    outcome: Outcome
    links: Count
    why: str
    examples: tuple[str, ...]


class UnreadSitemap(Record):
    """A sitemap of which not all was read."""

    url: str
    why: str


class JobLinks(Record):
    """What a crawl has found and what it has not followed."""

    pages: Count
    """Pages whose links were taken."""
    found: Count
    """Pages that were found by links."""
    cut_pages: Count
    """Pages with more links than are read."""
    unread_sitemaps: tuple[UnreadSitemap, ...]
    left_out: tuple[LeftOut, ...]
    complete: bool
    """False: there is more; `citevault status` reads all."""


class ScheduleList(Record):
    """In order of ids. `next_after` is the value of `after` for the next page; null on the last."""

    items: tuple[Schedule, ...]
    next_after: str | None
    damaged: tuple[str, ...]
    """What could not be read, and why."""


class ScheduleCounts(Record):
    """Of schedules that are not paused and have no visit on its way."""

    waiting: Count
    """For their next visit."""
    due: Count
    """Of these, now."""
    next_at: UtcTime | None
    """When the first of them is due, or was."""


class JobDetail(Record):
    """A job with what was asked for, and how far its segments are."""

    progress: JobSummary
    collection: str
    lane: Lane
    visit: Count
    options: JobOptions
    lines: Count
    seeds: Count
    duplicates: Count
    bad_lines: Count
    segments: dict[Stage, Count]
    """Segments at each stage; parked ones are counted apart."""
    parked: Count
    stuck: tuple[StuckSegment, ...]
    """Segments that were given up, or fail and are tried again."""
    set_aside: tuple[AsideBatch, ...]
    """Batches that wait until somebody restores an object."""
    unread: tuple[UnreadAnswer, ...]
    """URLs that have no snapshot, since the record of their answer is damaged."""
    snapshots: Count
    decisions: tuple[JobDecision, ...]
    """What people decided about it, in order."""


class JobList(Record):
    """Newest first. `next_before` is the value of `before` for the next page; null on the last."""

    items: tuple[JobSummary, ...]
    next_before: str | None


class Missing(Record):
    """A URL without a response, by its last try, and why."""

    requested_url: str
    last_url: str
    visit: Count
    outcome: Outcome
    failure: str
    next_step: str
    """What to do about it."""
    tries: Count
    retry_at: UtcTime | None
    """When it is tried again; null: its outcome is final."""


class MissingList(Record):
    """In order of batches. `outcomes_read`: how many outcomes of receipts were looked at."""

    items: tuple[Missing, ...]
    missing: Count
    outcomes_read: Count
    complete: bool
    """False: the job is too large to read here; `citevault status` lists all."""
    requisites: dict[Outcome, Count]
    """Outcomes of what the pages needed to look as they did, in the same receipts."""


class OtherSpelling(Record):
    """A spelling of the input that was not fetched itself, since another of the same resource was."""

    asked: str
    fetched: str
    line: Count


class SpellingList(Record):
    items: tuple[OtherSpelling, ...]
    complete: bool


class SnapshotList(Record):
    """Newest first, but those of a job in order of retrieval."""

    items: tuple[Snapshot, ...]
    next_before: str | None = None
    next_start: Count | None = None


class StandingView(Record):
    """What is known now of a snapshot's source. The signed log holds what was known when it was published."""

    tier: TierVerdict
    cluster_id: str | None
    """Null: no verdict yet, or nothing to compare."""
    group: str
    """Independence group."""
    decisions_sequence: Count


class SnapshotDetail(Record):
    """A snapshot, where its records lie now, and its standing."""

    snapshot: Snapshot
    segment_id: str
    stage: Stage | None
    """How far its segment is; null: the ledger does not know it."""
    standing: StandingView | None
    standing_unknown: str | None
    """Why there is no standing."""
    locations: tuple[MemberLocation, ...]


class SourceDetail(Record):
    """A source with its snapshots, newest first."""

    source: Source
    group: str
    snapshots: tuple[str, ...]


class ClusterSummary(Record):
    """A cluster in numbers."""

    id: str
    leader_text_sha256: Sha256
    texts: Count
    snapshots: Count
    sources: Count


class ClusterList(Record):
    """Largest first. Not `complete`: the archive has more clusters than are counted here."""

    items: tuple[ClusterSummary, ...]
    complete: bool


class PairSide(Record):
    """One of two captures that are compared."""

    snapshot_id: str
    url: Url
    text_sha256: Sha256 | None
    cluster_id: str | None
    canonical: str | None
    """What the page declares as canonical, and what would have to hold; it decides nothing."""


class PairVerdict(Record):
    """A verdict as it stands in the cluster log."""

    sequence: Count
    at: UtcTime
    key: str
    verdict: EdgeVerdict


class PairDifference(Record):
    """Words of one text where the other has others."""

    one: str
    other: str


class PairAnswer(Record):
    """Why two captures are, or are not, one story."""

    one: PairSide
    other: PairSide
    answer: Literal["one-text", "one-story", "apart", "unknown"]
    reasons: tuple[str, ...]
    verdicts: tuple[PairVerdict, ...]
    """All that were written, the one that counts last."""
    looked_now: EdgeVerdict | None
    """Made for this answer where none is written; it decides nothing."""
    numbers_of_one: tuple[str, ...]
    numbers_of_other: tuple[str, ...]
    differences: tuple[PairDifference, ...]


class ManifestView(Record):
    """A head, the digest of its stored bytes, and who claims to have signed it (not verified here)."""

    head: ManifestHead
    head_sha256: Sha256
    keyids: tuple[Sha256, ...]


class ManifestSummary(Record):
    head: ManifestHead
    head_sha256: Sha256


class ManifestList(Record):
    """Newest first. `next_before` is the value of `before` for the next page; null on the last."""

    items: tuple[ManifestSummary, ...]
    next_before: Count | None


class VisitsWaiting(Record):
    """Schedules that are neither paused nor have a visit on its way; those of them that are due, and when the first
    is."""

    waiting: Count
    due: Count
    first_at: UtcTime | None


class Health(Record):
    """Whether work is done, not whether a process exists."""

    status: Literal["idle", "working", "stalled", "unknown"]
    reason: str
    next_step: str | None = None
    last_work_at: UtcTime | None = None
