"""Segments on this machine, before they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LeftBatch:
    """A batch of which segments lie on this machine that no running worker holds."""

    batch_id: str
    segments: tuple[Path, ...]
    left_seconds: float
    """How long ago the last of them was written to."""


class SegmentFiles(Protocol):
    """Where segments lie before they are stored: a folder a batch, held by one process while that lives.

    The calls are quick and block: they look at names and move files, and never read one.
    """

    def folder(self, batch_id: str) -> Path:
        """The folder for new segments of a batch, made where it is not there."""

    def take(self, batch_id: str) -> Sequence[Path]:
        """Segments of the batch that a process which is gone, or has given the batch up, left here: they are in
        the batch's folder now, oldest first."""

    def end(self, batch_id: str) -> None:
        """This process is done with the batch. What lies in its folder still may be taken by any other."""

    def left(self, *, at_least_seconds: float) -> Sequence[LeftBatch]:
        """Batches that wait to be taken and were left at least so long ago. Each is told once in that time."""

    def drop(self, batch_id: str) -> None:
        """Remove what waits of a batch."""

    def prove(self) -> None:
        """Show by a write that segments can be kept; what this process needs for that is made again where it is gone.
        OSError as of the system where they cannot."""

    def free_bytes(self) -> int:
        """Room for more."""
