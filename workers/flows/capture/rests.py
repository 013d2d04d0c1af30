"""What a disk could not keep was fetched for nothing. So the process that saw it begins nothing for a while, and that
batch for longer: no site is asked for the same pages over and over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from workers.errors import UnkeptError

FIRST_SECONDS: Final = 2.0
LONGEST_SECONDS: Final = 60.0
MOST_BATCHES: Final = 1000
"""Remembered; the oldest is forgotten first."""


def rest_after(failures: int) -> float:
    """Seconds of rest after so many failures in a row: twice as long each time, a minute at most."""
    return float(min(FIRST_SECONDS * 2 ** min(failures - 1, 16), LONGEST_SECONDS))


@dataclass(slots=True)
class _Failures:
    count: int
    until: float
    last: UnkeptError


@dataclass(slots=True)
class Rests:
    """Of one process. Times are those of a monotonic clock, in seconds."""

    _own: _Failures | None = None
    """In a row, whatever the batch."""
    _batches: dict[str, _Failures] = field(default_factory=dict)

    def failed(self, batch_id: str, error: UnkeptError, now: float) -> None:
        """A batch could not be kept."""
        self._own = _once_more(self._own, error, now)
        self._batches[batch_id] = _once_more(self._batches.pop(batch_id, None), error, now)
        if len(self._batches) > MOST_BATCHES:
            del self._batches[next(iter(self._batches))]

    def kept(self, batch_id: str) -> None:
        """A batch was kept to its end."""
        self._own = None
        self._batches.pop(batch_id, None)

    def hindrance(self, batch_id: str | None, now: float) -> UnkeptError | None:
        """Why this batch (None: any) is not to be begun yet."""
        found = [each for each in (self._own, self._batches.get(batch_id or "")) if each and now < each.until]
        if not found:
            return None
        longest = max(found, key=lambda each: each.until)
        rest = f"{longest.until - now:.0f} s"
        return UnkeptError(
            f"{longest.last.what} ({longest.count} times in a row), so it fetches again in {rest}",
            where=longest.last.where,
            next_step=longest.last.next_step,
        )


def _once_more(before: _Failures | None, error: UnkeptError, now: float) -> _Failures:
    count = 1 if before is None else before.count + 1
    return _Failures(count, now + rest_after(count), error)
