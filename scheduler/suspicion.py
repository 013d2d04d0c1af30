"""What to do with a batch that comes back again and again without anything new. Pure.

A worker that dies takes nothing of its batch with it, so sending it again is right, and nearly always enough. One that
dies of a page dies again: then the batch is taken apart, and at last the URL is parked that nobody survives.

Where workers die of whatever they have (a machine that is switched off and on, memory that is short), that a URL was
alone three times proves little. So it is asked whether others died meanwhile, and only a URL that is dead far more
often than that is parked in spite of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from workers.ports import Batch

DELIVERIES: Final = 3
"""Without anything new, before a batch is suspected: two workers in a row may die of something else."""

TIMES_IN_TROUBLE: Final = 3
"""So many times as often a URL must have been alone with workers that died, where others die too."""

GIVEN_UP: Final = "what this page needs was not fetched to the end: workers died of it"
STOPPED: Final = "what this page needs was not fetched to the end: the job was cancelled"
PAUSED: Final = "what this page needs is not fetched to the end: that goes on when the job is resumed"
"""What the last receipt of a batch says of a page that is written and waited for its requisites."""

Step = Literal["send", "give back", "take apart", "park"]


@dataclass(slots=True)
class Deaths:
    """Which batches lost their workers lately, as far as one scheduler saw. One that has just begun has seen nothing,
    and may itself have died of what others die of."""

    span_ms: int = 0
    """How long a death tells something of the time around it: what it takes to lose the workers that make a suspect."""
    _since_ms: int | None = None
    _last_ms: dict[str, int] = field(default_factory=dict)
    """By batch."""

    def note(self, batches: Iterable[Batch], now_ms: int) -> None:
        """Batches that came back."""
        if self._since_ms is None:
            self._since_ms = now_ms
        self._last_ms |= {batch.batch_id: now_ms for batch in batches if batch.fruitless and not batch.stopped}
        for batch_id in [each for each, last_ms in self._last_ms.items() if last_ms < now_ms - self.span_ms]:
            del self._last_ms[batch_id]

    def elsewhere(self, batch: Batch, now_ms: int) -> bool:
        """Whether workers died of others too, or that cannot be known yet."""
        watched = self._since_ms is not None and now_ms - self._since_ms >= self.span_ms
        return not watched or bool(self._last_ms.keys() - {batch.batch_id})


def decide(batch: Batch, *, deliveries: int = DELIVERIES, elsewhere: bool = False) -> Step:
    """What becomes of a batch that was taken back. `elsewhere`: workers die of others as well."""
    if batch.stopped:
        return "give back"
    if batch.fruitless < deliveries:
        return "send"
    if len(batch.urls) > 1:
        return "take apart"
    return "send" if elsewhere and batch.fruitless < TIMES_IN_TROUBLE * deliveries else "park"


def reason(fruitless: int) -> str:
    """Why a URL is parked, as a sentence."""
    return (
        f"{fruitless} workers in a row died or broke off while they had this URL alone; their log, or that of the "
        "system, says of what"
    )
