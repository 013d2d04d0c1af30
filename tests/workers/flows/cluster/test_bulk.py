"""Clustering in bulk against clustering segment by segment, over a real Redis."""

from __future__ import annotations

import asyncio
import hashlib
import random
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis

from workers.errors import RetryableError
from workers.flows.bulk import BulkPorts, cluster_in_bulk
from workers.flows.bulk import look as looking
from workers.flows.bulk import settle as settling
from workers.flows.cluster import load_clusters
from workers.flows.compact import Progress
from workers.ports import SegmentEntry

T = TypeVar("T")
OnArchive = Callable[[Callable[[Any], Awaitable[Any]]], Any]


async def wait_for_clustering(archive: Any, message: Any) -> None:
    """The ledger's entry of an extracted segment."""
    await archive.ports.ledger.advance(
        SegmentEntry(
            segment_id=message.segment_id,
            job_id="job-1",
            lane=message.lane,
            stage="extracted",
            receipt_key=message.receipt_key,
            snapshots_key=message.snapshots_key,
            prints_key=message.prints_key,
        )
    )


async def extract_all(archive: Any, segments: Sequence[Sequence[Any]]) -> None:
    for pages in segments:
        await wait_for_clustering(archive, await archive.extract(pages))


async def in_bulk(archive: Any, folder: Path) -> Any:
    folder.mkdir(exist_ok=True)
    return await cluster_in_bulk(BulkPorts(archive.ports, folder))


async def edges(archive: Any) -> set[tuple[str, str, int, str]]:
    """All confirmed edges that stand, with what confirmed them."""
    found: set[tuple[str, str, int, str]] = set()
    async for cluster in archive.ports.clusters.all():
        for edge in await archive.ports.clusters.edges(cluster):
            found.add((edge.a, edge.b, edge.figures.shingle_jaccard_ppm, edge.rule))
    return found


async def standing(archive: Any) -> tuple[Any, Any]:
    return await archive.partition(), await edges(archive)


@pytest.fixture
def segments(page: Any, prose: Callable[[int, int], list[str]]) -> list[list[Any]]:
    """Twelve segments of stories, their edited copies, equal texts captured again, short texts, template pages."""
    dice = random.Random(5)
    pages = []
    for number in range(90):
        story = prose(number % 30, 150)
        for place in dice.sample(range(150), dice.randrange(0, 6)):
            story[place] = f"edit{number}x{place}"
        text = " ".join(story[: 12 if number % 17 == 0 else 150]) + "\n"
        pages.append(page(f"https://site{number}.example/{number}", text, f"Story {number % 30}", dice.randrange(60)))
        if number % 9 == 0:
            pages.append(page(f"https://again{number}.example/", text, f"Story {number % 30}", dice.randrange(60)))
    dice.shuffle(pages)
    return [pages[start::12] for start in range(12)]


def test_bulk_comes_to_what_clustering_each_segment_comes_to(
    on_archive: OnArchive, segments: list[list[Any]], tmp_path: Path
) -> None:
    async def one_by_one(archive: Any) -> Any:
        for pages in segments:
            await archive.cluster(pages)
        return await standing(archive)

    async def together(archive: Any) -> Any:
        await extract_all(archive, segments)
        done = await in_bulk(archive, tmp_path / "bulk")
        assert done.segments == len(segments)
        assert done.confirmed > 50
        assert await archive.ports.ledger.at("extracted") == []
        assert len(await archive.ports.ledger.at("clustered")) == len(segments)
        found = await standing(archive)
        await load_clusters(archive.ports, again=True)
        assert await standing(archive) == found  # the log alone gives it back
        assert (await in_bulk(archive, tmp_path / "bulk")).segments == 0
        return found

    expected, found = on_archive(one_by_one), on_archive(together)
    assert len([texts for texts in expected[0] if len(texts) > 1]) > 10
    assert found == expected


