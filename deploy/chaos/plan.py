"""When what is killed, from a seed. Pure: the same seed gives the same blows, though not the same run, since what a
blow meets depends on the machine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

LEAST_SECONDS, MOST_SECONDS = 1.5, 4.5
"""Between two blows: at least one every five seconds, with what it takes to deal one."""
EARLIEST_FLUSH, LATEST_FLUSH = 0.25, 0.65
STALL_EVERY = 4
LEAST_STALL, MOST_STALL = 4.0, 12.0
"""Around the six seconds that a lease lasts in these runs."""


class Target(StrEnum):
    """What a blow is dealt to. A worker is Celery's main process, a child is one of those that do the work."""

    CAPTURE = "worker-capture"
    CAPTURE_CHILD = "child of worker-capture"
    EXTRACT = "worker-extract"
    SCHEDULER = "scheduler"
    REDIS = "redis"
    S3 = "s3"

    @property
    def part(self) -> str:
        """The part of the local stack that it belongs to."""
        return self.value.removeprefix("child of ")


DECK = (
    Target.CAPTURE,
    Target.CAPTURE_CHILD,
    Target.CAPTURE_CHILD,
    Target.CAPTURE_CHILD,
    Target.SCHEDULER,
    Target.REDIS,
    Target.S3,
    Target.EXTRACT,
)
"""Dealt out shuffled again and again, so that each comes in every run, and children most."""


@dataclass(frozen=True, slots=True)
class Blow:
    """SIGKILL to one process, so long after the blow before. `pick` chooses among several of its kind."""

    pause_seconds: float
    target: Target
    pick: int
    stall_seconds: float = 0.0
    """For so long a capture process is stopped besides (SIGSTOP): longer than a lease, so that it wakes up beside its
    successor. 0: none is."""


def blows(seed: int) -> Iterator[Blow]:
    """Without end."""
    dice = random.Random(f"blows {seed}")  # noqa: S311 (dice, not secrets)
    while True:
        deck = list(DECK)
        dice.shuffle(deck)
        for number, target in enumerate(deck):
            stall = dice.uniform(LEAST_STALL, MOST_STALL) if number % STALL_EVERY == 0 else 0.0
            yield Blow(dice.uniform(LEAST_SECONDS, MOST_SECONDS), target, dice.randrange(1 << 16), stall)


def flush_at(seed: int) -> float:
    """When Redis is emptied: as soon as this part of all URLs is done."""
    return random.Random(f"flush {seed}").uniform(EARLIEST_FLUSH, LATEST_FLUSH)  # noqa: S311
