"""Room on the file systems that we write to. A full one shows up as errors of whoever writes there (a store answers
500, Redis refuses writes), whose own advice then helps nobody: these sentences name the file system and the amounts.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MIB: Final = 1024 * 1024
LEAST_BYTES: Final = 64 * MIB
"""Below this a file system counts as full: a segment of the usual size, or a volume of the store, has no room."""
LEAST_PART: Final = 100
"""… and below one in so many bytes: SeaweedFS closes its volumes at 1 %."""
MOST_WANTED: Final = 1024 * MIB
"""… of which no more is asked for than this."""

LEAST_WRITTEN: Final = 4096
"""Bytes that show that a folder can be written: more than file systems keep beside a file's name."""


@dataclass(frozen=True, slots=True)
class Room:
    """A file system as it was looked at from a folder on it."""

    folder: Path
    mount: Path
    free_bytes: int
    """For who is not root."""
    total_bytes: int
    free_files: int | None
    """None: it has no limit on their number."""

    @property
    def least_bytes(self) -> int:
        """What must be free for the stores to take writes."""
        return min(max(LEAST_BYTES, self.total_bytes // LEAST_PART), MOST_WANTED)

    @property
    def is_full(self) -> bool:
        """Nothing more can be relied on to be written there."""
        return self.free_bytes < self.least_bytes or self.free_files == 0

    def sentence(self, needed_bytes: int) -> str:
        """What is free of it, and what is needed."""
        files = "; no further file can be made on it (its inodes are used up)" if self.free_files == 0 else ""
        return (
            f"{amount(self.free_bytes)} of {amount(self.total_bytes)} are free on the file system at {self.mount}, on "
            f"which {self.folder} lies, and at least {amount(needed_bytes)} are needed{files}"
        )


def room_at(folder: Path) -> Room:
    """Room on the file system of a folder, or of the nearest one above it that is there. OSError as of the system."""
    existing = next((each for each in (folder, *folder.parents) if each.is_dir()), Path("/")).absolute()
    found = os.statvfs(existing)
    return Room(
        folder=folder,
        mount=_mount_of(existing),
        free_bytes=found.f_bavail * found.f_frsize,
        total_bytes=found.f_blocks * found.f_frsize,
        free_files=found.f_favail if found.f_files else None,
    )


def prove(folder: Path) -> None:
    """Write some bytes into a file of the folder, of which nothing is left, however this ends. OSError as of the system
    where they cannot be written."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(LEAST_WRITTEN))


def full_of(folders: Iterable[Path]) -> Room | None:
    """The fullest of the file systems of these folders, if it is full. None too where they cannot be looked at."""
    found = []
    for folder in folders:
        try:
            found.append(room_at(folder))
        except OSError:
            continue
    full = [room for room in found if room.is_full]
    return min(full, key=lambda room: room.free_bytes, default=None)


def amount(count: int) -> str:
    """A number of bytes for people."""
    if count >= 1024 * MIB:
        return f"{count / (1024 * MIB):.1f} GiB"
    return f"{count / MIB:.1f} MiB"


def _mount_of(folder: Path) -> Path:
    resolved = folder.resolve()
    return next((each for each in (resolved, *resolved.parents) if os.path.ismount(each)), Path("/"))
