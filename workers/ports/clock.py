"""The time."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Where flows get the time from; nothing pure ever asks."""

    def now(self) -> datetime:
        """Aware, in UTC."""

    def monotonic(self) -> float:
        """Seconds of a clock that never goes back."""
