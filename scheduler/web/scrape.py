"""`/metrics`: the numbers of all processes of this machine, added up from the files that they share.

The files may be written to, or torn by a process that died, while they are read; then this scrape fails in words.
"""

from __future__ import annotations

import struct
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from workers.errors import RetryableError

LAST_WORK = "citevault_last_work_timestamp_seconds"
TORN = (OSError, ValueError, KeyError, struct.error)


def exposition(folder: Path) -> bytes:
    """All metrics in the Prometheus text format; empty where no process has written any. Blocks: call it in a
    thread."""
    if not folder.is_dir():
        return b""
    try:
        return generate_latest(_registry(folder))
    except TORN as torn:
        raise RetryableError(
            f"a file of metrics cannot be read ({type(torn).__name__})",
            where=str(folder),
            next_step="delete the folder while the stack is down, if this stays",
        ) from torn


def last_work_seconds(folder: Path) -> float:
    """When any process of this machine last finished a piece of work; 0: unknown. Blocks."""
    if not folder.is_dir():
        return 0.0
    try:
        metrics = [metric for metric in _registry(folder).collect() if metric.name == LAST_WORK]
    except TORN:
        return 0.0
    return max((sample.value for metric in metrics for sample in metric.samples), default=0.0)


def _registry(folder: Path) -> CollectorRegistry:
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(folder))  # type: ignore[no-untyped-call]
    return registry
