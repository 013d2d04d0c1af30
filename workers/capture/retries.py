"""Which URLs that got no answer are tried again, and when (interfaces, "Outcomes and defaults"). Pure.

What may be otherwise in an hour is tried again: names that did not resolve, connections that did not come about,
silence, a robots.txt that could not be had. What was decided is not: a site's rules, a guard's refusal, a
certificate that does not hold. An answer is an answer, whatever its status: a 503 is archived, and its host left
alone for a while, which is politeness and no try.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from schemas.records.outcome import Outcome

WORTH_ANOTHER_TRY: Final = frozenset(
    {
        Outcome.DNS_FAILED,
        Outcome.CONNECT_FAILED,
        Outcome.TIMEOUT,
        Outcome.EMPTY_REPLY,
        Outcome.ROBOTS_UNREACHABLE,
    }
)
NEVER: Final = "never"


@dataclass(frozen=True, slots=True)
class RetrySchedule:
    """The pause before each further try, counted from the end of the one before it."""

    pauses_seconds: tuple[float, ...] = (60.0, 600.0, 3600.0, 21_600.0)

    @classmethod
    def of(cls, text: str) -> RetrySchedule:
        """As the setting has it: seconds, comma-separated, or `never`."""
        return cls(() if text == NEVER else tuple(float(pause) for pause in text.split(",")))


def pause_before_next_try(outcome: Outcome, tries: int, schedule: RetrySchedule) -> float | None:
    """Seconds until a URL is tried again; None: its outcome is final. `tries`: how many there were, this one
    included."""
    if outcome not in WORTH_ANOTHER_TRY or not 1 <= tries <= len(schedule.pauses_seconds):
        return None
    return schedule.pauses_seconds[tries - 1]
