"""What compaction is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workers.ports import Catalog, Clock, ObjectStore


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is. `what` is a word or two; of bytes or files, as `unit` says."""

    what: str
    done: int
    total: int
    unit: str


def told_nobody(_progress: Progress) -> None:
    """For those who do not ask."""


@dataclass(frozen=True, slots=True)
class CompactPorts:
    store: ObjectStore
    catalog: Catalog
    clock: Clock
    folder: Path
    """For one new file at a time, before it is stored. Nobody else may use it."""
    free_bytes: Callable[[], int]
    """Room in that folder."""
    software: str
    """Name and version for the warcinfo record, such as `citevault/0.1.0`."""
    told: Callable[[Progress], None] = told_nobody
