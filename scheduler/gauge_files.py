"""The metrics of all processes of this machine, read from the files that they share.

The files may be written to, or torn by a process that died, while they are read.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

TORN: Final = (OSError, ValueError, KeyError, struct.error)


def registry_of(folder: Path) -> CollectorRegistry:
    """What the files add up to when it is collected, which raises one of TORN where they cannot be read. Blocks."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(folder))  # type: ignore[no-untyped-call]
    return registry


def gauges(folder: Path, wanted: Collection[str]) -> dict[str, float]:
    """The largest sample of each of these metrics; one that nobody wrote, or that cannot be read, is left out.
    Blocks."""
    if not folder.is_dir():
        return {}
    try:
        found = [metric for metric in registry_of(folder).collect() if metric.name in wanted]
    except TORN:
        return {}
    return {metric.name: max(sample.value for sample in metric.samples) for metric in found if metric.samples}
