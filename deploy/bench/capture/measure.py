"""The order of the capture benchmark: what is started, who runs when, and which rows come out."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deploy.bench.capture import big_body, interactive, ours, peers, processes, profiling, rows, timeline
from deploy.bench.capture.origin import HOSTS, Origin, late_nginx, nginx
from deploy.bench.capture.pages import Pages, conformance_pages, make_pages
from deploy.bench.capture.rows import Round
from deploy.bench.capture.run import Run
from deploy.bench.capture.stack import INTERACTIVE, Stack, running_stack
from deploy.bench.result import Result

GROUPS = ("speed", "memory", "interactive", "big-body", "matched", "latency")
WARM_PAGES = 400
BULK_JOBS = 6
"""Of all pages each: enough to keep bulk busy while people ask for some pages."""
LATENCY_SECONDS = 0.05
IN_FLIGHT = 256
LATENCY_HOSTS = 2 * IN_FLIGHT
"""One request at a time a host: more hosts than requests, so that none waits for its host."""
LATENCY_SETTINGS = {"batch_urls": "1000", "capture_connections": str(IN_FLIGHT // 2)}
MATCHED_SETTINGS = {"warc_compression": "zstd"}
BIG_SETTINGS = {"max_body_bytes": str(3 * 1024**3), "capture_workers": "1"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to measure, and how."""

    folder: Path
    """For everything that is written; emptied of old runs."""
    peers_python: Path
    groups: Sequence[str] = GROUPS
    peers: Sequence[str] = (rows.WGET, rows.SCRAPY, rows.AIOHTTP, rows.BARE)
    runs: int = 3
    settings: Mapping[str, str] = field(default_factory=dict)
    """Of our side, by field name, over its defaults."""
    profile: bool = False


PEERS: Mapping[str, peers.Peer] = {
    rows.WGET: peers.wget,
    rows.SCRAPY: peers.scrapy_warcio,
    rows.AIOHTTP: peers.aiohttp_warcio,
    rows.BARE: peers.aiohttp_bare,
}


def measure(wanted: Wanted) -> list[Result]:
    """AssertionError where a side gives a wrong answer, MissingProgramError where one is not installed."""
    folder = wanted.folder.absolute()
    scratch = folder / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    pages = make_pages(folder / "pages", source=conformance_pages())
    _say(f"{len(pages.pages)} pages ({pages.kind}), {pages.total_bytes / len(pages.pages) / 1000:.1f} kB on average")
    bench = _Bench(wanted, folder, scratch, pages)
    results: list[Result] = []
    with nginx(pages, folder / "run") as origin:
        if set(wanted.groups) & {"speed", "memory"}:
            results += bench.speed_rows(origin)
        if "interactive" in wanted.groups:
            results += bench.interactive_rows(origin)
        if "big-body" in wanted.groups:
            results += bench.big_body_rows(origin)
        if "matched" in wanted.groups:
            results += bench.matched_rows(origin)
    if "latency" in wanted.groups:
        with late_nginx(pages, folder / "run", LATENCY_SECONDS) as origin:
            results += bench.latency_rows(origin)
    return results


