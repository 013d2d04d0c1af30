"""Laws of a crawl: whatever the web looks like, in whatever order its pages are captured and read, wherever a worker
dies and however often Redis is lost, it captures the pages that its depth reaches, and no other.

Capture and extraction are played; taking links, the frontier, the ledger and what is replayed are real.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduler.intake import Order, accept, read_urls, resume_intake
from schemas import keys
from schemas.records.discovered import PageLinks
from schemas.records.job import JobOptions, Lane, Scope, StoredJob
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers.adapters.clock import SystemClock
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.client import connect
from workers.adapters.redis.found import RedisFoundUrls
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.errors import RetryableError
from workers.flows.discover import CrawlOrders, DiscoverPorts, Discovery, replay_links
from workers.flows.discover.sitemaps import StoredSitemaps
from workers.flows.documents import read_lines_object
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.frontier.urls import unpack
from workers.ports import SegmentEntry

pytestmark = [pytest.mark.real, pytest.mark.slow]

PAGES = 12
CHANCES = st.integers(0, 2**32)
"""Hypothesis would rather have small numbers, and so webs of two pages; these are drawn by `Random`."""


def sparse(random: Random) -> list[frozenset[int]]:
    """A chain with some shortcuts, so that ways are long and of many lengths."""
    targets = [{page + 1} & set(range(PAGES)) if random.random() < 0.8 else set() for page in range(PAGES)]
    for _ in range(random.randint(2, 8)):
        targets[random.randrange(PAGES)].add(random.randrange(PAGES))
    return [frozenset(each) for each in targets]


def url(page: int) -> str:
    return f"https://a.test/{page}"


def reached(graph: Sequence[frozenset[int]], seeds: Sequence[int], depth: int) -> set[int]:
    """Breadth first: what the crawl is held to."""
    level, seen = set(seeds), set(seeds)
    for _ in range(depth):
        level = {target for page in level for target in graph[page]} - seen
        seen |= level
    return seen


@dataclass
class Mortal:
    """A port whose calls may be the last of their worker, before or after they have done their work."""

    port: object
    dies: Callable[[], str | None]

    def __getattr__(self, name: str):
        call = getattr(self.port, name)

        async def fatal(*args: object, **kwargs: object) -> object:
            when = self.dies()
            if when == "before":
                raise RetryableError("the worker is gone")
            answer = await call(*args, **kwargs)
            if when == "after":
                raise RetryableError("the worker is gone")
            return answer

        return fatal


@dataclass
class Read:
    """The part of a catalog that looks for pages."""

    lines: dict[str, SnapshotLine] = field(default_factory=dict)

    async def snapshots_of(self, normalized_url: str) -> list[str]:
        return [key for key, line in self.lines.items() if line.snapshot.normalized_url == normalized_url]

    async def snapshot(self, snapshot_id: str) -> SnapshotLine | None:
        return self.lines.get(snapshot_id)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chance=CHANCES, depth=st.integers(2, 4), troubled=st.booleans(), deep_first=st.booleans())
def test_a_crawl_has_what_its_depth_reaches(
    redis_url, receipt_of, snapshot_lines_of, chance, depth, troubled, deep_first
):
    random = Random(chance)
    graph = sparse(random)
    seeds = random.sample(range(PAGES), random.randint(1, 3))

    async def scenario(folder: Path) -> set[str]:
        client, store = connect(redis_url), DirectoryObjectStore(folder)
        try:
            await client.flushall()
            await client.set(names.EPOCH, "1")
            guard = Guard(client, Epoch(number=1))
            crawl = Played(guard, store, graph, random, receipt_of, snapshot_lines_of, troubled, deep_first)
            await crawl.begin([url(seed) for seed in seeds], depth)
            return await crawl.run()
        finally:
            await client.aclose()

    with TemporaryDirectory() as folder:
        captured = asyncio.run(scenario(Path(folder)))
    assert captured == {url(page) for page in reached(graph, seeds, depth)}


@dataclass
class Played:
    """One crawl; `random` says what happens next."""

    guard: Guard
    store: DirectoryObjectStore
    graph: Sequence[frozenset[int]]
    random: Random
    receipt_of: Callable[..., Receipt]
    lines_of: Callable[..., list[SnapshotLine]]
    troubled: bool
    deep_first: bool
    """Whether the longest ways are gone first, which is the worst order for a depth."""
    catalog: Read = field(default_factory=Read)
    receipts: list[Receipt] = field(default_factory=list)
    extracted: set[str] = field(default_factory=set)
    """Segments that were put into the catalog, whether their links were taken or not."""
    captured: dict[str, int] = field(default_factory=dict)

    async def begin(self, seeds: Sequence[str], depth: int) -> None:
        self.frontier, self.ledger = RedisFrontier(self.guard), RedisLedger(self.guard)
        self.found, self.orders = RedisFoundUrls(self.guard), CrawlOrders(self.store)
        options = JobOptions(depth=depth, scope=Scope.HOST)
        job = await accept(
            read_urls(seeds),
            Order("default", Lane.BULK, options),
            store=self.store,
            frontier=self.frontier,
            now=SystemClock().now(),
        )
        assert isinstance(job, StoredJob)
        self.job = job

    async def run(self) -> set[str]:
        """Until the job reads as captured."""
        for _ in range(400):
            progress = await self.frontier.progress(self.job.id)
            assert progress is not None
            if progress.captured_all:
                return set(self.captured)
            await self.random.choice([self._capture, self._capture, self._extract, self._extract, self._lose_redis])()
        raise AssertionError("the crawl does not end")

    async def _capture(self) -> None:
        """Some open URLs, in any order, into one segment."""
        waiting = await self.guard.client.hgetall(names.open_urls(self.job.id))
        if not waiting:
            return
        open_urls = sorted(
            (unpack(packed, "a.test") for packed in waiting.values()), key=lambda each: each.normalized_url
        )
        chosen = self.random.sample(open_urls, self.random.randint(1, min(3, len(open_urls))))
        if self.deep_first:
            chosen = [max(open_urls, key=lambda each: each.depth)]
        depths = {each.normalized_url: each.depth for each in chosen}
        assert not depths.keys() & self.captured.keys(), "nothing is captured twice"
        number = len(self.receipts)
        receipt = self.receipt_of(
            sorted(depths), job_id=self.job.id, batch_id=f"b-{number}", segment_id=f"20261129T100000Z-S{number:03d}"
        )
        outcomes = [each.model_copy(update={"depth": depths[each.normalized_url]}) for each in receipt.outcomes]
        receipt = receipt.model_copy(update={"outcomes": tuple(outcomes), "follow_depth": self.job.options.depth})
        self.receipts.append(receipt)
        self.captured |= depths
        await self._commit(receipt)

    async def _commit(self, receipt: Receipt) -> None:
        entry = SegmentEntry(receipt.segment_id, self.job.id, Lane.BULK, "committed", "commits/x", follows=True)
        await self.ledger.advance(entry)
        await self.frontier.restore_done(self.job.id, receipt.ended)

    async def _extract(self) -> None:
        """A segment whose links are to be taken, by a worker that may die of it."""
        waiting = await self.ledger.at("committed")
        if not waiting:
            return
        entry = max(waiting, key=lambda each: each.segment_id) if self.deep_first else self.random.choice(waiting)
        (receipt,) = [each for each in self.receipts if each.segment_id == entry.segment_id]
        lines = [self._linked(line) for line in self.lines_of(receipt)]
        self.catalog.lines |= {line.snapshot.id: line for line in lines}
        ports = DiscoverPorts(
            Mortal(self.store, self._dies), self.catalog, Mortal(self.frontier, self._dies),
            Mortal(self.found, self._dies), StoredSitemaps(self.store, self.catalog), "citevault",
        )  # fmt: skip
        try:
            await Discovery(ports, self.orders).take_links(receipt, lines)
        except RetryableError:
            return
        await self.ledger.advance(replace(entry, stage="extracted"))

    def _linked(self, line: SnapshotLine) -> SnapshotLine:
        page = int(line.snapshot.normalized_url.rpartition("/")[2])
        return line.model_copy(update={"outlinks": tuple(url(target) for target in sorted(self.graph[page]))})

    def _dies(self) -> str | None:
        return self.random.choice(["before", "after"]) if self.troubled and self.random.random() < 0.1 else None

    async def _lose_redis(self) -> None:
        """Everything but the store is gone, and comes back from it in the order of a rebuild."""
        if not self.troubled or self.random.random() < 0.7:
            return
        await self.guard.client.flushall()
        await self.guard.client.set(names.EPOCH, "1")
        await self.frontier.open_job(self.job)
        for receipt in self.receipts:
            await self._commit(receipt)
        await resume_intake(self.job, store=self.store, frontier=self.frontier)
        found = sorted([key async for key in self.store.list(keys.discovered_of(self.job.id))])

        async def parts():
            for key in found:
                yield key, await read_lines_object(self.store, key, PageLinks)

        replay = await replay_links(self.job.id, parts(), frontier=self.frontier, found=self.found)
        for entry in await self.ledger.at("committed"):
            if entry.segment_id in replay.ended:
                await self.ledger.advance(replace(entry, stage="extracted"))
