"""What clustering in bulk is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workers.flows.cluster import ClusterPorts
from workers.flows.compact import Progress


def told_nobody(_progress: Progress) -> None:
    """For those who do not ask."""


@dataclass(frozen=True, slots=True)
class BulkPorts:
    cluster: ClusterPorts
    folder: Path
    """For the files of a run, as the last run left it. Nobody else may use it."""
    told: Callable[[Progress], None] = told_nobody