@dataclass(slots=True)
class _Bench:
    wanted: Wanted
    folder: Path
    scratch: Path
    pages: Pages
    _net: int = 0

    def speed_rows(self, origin: Origin) -> list[Result]:
        """One stack with the product's defaults, warm, and all peers beside it."""
        peaks: list[int] = []
        with self._stack(origin, {}) as stack:
            rounds = self._rounds(origin, stack, self.wanted.peers, after=lambda: peaks.append(_peak(stack)))
        results = rows.speed_rows(rounds, self.pages.total_bytes / len(self.pages.pages))
        if "memory" in self.wanted.groups:
            results += rows.memory_rows(peaks, len(self.pages.pages))
        return results

    def interactive_rows(self, origin: Origin) -> list[Result]:
        _say("interactive pages while bulk runs")
        bulk = [self._urls(origin) for _ in range(BULK_JOBS)]
        with self._stack(origin, {}, INTERACTIVE) as stack:
            return [rows.interactive_row(interactive.p95_seconds(stack, bulk, self._urls(origin)))]

    def big_body_rows(self, origin: Origin) -> list[Result]:
        _say("one body of 2 GB")
        with big_body.big_page(self.pages) as page, self._stack(origin, BIG_SETTINGS) as stack:
            grown = big_body.growth_bytes(stack, origin, page, self._next_net(), self.scratch)
        return [rows.big_body_row(grown)]

    def matched_rows(self, origin: Origin) -> list[Result]:
        _say("size-matched")
        with self._stack(origin, MATCHED_SETTINGS) as stack:
            return rows.matched_rows(self._rounds(origin, stack, (rows.WGET, rows.AIOHTTP)))

    def latency_rows(self, origin: Origin) -> list[Result]:
        _say(f"at {LATENCY_SECONDS * 1000:g} ms, {IN_FLIGHT} in flight")
        asked = [peer for peer in self.wanted.peers if peer == rows.SCRAPY]
        with self._stack(origin, LATENCY_SETTINGS) as stack:
            return rows.latency_rows(
                self._rounds(origin, stack, asked, hosts=LATENCY_HOSTS, concurrency=IN_FLIGHT // peers.PROCESSES)
            )

    @contextmanager
    def _stack(self, origin: Origin, settings: Mapping[str, str], *more: str) -> Iterator[Stack]:
        """A stack whose processes have captured something before."""
        with running_stack(self.folder / "ours", {**settings, **self.wanted.settings}, *more) as stack:
            warm = self.pages.pages[:WARM_PAGES]
            ours.capture(stack, origin.urls(warm, net=self._next_net()), warm, self.scratch)
            yield stack

    def _rounds(
        self,
        origin: Origin,
        stack: Stack,
        asked: Sequence[str],
        *,
        hosts: int = HOSTS,
        concurrency: int = peers.CONCURRENCY,
        after: Callable[[], None] = lambda: None,
    ) -> list[Round]:
        """Ours, then each peer, and all again. Each run has hosts of its own, so that no site is known."""
        rounds = []
        for number in range(self.wanted.runs):
            urls = self._urls(origin, hosts)
            with ExitStack() as watching:
                if self.wanted.profile:
                    raw = self.folder / f"profile-{number}.raw"
                    pid = stack.capture_processes()[0]
                    watching.enter_context(profiling.sampled(self.wanted.peers_python, pid, raw))
                runs = [ours.capture(stack, urls, self.pages.pages, self.scratch)]
            if self.wanted.profile:
                told = raw.with_suffix(".txt")
                told.write_text(profiling.story(raw.read_text(encoding="utf-8")), encoding="utf-8")
                _say(f"where the time of one capture process goes: {told}")
            story = self.folder / f"timeline-{number}.txt"
            story.write_text(timeline.told(runs[-1].timeline), encoding="utf-8")
            _tell(runs[-1])
            after()
            for name in asked:
                os.sync()  # nobody pays for what the one before left to be written
                task = peers.Task(urls, self.pages.pages, self.scratch, self.wanted.peers_python, concurrency)
                runs.append(PEERS[name](task))
                _tell(runs[-1])
            rounds.append({run.who: run for run in runs})
        return rounds

    def _urls(self, origin: Origin, hosts: int = HOSTS) -> list[str]:
        return origin.urls(self.pages.pages, net=self._next_net(), hosts=hosts)

    def _next_net(self) -> int:
        self._net += 1
        return self._net


def _peak(stack: Stack) -> int:
    return max(processes.peak_bytes(pid) for pid in stack.capture_processes())


def _tell(run: Run) -> None:
    size = f", {run.size / 1e6:.1f} MB" if run.size else ""
    _say(
        f"  {run.who:16} {run.pages_per_second:9,.0f} pages/s {run.pages_per_cpu_second:9,.0f} pages/CPU-s "
        f"in {run.seconds:.2f} s{size}"
    )
    if run.timeline:
        used = ", ".join(f"{name} {seconds:.2f}" for name, seconds in run.cpu_by_part.items())
        workers = len({part.worker for part in run.timeline})
        fetching = 100 * timeline.fetching_share(run.timeline, workers)
        _say(f"  {'':16} CPU seconds: {used}; {workers} processes were fetching {fetching:.0f} % of the time")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
