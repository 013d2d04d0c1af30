"""That a worker is to stop: said by Celery's main process, which gets the signal, and heard by its children.

One byte of memory that they share. A signal of their own would interrupt the children anywhere.
"""

from __future__ import annotations

import mmap


class StopFlag:
    """To be made before the children are forked."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 1)

    def raise_(self) -> None:
        """From now on, every process that shares the flag is asked to stop."""
        self._shared[0] = 1

    def is_raised(self) -> bool:
        return self._shared[0] != 0
