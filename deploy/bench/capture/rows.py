"""From runs to rows of the table in `performance.md`, Capture: what is compared with what, its floor and its goal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from deploy.bench.capture.run import Run
from deploy.bench.result import Result

Round = dict[str, Run]
"""One run of each side, one after the other, by name."""
OURS, WGET, SCRAPY, AIOHTTP, BARE = "citevault", "wget", "scrapy+warcio", "aiohttp+warcio", "bare aiohttp"
GIGABIT = 1e9
MIB = 1024 * 1024
MOST_SIZE, MOST_MATCHED_SIZE = 1.15, 1.01


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one row."""

    floor: float | None
    goal: float | None


SPEED = {
    WGET: ("pages/s against 2x wget --warc-file", Limits(3, 6)),
    SCRAPY: ("pages/s against 2x Scrapy + warcio", Limits(6, 12)),
    AIOHTTP: ("pages/s against 2-process aiohttp + warcio", Limits(2.5, 5)),
    BARE: ("pages/s, share of bare 2-process aiohttp fetch", Limits(0.25, 0.45)),
}


def speed_rows(rounds: Sequence[Round], mean_page_bytes: float) -> list[Result]:
    """Everything that follows from runs of ours and of the peers that were there."""
    rows = [
        _against(f"capture: {title}", rounds, peer, limits, lambda run: run.pages_per_second, "pages/s")
        for peer, (title, limits) in SPEED.items()
        if peer in rounds[0]
    ]
    if WGET in rounds[0]:
        cpu = _against(
            "capture: pages per CPU-second of own processes against 2x wget",
            rounds,
            WGET,
            Limits(2.5, 5),
            lambda run: run.pages_per_cpu_second,
            "pages/CPU-s",
        )
        rows += [cpu, size_row("capture: WARC size, of wget's", rounds, WGET, MOST_SIZE)]
    filled = [round_[OURS].pages_per_second * mean_page_bytes * 8 / GIGABIT for round_ in rounds]
    rows.append(alone("capture: gigabit links filled on two cores", median(filled), "Gbit/s", Limits(0.8, 1.5)))
    return rows


def matched_rows(rounds: Sequence[Round]) -> list[Result]:
    """With our files as small as warcio's, or smaller: packed by zstd."""
    title = "capture: size-matched (zstd), pages/s against 2x wget"
    return [
        _against(title, rounds, WGET, Limits(1.4, 2), lambda run: run.pages_per_second, "pages/s"),
        size_row("capture: size-matched (zstd), WARC size, of warcio's", rounds, AIOHTTP, MOST_MATCHED_SIZE),
    ]


def latency_rows(rounds: Sequence[Round]) -> list[Result]:
    """At 50 ms, 256 in flight."""
    title = "capture: at 50 ms, 256 in flight, pages/s against 2x Scrapy + warcio"
    if SCRAPY not in rounds[0]:
        return [alone(title, median(each[OURS].pages_per_second for each in rounds), "pages/s", Limits(None, None))]
    return [_against(title, rounds, SCRAPY, Limits(6, 9), lambda run: run.pages_per_second, "pages/s")]


def memory_rows(peaks: Sequence[int], pages: int) -> list[Result]:
    """From the largest worker's peak after each run of so many pages; flat is what later runs do not add to."""
    count = len(peaks) * pages
    name = f"capture: worker memory after {count:,} pages"
    rows = [alone(name, peaks[-1] / MIB, "MiB", Limits(200, 120), lower_is_better=True)]
    if len(peaks) > 1:
        name = f"capture: worker memory, growth over the last {count - pages:,} pages"
        rows.append(alone(name, (peaks[-1] - peaks[0]) / MIB, "MiB", Limits(16, 4), lower_is_better=True))
    return rows


def interactive_row(seconds: float) -> Result:
    name = "capture: interactive page, p95 to durable while bulk runs"
    return alone(name, seconds, "s", Limits(5, 2), lower_is_better=True)


def big_body_row(grown_bytes: int) -> Result:
    name = "capture: worker memory, growth with a body of 2 GB"
    return alone(name, grown_bytes / MIB, "MiB", Limits(64, None), lower_is_better=True)


def size_row(name: str, rounds: Sequence[Round], peer: str, most: float) -> Result:
    """How many times as large our files are; smaller is better."""
    times = median(each[OURS].size / each[peer].size for each in rounds)
    return alone(name, times, "x", Limits(most, None), lower_is_better=True)


def alone(name: str, value: float, unit: str, limits: Limits, *, lower_is_better: bool = False) -> Result:
    """A row without a peer: the limits are of the value."""
    return Result(name, value, unit, None, None, None, lower_is_better, limits.floor, limits.goal)


def _against(
    name: str, rounds: Sequence[Round], peer: str, limits: Limits, value: Callable[[Run], float], unit: str
) -> Result:
    """The median of the ratios of neighbours, since noise comes in waves."""
    return Result(
        name=name,
        value=median(value(each[OURS]) for each in rounds),
        unit=unit,
        peer=peer,
        peer_value=median(value(each[peer]) for each in rounds),
        ratio=median(value(each[OURS]) / value(each[peer]) for each in rounds),
        lower_is_better=False,
        floor=limits.floor,
        goal=limits.goal,
    )
