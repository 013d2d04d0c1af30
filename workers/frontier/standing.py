"""What an outcome means for the frontier: the URL is done, or waits for its next try. Pure.

The receipt says which, and what people decided since; so that workers and a rebuild come to the same, whatever the
settings are by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from schemas.records.outcome import Outcome, UrlOutcome
from workers.frontier.urls import politeness_key
from workers.ports import QueuedUrl

Calls = Sequence[frozenset[Outcome]]
"""For each time that somebody asked for another try of a job's failures: the outcomes that are meant."""


@dataclass(frozen=True, slots=True)
class Later:
    """A URL of a job that is tried again, from its beginning."""

    url: QueuedUrl
    not_before_ms: int


def standing(outcome: UrlOutcome, calls: Calls = ()) -> Outcome | Later:
    """Whether this outcome ends the visit. A try that began before somebody asked for another is followed by one at
    once, and by a schedule of its own."""
    if not outcome.outcome.has_response and any(outcome.outcome in call for call in calls[outcome.calls :]):
        return Later(_again(outcome, tries=0), 0)
    if outcome.retry_at is None:
        return outcome.outcome
    not_before = datetime.fromisoformat(outcome.retry_at)
    return Later(_again(outcome, tries=outcome.tries), round(not_before.timestamp() * 1000))


def _again(outcome: UrlOutcome, *, tries: int) -> QueuedUrl:
    return QueuedUrl(
        requested_url=outcome.requested_url,
        normalized_url=outcome.normalized_url,
        host=politeness_key(outcome.normalized_url),
        visit=outcome.visit,
        tries=tries,
        depth=outcome.depth,
    )
