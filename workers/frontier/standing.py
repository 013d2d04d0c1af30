"""What an outcome means for the frontier: the URL is done, or waits for its next try. Pure.

The receipt alone says which, so that workers and a rebuild come to the same, whatever the settings are by then.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from schemas.records.outcome import Outcome, UrlOutcome
from workers.frontier.urls import politeness_key
from workers.ports import QueuedUrl


@dataclass(frozen=True, slots=True)
class Later:
    """A URL of a job that is tried again, from its beginning."""

    url: QueuedUrl
    not_before_ms: int


def standing(outcome: UrlOutcome) -> Outcome | Later:
    """Whether this outcome ends the visit."""
    if outcome.retry_at is None:
        return outcome.outcome
    return Later(_again(outcome), round(datetime.fromisoformat(outcome.retry_at).timestamp() * 1000))


def _again(outcome: UrlOutcome) -> QueuedUrl:
    return QueuedUrl(
        requested_url=outcome.requested_url,
        normalized_url=outcome.normalized_url,
        host=politeness_key(outcome.normalized_url),
        visit=outcome.visit,
        tries=outcome.tries,
        depth=outcome.depth,
    )
