"""A folder that one process has to itself, for large files that it makes and removes again.

Held by a lock that the system gives back when the process ends, however it ends: what a dead one left is removed by
whoever has the folder next.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workers.errors import RetryableError

LOCK = "lock"


@contextmanager
def exclusive_folder(path: Path, *, whose: str, keep: bool = False) -> Iterator[Path]:
    """The folder, empty but for its lock; emptied again at the end. RetryableError while another process has it;
    `whose` says what that would be doing. `keep`: as the last one left it, for work that goes on where it stopped."""
    path.mkdir(parents=True, exist_ok=True)
    lock = os.open(path / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            raise RetryableError(
                f"another process on this machine does the same: {whose}", where=str(path), next_step="let it end"
            ) from held
        if keep:
            yield path
            return
        _empty(path)
        try:
            yield path
        finally:
            _empty(path)
    finally:
        os.close(lock)


def _empty(path: Path) -> None:
    for entry in os.scandir(path):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        elif entry.name != LOCK:
            Path(entry.path).unlink()
