"""Waiting within a task for a store that is away for a moment: sooner than any message could come back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from workers.errors import NotYetError, RetryableError

PATIENCE: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between two tries, far less in all than the broker's visibility timeout."""
T = TypeVar("T")


def patiently(work: Callable[[], T], pauses: Sequence[float], *, sleep: Callable[[float], None] = time.sleep) -> T:
    """Run the work; after a RetryableError once more, as often as there are pauses. What another part has yet to write
    is not waited for here: other work can be done until then."""
    for pause in pauses:
        try:
            return work()
        except NotYetError:
            raise
        except RetryableError:
            sleep(pause)
    return work()
