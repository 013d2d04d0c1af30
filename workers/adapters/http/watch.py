"""One timer for all that comes over a connection, one answer after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Watch:
    """Calls by a moment, or earlier: who is called looks at the clock, and asks anew where it was too early.

    Nearly all answers come long before anybody's patience ends. A timer for each would be set, sorted in and
    cancelled for nothing; this one is left to run from answer to answer, and moved only where it would ring too late.
    """

    __slots__ = ("_call", "_loop", "_timer")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._call: Callable[[], None] | None = None

    def look_by(self, due: float, call: Callable[[], None]) -> None:
        """Call this, and nobody else any more, at this moment of the loop's clock or before it."""
        self._call = call
        if self._timer is not None:
            if self._timer.when() <= due:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._ring)

    def rest(self) -> None:
        """Call nobody."""
        self._call = None

    def end(self) -> None:
        """No more answers come."""
        self._call = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        if self._call is not None:
            self._call()
