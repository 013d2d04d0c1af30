"""What must be in order between the stores' first answer and the first worker. Each step may be repeated safely."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from workers.adapters.keys import create_key
from workers.adapters.stores import open_store, probe_conditional_put
from workers.config import Settings
from workers.errors import RetryableError

STORE_SECONDS = 15.0
Step = Callable[[Settings], None]


def refuse_an_unsafe_store(settings: Settings) -> None:
    """Every start tries conditional writes; a store that ignores them is not used. One that has only just started
    may not read its own objects yet, so it gets some time."""
    store = open_store(settings)
    deadline = time.monotonic() + STORE_SECONDS
    try:
        while True:
            try:
                return asyncio.run(probe_conditional_put(store))
            except RetryableError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
    finally:
        store.close()


def clear_metrics(settings: Settings) -> None:
    """Counter files of dead processes stay by design, so that sums never fall; a new start begins at nought."""
    settings.metrics_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    for left in settings.metrics_dir.glob("*.db"):
        left.unlink(missing_ok=True)


def make_spool(settings: Settings) -> None:
    """The spool is only ever made, never emptied: a WARC file in it may be all there is of some captures."""
    settings.spool_dir.mkdir(parents=True, exist_ok=True, mode=0o700)


def make_signing_key(settings: Settings) -> None:
    """The log needs a key from its first manifest on; one that is there is never touched."""
    if not settings.signing_key.exists():
        create_key(settings.signing_key)


PREPARE: tuple[Step, ...] = (make_spool, clear_metrics, make_signing_key, refuse_an_unsafe_store)
