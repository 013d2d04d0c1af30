"""Room for the files in which processes keep their metrics.

They are written through memory, and a page of a file that finds no room on a full disk kills its writer (SIGBUS).
So the room is taken when a process begins.
"""

from __future__ import annotations

import os
from contextlib import suppress

from workers import metrics


def reserve() -> None:
    """Take the room of this process' files; where there is none, or no such call, it goes without."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if not folder:
        return
    metrics.SEGMENTS.labels("committed").inc(0)  # after a fork the files are those of the new process
    with suppress(OSError, AttributeError), os.scandir(folder) as found:
        for entry in found:
            if entry.name.endswith(f"_{os.getpid()}.db"):
                _fill(entry.path)


def _fill(path: str) -> None:
    file = os.open(path, os.O_RDWR)
    try:
        os.posix_fallocate(file, 0, os.fstat(file).st_size)
    finally:
        os.close(file)
