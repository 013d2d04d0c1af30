"""What clustering in bulk is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.errors import RetryableError
from workers.flows.bulk.patience import PAUSES, Interrupted
from workers.flows.cluster import ClusterPorts
from workers.flows.compact import Progress


def told_nobody(_progress: Progress) -> None:
    """For those who do not ask."""


def interrupted_unseen(_error: RetryableError, _seconds: float) -> None:
    """The same of interruptions."""


@dataclass(frozen=True, slots=True)
class BulkPorts:
    cluster: ClusterPorts
    folder: Path
    """For the files of a run, as the last run left it. Nobody else may use it."""
    told: Callable[[Progress], None] = told_nobody
    interrupted: Interrupted = interrupted_unseen
    pauses: Sequence[float] = PAUSES
    """Before a run that was interrupted goes on: seconds, a pause a try."""
