"""Whether a machine's clock may be used to note times in Redis. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from workers.errors import RetryableError

TOLERATED_SECONDS: Final = 5.0
"""Far less than a lease, far more than a slow answer of Redis or a clock that is being slewed."""


def apart(now: datetime, redis_ms: int, *, where: str) -> RetryableError | None:
    """What is to be said where this machine's clock and Redis' differ; None: they agree."""
    ahead = now.timestamp() - redis_ms / 1000
    if abs(ahead) <= TOLERATED_SECONDS:
        return None
    side = "ahead of" if ahead > 0 else "behind"
    return RetryableError(
        f"this machine's clock is {abs(ahead):.0f} s {side} Redis'",
        where=where,
        next_step="set both clocks (NTP); nothing is released, begun or taken back meanwhile",
    )
