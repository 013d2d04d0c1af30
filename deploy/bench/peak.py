"""How much memory of its own this process takes meanwhile: anonymous pages. Those of mapped files can be had back."""

from __future__ import annotations

import os
import threading
from types import TracebackType

from deploy.bench.capture.processes import anonymous_bytes

EVERY_SECONDS = 0.02


class Peak:
    """The most that this process had within the block, looked at fifty times a second."""

    def __enter__(self) -> Peak:
        self._before = self._most = anonymous_bytes(os.getpid())
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    @property
    def grown_bytes(self) -> int:
        """Beyond what it had before."""
        return self._most - self._before

    def _look(self) -> None:
        while not self._over.wait(EVERY_SECONDS):
            self._most = max(self._most, anonymous_bytes(os.getpid()))
