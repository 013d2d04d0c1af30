"""`/metrics`: the numbers of all processes of this machine, added up. Where their files cannot be read, the scrape
fails in words."""

from __future__ import annotations

from pathlib import Path

from prometheus_client import generate_latest

from scheduler.gauge_files import TORN, gauges, registry_of
from workers.errors import RetryableError

LAST_WORK = "citevault_last_work_timestamp_seconds"


def exposition(folder: Path) -> bytes:
    """All metrics in the Prometheus text format; empty where no process has written any. Blocks: call it in a
    thread."""
    if not folder.is_dir():
        return b""
    try:
        return generate_latest(registry_of(folder))
    except TORN as torn:
        raise RetryableError(
            f"a file of metrics cannot be read ({type(torn).__name__})",
            where=str(folder),
            next_step="delete the folder while the stack is down, if this stays",
        ) from torn


def last_work_seconds(folder: Path) -> float:
    """When any process of this machine last finished a piece of work; 0: unknown. Blocks."""
    return gauges(folder, {LAST_WORK}).get(LAST_WORK, 0.0)
