"""Re-snapshots: which page is visited again, how often, and what became of it (schemas/README.md, 22. Visits).

A **visit** is one planned fetch. The visits of a schedule are numbered by **periods** from 0; (schedule, period) names
a visit for good, so whoever plans it a second time finds that it is planned. A **round** is the visits that were
planned together; it becomes a job.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from schemas.records.base import Count, Id, Record, Sha256, Url, UtcTime
from schemas.records.job import CollectionName, JobOptions
from schemas.records.outcome import Outcome
from schemas.records.snapshot import SnapshotId

ScheduleId = Annotated[str, StringConstraints(pattern=r"^sch-[0-9a-f]{16}$")]
LEAST_SECONDS = 3_600
MOST_SECONDS = 5 * 366 * 86_400
Seconds = Annotated[int, Field(ge=LEAST_SECONDS, le=MOST_SECONDS)]
LOOKS_KEPT = 24
VISITS_KEPT = 6


class VisitVerdict(StrEnum):
    """What a visit found, compared with what was seen before."""

    FIRST = "first"
    """A good answer, and nothing to compare it with."""
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    GONE = "gone"
    """404 or 410."""
    SOFT_404 = "soft_404"
    """An answer that calls itself fine and says that there is no such page."""
    REDIRECTED_HOME = "redirected_home"
    """The page's address leads to a home page that is not it."""
    BLOCKED = "blocked"
    """A wall, a paywall, or a refusal."""
    UNREADABLE = "unreadable"
    """An answer that cannot be compared: a server's error, cut off, or without text."""
    NO_ANSWER = "no_answer"
    NOT_MADE = "not_made"
    """Nobody asked: the job was cancelled, or robots.txt, guard or limits forbade it."""

    @property
    def is_look(self) -> bool:
        """Whether the page itself was seen, so that the visit says something of how often it changes."""
        return self in (VisitVerdict.FIRST, VisitVerdict.UNCHANGED, VisitVerdict.CHANGED)

    @property
    def is_away(self) -> bool:
        """Whether the page is not there any more."""
        return self in (VisitVerdict.GONE, VisitVerdict.SOFT_404, VisitVerdict.REDIRECTED_HOME)


class Every(Record):
    """Visits at fixed distances."""

    kind: Literal["every"] = "every"
    every_seconds: Seconds


class Adaptive(Record):
    """Visits at distances that follow from how often the page was seen to change, within these bounds."""

    kind: Literal["adaptive"] = "adaptive"
    least_seconds: Seconds = 86_400
    most_seconds: Seconds = 90 * 86_400


Cadence = Annotated[Every | Adaptive, Field(discriminator="kind")]


class Look(Record):
    """Two looks at a page, so many seconds apart, and whether it had changed in between: at least once, or not."""

    seconds: Count
    changed: bool


class Version(Record):
    """What the page said when it was last seen well."""

    snapshot_id: SnapshotId
    retrieved_at: UtcTime
    content_sha256: Sha256
    text_sha256: Sha256 | None


class Visited(Record):
    """One visit that is over."""

    period: Count
    job_id: Id
    at: UtcTime
    """When the answer came; where there is none, when the visit was planned."""
    verdict: VisitVerdict
    outcome: Outcome | None
    """None: the job ended without one for this page."""
    http_status: int | None = None
    final_url: Url | None = None
    """Where the address led, if elsewhere."""
    snapshot_id: SnapshotId | None = None
    overlap_ppm: Count | None = None
    """Share of common word runs with the version seen before; None: nothing to compare."""
    missed: Count = 0
    """Periods that had passed by before it, as in a downtime: one visit stands for all of them."""


class Schedule(Record):
    """One page of one collection, as it is visited again and again."""

    schema_id: Literal["citevault/schedule@1"] = Field(alias="schema")
    id: ScheduleId
    collection: CollectionName
    requested_url: Url
    normalized_url: Url
    options: JobOptions
    cadence: Cadence
    cited: bool = False
    """A report cites it, so it is looked at more often than its rate of change alone would have it."""
    created_at: UtcTime
    anchor_at: UtcTime
    """Where fixed periods are counted from: the newest capture when the schedule was made, else its making; where the
    distance was changed, the last visit before."""
    anchor_period: Count = 0
    """The period that the anchor stands for."""
    paused_at: UtcTime | None = None
    next_period: Count
    due_at: UtcTime
    seen: Version | None = None
    changes_a_day_ppm: Count | None = None
    """Estimated rate of change; None: no two looks to compare yet."""
    looks: Annotated[tuple[Look, ...], Field(max_length=LOOKS_KEPT)] = ()
    """The newest, oldest first: what the estimate rests on."""
    visits: Annotated[tuple[Visited, ...], Field(max_length=VISITS_KEPT)] = ()
    """The newest, oldest first; all of them are in the receipts of their jobs."""
    visits_made: Count = 0
    periods_missed: Count = 0
    away: Count = 0
    """Visits in a row that found the page gone."""


class PlannedVisit(Record):
    """One visit of a round."""

    schedule_id: ScheduleId
    created_at: UtcTime
    """Of the schedule: one that was removed and made anew is another one."""
    period: Count
    due_at: UtcTime
    missed: Count
    requested_url: Url
    normalized_url: Url


class VisitRound(Record):
    """Visits that are planned: from the moment that this object exists, each of them is made once, by this job."""

    schema_id: Literal["citevault/visit-round@1"] = Field(alias="schema")
    sequence: Annotated[int, Field(ge=1)]
    job_id: Id
    planned_at: UtcTime
    collection: CollectionName
    options: JobOptions
    visits: tuple[PlannedVisit, ...] = Field(min_length=1)
    planned_today: Count
    """Visits planned since midnight UTC, these included."""


class VisitPosition(Record):
    """Which rounds are over: all below `first_open`, and those of `closed`."""

    schema_id: Literal["citevault/visit-position@1"] = Field(alias="schema")
    first_open: Annotated[int, Field(ge=1)]
    closed: tuple[Count, ...] = ()