def test_bulk_goes_on_from_what_is_clustered_already(
    on_archive: OnArchive, segments: list[list[Any]], tmp_path: Path
) -> None:
    async def one_by_one(archive: Any) -> Any:
        for pages in segments:
            await archive.cluster(pages)
        return await standing(archive)

    async def partly(archive: Any) -> Any:
        for pages in segments[:5]:
            await archive.cluster(pages)
        await extract_all(archive, segments[5:])
        assert (await in_bulk(archive, tmp_path / "bulk")).segments == 7
        return await standing(archive)

    assert on_archive(partly) == on_archive(one_by_one)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False), st.integers(1, 5), st.integers(0, 3))
def test_any_collection_in_any_segments(
    on_archive: OnArchive, page: Any, prose: Any, tmp_path: Path, dice: random.Random, parts: int, before: int
) -> None:
    """Property: whatever is clustered before, the rest in bulk comes to the same."""
    pages = []
    for number in range(dice.randrange(2, 25)):
        story = prose(dice.randrange(4), 60)
        for place in dice.sample(range(60), dice.randrange(0, 5)):
            story[place] = f"edit{number}x{place}"
        title = dice.choice([None, "One", "Other"])
        pages.append(page(f"https://s{dice.randrange(9)}.example/{number}", " ".join(story) + "\n", title, number))
    dice.shuffle(pages)
    split = [pages[start::parts] for start in range(parts)]
    folder = tmp_path / hashlib.sha256(repr(pages).encode()).hexdigest()[:12]

    async def one_by_one(archive: Any) -> Any:
        for each in split:
            await archive.cluster(each)
        return await standing(archive)

    async def together(archive: Any) -> Any:
        for each in split[:before]:
            await archive.cluster(each)
        await extract_all(archive, split[before:])
        await in_bulk(archive, folder)
        return await standing(archive)

    assert on_archive(together) == on_archive(one_by_one)


