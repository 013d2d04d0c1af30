"""The system's clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """`Clock` of this machine."""

    def now(self) -> datetime:
        """Aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()
