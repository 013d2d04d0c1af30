"""One, two and four worker processes on a real Valkey and SeaweedFS: the same clusters."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from workers.adapters.announcer import CeleryAnnouncer
from workers.config import Settings, process_environment
from workers.flows.cluster import load_clusters

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from tests.plane_plugin import Plane
    from tests.workers.flows.cluster.conftest import Archive, Page
    from workers.adapters.redis.guard import Guard
    from workers.flows.cluster import ClusterPorts

    OnArchive = Callable[[Callable[[Archive], Awaitable[None]]], None]
    ArchiveOver = Callable[[ClusterPorts, Guard], Archive]
    PlaneOver = Callable[[Settings], AbstractAsyncContextManager[Plane]]

WORKERS = (1, 2, 4)
SECONDS = 120.0
NEWS = 60


@pytest.fixture
def corpus(conformance_data: Path, page: type[Page]) -> list[Page]:
    """Real texts made by others: licences, revisions of drafts, news with planted rewrites."""
    folder = conformance_data / "neardup"
    texts = {
        path.name: path.read_text("utf-8", "replace")
        for name in ("licence-texts", "revisions")
        for path in sorted((folder / name).glob("*.txt"))
    }
    planted = {pair[end] for pair in json.loads((folder / "news-plagiarism/pairs.json").read_bytes()) for end in "ab"}
    rows = (line.split("\t", 1) for line in (folder / "news-plagiarism/articles.tsv").read_text("utf-8").splitlines())
    news = dict(row for row in rows if len(row) == 2)
    texts |= {name: news[name] for name in [*sorted(planted), *sorted(news.keys() - planted)[:NEWS]]}
    return [
        page(f"https://{number}.example/", text.strip() + "\n", None, number % 60)
        for number, text in enumerate(texts.values())
    ]


async def clustered(
    settings: Settings, plane_over: PlaneOver, over: ArchiveOver, segments: Sequence[Sequence[Page]], workers: int
) -> set[tuple[str, frozenset[str], frozenset[str]]]:
    """Leader, texts and snapshots of each cluster, after so many Celery processes have worked the segments off."""
    said = settings.data_dir / "worker.log"
    async with plane_over(settings) as plane:
        opened = plane.archive
        ports = opened.cluster_ports()
        await load_clusters(ports, again=True)
        archive = over(ports, opened.guard)
        messages = [await archive.extract(pages) for pages in segments]
        log = said.open("wb")
        command = [sys.executable, "-m", "workers.tasks", "--queue", "cluster", "--concurrency", str(workers)]
        running = subprocess.Popen(command, env=process_environment(settings), stdout=log, stderr=log)
        try:
            announcer = CeleryAnnouncer(settings.redis_url)
            for message in messages:
                await announcer.announce(message)
            deadline = time.monotonic() + SECONDS
            while len(await opened.ledger.at("clustered")) < len(messages):
                assert time.monotonic() < deadline, said.read_text("utf-8")[-2000:]
                await asyncio.sleep(0.1)
            announcer.close()
        finally:
            running.kill()
            running.wait()
            log.close()
        before = await archive.dump()
        assert await load_clusters(ports, again=True) == len(messages)
        assert await archive.dump() == before  # what was decided in turn is what the log says
        return {(leader, texts, snapshots) for leader, texts, snapshots, _ in before.values()}


@pytest.mark.slow
def test_one_two_and_four_workers_give_identical_clusters(
    corpus: list[Page],
    settings_in: Callable[[Path], Settings],
    plane_over: PlaneOver,
    archive_over: ArchiveOver,
    tmp_path: Path,
) -> None:
    found = []
    for workers in WORKERS:
        order = corpus.copy()
        random.Random(workers).shuffle(order)
        segments = [order[start : start + 8] for start in range(0, len(order), 8)]
        folder = tmp_path / f"by-{workers}"
        folder.mkdir()
        found.append(asyncio.run(clustered(settings_in(folder), plane_over, archive_over, segments, workers)))
    assert found[0] == found[1] == found[2]
    assert sum(len(texts) for _, texts, _ in found[0]) == len({one.sha256 for one in corpus})
    assert max(len(texts) for _, texts, _ in found[0]) >= 15  # the Apache licences, for one


def test_a_hundred_orders_of_arrival_give_one_partition(
    on_archive: OnArchive, page: type[Page], prose: Callable[[int, int], list[str]]
) -> None:
    """Through the index, the log and the state of a real Valkey: chains, bridges and lone texts in segments of one."""
    words = prose(1, 300)

    def version(edits: Sequence[int]) -> str:
        return " ".join(f"edit{at}" if at in edits else word for at, word in enumerate(words)) + "\n"

    chain = [range(0), range(10, 300, 36), range(28, 300, 36), [*range(10, 300, 36), *range(30, 300, 90)]]
    texts = [*map(version, chain), " ".join(prose(2, 200)) + "\n", " ".join(prose(3, 30)) + "\n"]
    pages = [page(f"https://{number}.example/", text, None, number) for number, text in enumerate(texts)]
    shuffled = random.Random(3)

    async def scenario(archive: Archive) -> None:
        for message_of in [await archive.extract([one]) for one in pages]:
            await archive.recluster(message_of)
        messages = archive.messages.copy()
        expected = await archive.partition()
        assert 1 < len(expected) < len(pages)
        for _ in range(100):
            await archive.forget()
            shuffled.shuffle(messages)
            for message in messages:
                await archive.recluster(message)
            assert await archive.partition() == expected

    on_archive(scenario)
