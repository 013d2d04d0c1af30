"""Asking a Redis once more that did not answer, while the state is being rebuilt.

A rebuild is tens of thousands of calls, and one that ends begins from nothing. Each of its calls may be repeated: what
it puts in is in after one as after two. A running system repeats nothing here, since there only the caller knows
(`client`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from workers.errors import RetryableError

LOG: Final = logging.getLogger(__name__)
PAUSES: Final = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each further try. With the timeouts of the calls between them, a minute and a half at most."""
T = TypeVar("T")


async def patiently(call: Callable[[], Awaitable[T]], where: str) -> T:
    """What the call gives, or the RetryableError of the last try."""
    for pause in PAUSES:
        try:
            return await call()
        except RetryableError as error:
            LOG.warning("Redis is asked again call=%s seconds=%s error=%s", where, pause, error.what)
            await asyncio.sleep(pause)
    return await call()
