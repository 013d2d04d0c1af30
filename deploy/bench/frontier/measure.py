"""The rows of the frontier, with the limits that they are held to."""

from __future__ import annotations

import shutil
from pathlib import Path

from deploy.bench.capture.rows import MIB, Limits, alone
from deploy.bench.frontier.intake import WARM_LINES, take_in
from deploy.bench.frontier.leasing import lease_and_complete
from deploy.bench.frontier.scaling import Rates, capturing, leasing
from deploy.bench.frontier.stores import running_stores
from deploy.bench.frontier.urls import write_list
from deploy.bench.result import Result

LINES = 1_000_000
LEASED_LINES = 200_000
LATE_URLS = 20_000
PAGE_SHARE = 10
"""Of the URLs that are only leased and completed, one in so many is captured where workers capture."""


def measure(
    folder: Path, lines: int = LINES, leased_lines: int = LEASED_LINES, late_urls: int = LATE_URLS
) -> list[Result]:
    """AssertionError where a URL is lost. `late_urls`: for each worker, where work waits."""
    lists = {count: folder / f"urls-{count}.txt" for count in (WARM_LINES, lines, leased_lines)}
    for count, file in lists.items():
        write_list(file, count)
    stores = folder / "frontier"
    try:
        with running_stores(stores.absolute()) as settings:
            leased = lease_and_complete(settings, lists[leased_lines])
            late = leasing(settings, folder, late_urls)
            taken = take_in(settings, lists[lines], lists[WARM_LINES])
    finally:
        shutil.rmtree(stores, ignore_errors=True)
    captured = capturing(folder.absolute(), late_urls // PAGE_SHARE)
    name = f"frontier: intake of {lines:,} lines"
    grown, bytes_a_url = taken.grown_bytes / MIB, taken.redis_bytes_per_url
    return [
        alone(name, taken.lines_per_second, "lines/s", Limits(20_000, 100_000)),
        alone(f"{name}, growth of memory", grown, "MiB", Limits(128, 64), lower_is_better=True),
        alone("frontier: Redis bytes a queued URL", bytes_a_url, "B", Limits(300, 120), lower_is_better=True),
        alone("frontier: URLs leased and completed, two workers", leased, "URLs/s", Limits(10_000, 50_000)),
        more_workers("frontier: URLs leased and completed, each after 50 ms, four workers against one", late),
        more_workers("capture: pages of servers that take 250 ms, four workers against one", captured),
    ]


def more_workers(name: str, rates: Rates) -> Result:
    """What four workers do of what one does; four times as much would be the most."""
    return Result(name, rates.four, "URLs/s", "one worker", rates.one, rates.four / rates.one, False, 3.5, 3.9)