@pytest.mark.parametrize("step", ["gathering fingerprints", "finding pairs", "looking at pairs", "deciding"])
def test_a_run_that_was_killed_goes_on(
    step: str,
    on_archive: OnArchive,
    segments: list[list[Any]],
    redis_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A child process kills itself with SIGKILL within a step; the next run ends what it began."""
    folder = tmp_path / "bulk"
    folder.mkdir()

    async def whole(archive: Any) -> Any:
        await extract_all(archive, segments)
        await in_bulk(archive, tmp_path / "other")
        return await standing(archive)

    expected = on_archive(whole)

    async def killed(archive: Any) -> Any:
        await extract_all(archive, segments)
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", DYING, redis_url, str(tmp_path / "store-2"), str(folder), step
        )
        assert await child.wait() == -signal.SIGKILL
        assert (folder / "plan.jsonl").exists()
        looked = 0
        real = looking._look

        async def counting(*given: Any) -> Any:
            nonlocal looked
            looked += 1
            return await real(*given)

        monkeypatch.setattr(looking, "_look", counting)
        done = await in_bulk(archive, folder)
        monkeypatch.undo()
        assert done.segments == len(segments)
        if step == "deciding":
            assert looked == 0  # all verdicts were at hand
        assert not (folder / "plan.jsonl").exists()
        return await standing(archive)

    assert on_archive(killed) == expected


DYING = """
import asyncio, os, signal, sys
from pathlib import Path

from workers.adapters.clock import SystemClock
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.candidates import RedisCandidates
from workers.adapters.redis.catalog import RedisCatalog
from workers.adapters.redis.client import connect
from workers.adapters.redis.clusters import RedisClusters
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.errors import RetryableError
from workers.flows.bulk import BulkPorts, cluster_in_bulk
from workers.flows.cluster import ClusterPorts
from workers.frontier.epoch import Epoch

url, store_folder, folder, step = sys.argv[1:]
seen = 0

def told(progress):
    global seen
    seen += progress.what == step
    if seen == 3:
        os.kill(os.getpid(), signal.SIGKILL)

async def run():
    guard, store = Guard(connect(url), Epoch(number=1)), DirectoryObjectStore(Path(store_folder))
    ports = ClusterPorts(
        store=store,
        catalog=RedisCatalog(guard, store),
        ledger=RedisLedger(guard),
        candidates=RedisCandidates(guard.client),
        clusters=RedisClusters(guard, PIPELINE_PARAMS),
        clock=SystemClock(),
    )
    await cluster_in_bulk(BulkPorts(ports, Path(folder), told))

asyncio.run(run())
"""


def test_a_redis_that_refuses_for_a_moment_is_waited_for_and_one_that_goes_on_refusing_is_told(
    on_archive: OnArchive, segments: list[list[Any]], redis_url: str, tmp_path: Path
) -> None:
    """It has no memory left while segments are decided on; half of them are done by then."""
    told: list[str] = []
    moments = {4, 8}

    async def scenario(archive: Any) -> None:
        await extract_all(archive, segments)
        with Redis.from_url(redis_url) as redis:

            def fill(progress: Progress) -> None:
                if progress.what == "deciding" and progress.done in moments:
                    moments.remove(progress.done)
                    redis.config_set("maxmemory", 1)

            def interrupted(error: RetryableError, _seconds: float) -> None:
                told.append(error.what)
                if len(told) == 1:
                    redis.config_set("maxmemory", 0)

            ports = BulkPorts(archive.ports, tmp_path / "bulk", fill, interrupted, pauses=(0.01, 0.01))
            ports.folder.mkdir()
            try:
                with pytest.raises(RetryableError, match="given up after 3 tries: Redis has no memory left"):
                    await cluster_in_bulk(ports)
            finally:
                redis.config_set("maxmemory", 0)
        assert told == ["Redis has no memory left"] * 3, "once, it went further, and twice more"
        assert len(await archive.ports.ledger.at("clustered")) == 8
        assert (await in_bulk(archive, tmp_path / "bulk")).segments == len(segments)

    on_archive(scenario)


def test_redis_is_asked_by_the_segment_and_not_by_the_text(
    on_archive: OnArchive, page: Any, prose: Any, tmp_path: Path
) -> None:
    """Ten times the texts in as many segments: the same round trips."""

    async def trips(archive: Any, texts: int, folder: str) -> int:
        pages = [page(f"https://s{n}.example/", " ".join(prose(n, 60)) + "\n", None, n % 60) for n in range(texts)]
        await extract_all(archive, [pages[start::4] for start in range(4)])
        calls = 0
        client = archive.guard.client
        await client.config_resetstat()
        await in_bulk(archive, tmp_path / folder)
        found = await client.info("commandstats")
        for name in ("cmdstat_evalsha", "cmdstat_eval", "cmdstat_mget", "cmdstat_exec"):
            calls += int(found.get(name, {}).get("calls", 0))
        return calls

    few = on_archive(lambda archive: trips(archive, 40, "few"))
    many = on_archive(lambda archive: trips(archive, 400, "many"))
    assert many <= few + 8


def test_what_a_worker_clusters_meanwhile_is_taken_as_it_is(
    on_archive: OnArchive, segments: list[list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker takes one segment of the plan, and one that came after it, while the run looks at pairs."""

    async def one_by_one(archive: Any) -> Any:
        for pages in segments:
            await archive.cluster(pages)
        return await standing(archive)

    async def beside(archive: Any) -> Any:
        await extract_all(archive, segments[:-1])
        real, began = settling.settle, False

        async def with_company(*given: Any) -> Any:
            nonlocal began
            if not began:
                began = True
                await archive.recluster(archive.messages[6])
                await archive.cluster(segments[-1])
            return await real(*given)

        monkeypatch.setattr("workers.flows.bulk.run.settle", with_company)
        await in_bulk(archive, tmp_path / "bulk")
        return await standing(archive)

    assert on_archive(beside) == on_archive(one_by_one)
