"""A rebuild of a large collection, from an emptied Redis to the last of its objects, on the embedded stores.

The collection is written once and kept (`build/bench/rebuild-<urls>`); every run empties Redis and rebuilds.
"""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deploy.bench.rebuild.collection import is_written, write_collection
from deploy.bench.rebuild.objects import plan
from deploy.bench.result import Result
from scheduler.rebuild import Rebuilt, rebuild
from scheduler.service.wiring import rebuild_ports_of
from scheduler.stack.running import running_parts
from schemas.ids import utc_string
from workers import config
from workers.bootstrap import open_archive
from workers.config import Settings

URLS: Final = 100_000
"""Of a usual run; `--urls 1000000` is the collection that the floor speaks of."""
FLOOR_URLS_A_SECOND: Final = 1_000_000 / 600


@dataclass(frozen=True, slots=True)
class Rebuild:
    """What one run did, and how long it took."""

    rebuilt: Rebuilt
    seconds: float


def measure(folder: Path, urls: int = URLS) -> list[Result]:
    """AssertionError where not everything came back."""
    found = run(folder / f"rebuild-{urls}", urls)
    if (found.rebuilt.jobs, found.rebuilt.outcomes, found.rebuilt.queued) != (1, urls, 0) or found.rebuilt.damaged:
        raise AssertionError(f"not everything came back: {found.rebuilt.outcomes} of {urls} outcomes")
    return [
        Result(
            name=f"rebuild of {urls:,} committed URLs, extracted and clustered",
            value=urls / found.seconds,
            unit="URLs/s",
            peer=None,
            peer_value=None,
            ratio=None,
            lower_is_better=False,
            floor=round(FLOOR_URLS_A_SECOND),
            goal=2 * round(FLOOR_URLS_A_SECOND),
        )
    ]


def run(folder: Path, urls: int) -> Rebuild:
    """Start the stores on a folder, write the collection where it is not there, and rebuild."""
    settings = config.load({"data_dir": str(folder), "log_level": "WARNING"}, environ={}, folder=folder)
    with running_parts(settings.data_dir) as stores:
        return asyncio.run(_run(stores.reached_by(settings), urls))


async def _run(settings: Settings, urls: int) -> Rebuild:
    async with open_archive(settings) as archive:
        wanted = plan(urls)
        if not await is_written(archive.store, wanted):
            await write_collection(archive.store, wanted)
        await archive.redis.flushall()
        started = time.monotonic()
        began: dict[str, float] = {}

        def told(kind: str, done: int, total: int) -> None:
            began.setdefault(kind, time.monotonic())
            if done == total:
                sys.stderr.write(f"{time.monotonic() - started:6.1f} s: {done} {kind}\n")

        rebuilt = await rebuild(
            rebuild_ports_of(archive), now=utc_string(archive.clock.now()), reason="benchmark", told=told
        )
        return Rebuild(rebuilt, time.monotonic() - started)
