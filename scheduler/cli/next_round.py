"""When what is due is visited: a schedule whose time has come waits a little for others to go with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from scheduler.cli.durations import shown_duration
from scheduler.cli.output import say
from scheduler.visits import VisitLimits
from workers.bootstrap import Archive
from workers.errors import EpochError, RetryableError
from workers.ports import DueCounts


async def tell_next_round(opened: Archive) -> None:
    """Say on stderr when the next round of visits is, where something is due. Nothing where Redis does not answer: a
    listing of schedules is one of objects."""
    now = opened.clock.now()
    try:
        counts = await opened.due.counts(now_ms=round(now.timestamp() * 1000))
    except (EpochError, RetryableError):
        return
    sentence = next_round(counts, now, VisitLimits())
    if sentence is not None:
        say(sentence)


def next_round(counts: DueCounts, now: datetime, limits: VisitLimits) -> str | None:
    """A sentence; None: nothing is due."""
    if counts.due == 0 or counts.first_ms is None:
        return None
    due = f"{counts.due} due and not on their way"
    begins = datetime.fromtimestamp(counts.first_ms / 1000, UTC) + timedelta(seconds=limits.gather_seconds)
    if begins > now and counts.due < limits.round_visits:
        waits = shown_duration(int(limits.gather_seconds))
        return f"{due}: the next round of visits is at {begins:%H:%M:%S}Z (what is due waits up to {waits} for company)"
    return f"{due}: the next round of visits is as soon as those on their way and CITEVAULT_VISITS_A_DAY leave room"
