"""How far the fetching of a batch has come, for whoever begins the next one."""

from __future__ import annotations

import asyncio
from typing import Final

LAST_SHARE: Final = 8
"""With an eighth of its pages a batch leaves most connections idle, and the next one takes as long to ask what it must
know before its first page."""


class Fetching:
    """Of one batch. Belongs to one event loop."""

    def __init__(self) -> None:
        self.nearly_over = asyncio.Event()
        """So little is left that another batch may begin beside it."""
        self.over = asyncio.Event()
        """Nothing is left to do but to commit."""
        self._left = self._few = 0

    def begin(self, pages: int) -> None:
        """So many are to be visited. Of few, the end is in sight only when it is there."""
        self._left, self._few = pages, pages // LAST_SHARE

    def visited(self) -> None:
        """One of them."""
        self._left -= 1
        if 0 < self._left <= self._few:
            self.nearly_over.set()

    def end(self) -> None:
        """All of them, or as many as were given the time."""
        self.nearly_over.set()
        self.over.set()
