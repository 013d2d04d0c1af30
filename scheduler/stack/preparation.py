"""What must be in order between the stores' first answer and the first worker. Each step may be repeated safely."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from workers.adapters.keys import create_key
from workers.adapters.stores import open_store, probe_conditional_put
from workers.config import Settings

Step = Callable[[Settings], None]


def refuse_an_unsafe_store(settings: Settings) -> None:
    """Every start tries conditional writes; a store that ignores them is not used."""
    store = open_store(settings)
    try:
        asyncio.run(probe_conditional_put(store))
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
