"""What a worker tells of a segment that it failed with: whose fault it was, and what the error says."""

from __future__ import annotations

from workers.errors import CitevaultError, EpochError, RetryableError
from workers.ports import Clock, Ledger


async def tell_failure(ledger: Ledger, clock: Clock, segment_id: str, error: Exception) -> None:
    """Note it in the ledger."""
    if isinstance(error, EpochError):
        return  # Redis is rebuilt, and whatever it knew of the segment with it
    text = str(error) if isinstance(error, CitevaultError) else f"{type(error).__name__}: {error}"
    await ledger.fail(segment_id, text, own=is_own(error), now_ms=int(clock.now().timestamp() * 1000))


def is_own(error: Exception) -> bool:
    """Whether the segment itself is the reason: not where a store is away or something has yet to be written."""
    return not isinstance(error, (RetryableError, EpochError))
