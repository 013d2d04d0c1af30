"""What to do with a batch that comes back again and again without anything new. Pure.

A worker that dies takes nothing of its batch with it, so sending it again is right, and nearly always enough. One that
dies of a page dies again: then the batch is taken apart, and at last the URL is parked that nobody survives.
"""

from __future__ import annotations

from typing import Final, Literal

from workers.ports import Batch

DELIVERIES: Final = 3
"""Without anything new, before a batch is suspected: two workers in a row may die of something else."""

GIVEN_UP: Final = "what this page needs was not fetched to the end: workers died of it"
STOPPED: Final = "what this page needs was not fetched to the end: the job was cancelled"
PAUSED: Final = "what this page needs is not fetched to the end: that goes on when the job is resumed"
"""What the last receipt of a batch says of a page that is written and waited for its requisites."""

Step = Literal["send", "give back", "take apart", "park"]


def decide(batch: Batch, *, deliveries: int = DELIVERIES) -> Step:
    """What becomes of a batch that was taken back."""
    if batch.stopped:
        return "give back"
    if batch.fruitless < deliveries:
        return "send"
    return "park" if len(batch.urls) == 1 else "take apart"


def reason(fruitless: int) -> str:
    """Why a URL is parked, as a sentence."""
    return (
        f"{fruitless} workers in a row died or broke off while they had this URL alone; their log, or that of the "
        "system, says of what"
    )
