"""Timing two ways of doing one thing so that only their ratio is believed.

Machines are noisy, and noise comes in waves: the two sides run in turn, so that a wave hits both, and the ratio is the
median of the ratios of neighbours. CPU time, not wall time: a busy neighbour costs the latter only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

REPEATS = 5


@dataclass(frozen=True, slots=True)
class Compared:
    """Medians over all rounds, in CPU seconds, and the median of each round's peer / ours."""

    ours: float
    peer: float
    ratio: float


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of this process for one run."""
    started = time.process_time()
    work()
    return time.process_time() - started


def compare(ours: Callable[[], object], peer: Callable[[], object], repeats: int = REPEATS) -> Compared:
    """Run each once unmeasured, then in turn."""
    ours()
    peer()
    rounds = [(cpu_seconds(ours), cpu_seconds(peer)) for _ in range(repeats)]
    return Compared(
        median(mine for mine, _ in rounds),
        median(other for _, other in rounds),
        median(other / mine for mine, other in rounds),
    )
