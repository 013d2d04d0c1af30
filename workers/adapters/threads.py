"""Blocking calls beside the event loop, in a bounded pool of the adapter's own: a slow store then cannot take the
threads that somebody else's `asyncio.to_thread` waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Threads:
    """At most `workers` blocking calls at a time. A cancelled caller stops waiting; its call still runs to its end."""

    def __init__(self, workers: int, name: str) -> None:
        self._executor = ThreadPoolExecutor(max_workers=workers, thread_name_prefix=name)

    async def run(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._executor, lambda: call(*args, **kwargs))

    def close(self) -> None:
        """Wait for what runs, refuse more."""
        self._executor.shutdown(wait=True, cancel_futures=True)
