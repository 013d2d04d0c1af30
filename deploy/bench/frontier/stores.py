"""An archive that is ready to take jobs: Valkey and SeaweedFS as the local stack runs them, and nothing else.

No scheduler and no worker: what they do to the frontier is done here, so that it alone is measured.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from scheduler.stack.preparation import PREPARE
from scheduler.stack.running import running_parts
from schemas.ids import utc_string
from workers import config
from workers.bootstrap import Archive, open_archive
from workers.config import Settings
from workers.frontier import names
from workers.frontier.epoch import raise_epoch


@contextmanager
def running_stores(folder: Path) -> Iterator[Settings]:
    """Started on an empty folder, ended with the block; the settings to reach them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    fixed = {"data_dir": str(folder), "contact": "https://example.org/bench", "log_level": "WARNING"}
    settings = config.load(fixed, environ={}, folder=folder)
    with running_parts(settings.data_dir) as stores:
        complete = stores.reached_by(settings)
        for step in PREPARE:
            step(complete)
        yield complete


@asynccontextmanager
async def empty_archive(settings: Settings) -> AsyncIterator[Archive]:
    """An archive without jobs, its Redis in the next epoch."""
    async with open_archive(settings) as archive:
        await archive.redis.flushall()
        raised = await raise_epoch(archive.store, now=utc_string(archive.clock.now()), reason="a measurement begins")
        await archive.redis.set(names.EPOCH, str(raised.epoch))
        archive.guard.epoch.number = raised.epoch
        yield archive
