"""The rows of the frontier, with the limits that they are held to."""

from __future__ import annotations

import shutil
from pathlib import Path

from deploy.bench.capture.rows import MIB, Limits, alone
from deploy.bench.frontier.intake import WARM_LINES, take_in
from deploy.bench.frontier.leasing import lease_and_complete
from deploy.bench.frontier.stores import running_stores
from deploy.bench.frontier.urls import write_list
from deploy.bench.result import Result

LINES = 1_000_000
LEASED_LINES = 200_000


def measure(folder: Path, lines: int = LINES, leased_lines: int = LEASED_LINES) -> list[Result]:
    """AssertionError where a URL is lost."""
    lists = {count: folder / f"urls-{count}.txt" for count in (WARM_LINES, lines, leased_lines)}
    for count, file in lists.items():
        write_list(file, count)
    stores = folder / "frontier"
    try:
        with running_stores(stores.absolute()) as settings:
            leased = lease_and_complete(settings, lists[leased_lines])
            taken = take_in(settings, lists[lines], lists[WARM_LINES])
    finally:
        shutil.rmtree(stores, ignore_errors=True)
    name = f"frontier: intake of {lines:,} lines"
    grown, bytes_a_url = taken.grown_bytes / MIB, taken.redis_bytes_per_url
    return [
        alone(name, taken.lines_per_second, "lines/s", Limits(20_000, 100_000)),
        alone(f"{name}, growth of memory", grown, "MiB", Limits(128, 64), lower_is_better=True),
        alone("frontier: Redis bytes a queued URL", bytes_a_url, "B", Limits(300, 120), lower_is_better=True),
        alone("frontier: URLs leased and completed, two workers", leased, "URLs/s", Limits(10_000, 50_000)),
    ]
