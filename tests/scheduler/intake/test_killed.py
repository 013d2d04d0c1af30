"""An intake that is killed while it queues is taken up by the scheduler: nothing lost, nothing queued twice."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
import redis

from scheduler.service.intakes import Intakes
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.client import connect
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.frontier import names
from workers.frontier.epoch import Epoch

URLS = 40_000
HOSTS = 50
CHILD = """
import asyncio, io, sys
from datetime import UTC, datetime
from pathlib import Path
from scheduler.intake import Order, accept, read_lines
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.client import connect
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.frontier.epoch import Epoch

async def main(url, folder, list_file):
    frontier = RedisFrontier(Guard(connect(url), Epoch(number=1)))
    with open(list_file, "rb") as stream:
        store = DirectoryObjectStore(Path(folder))
        await accept(read_lines(stream), Order(), store=store, frontier=frontier, now=datetime.now(UTC))

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.real
def test_a_killed_intake_is_taken_up_by_the_scheduler(redis_url: str, tmp_path: Path, repository: Path):
    given = tmp_path / "list.txt"
    given.write_text("".join(f"https://h{number % HOSTS}.test/{number}\n" for number in range(URLS)))
    with redis.Redis.from_url(redis_url) as raw:
        raw.set(names.EPOCH, "1")
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, redis_url, str(tmp_path / "store"), str(given)],
            cwd=repository,
            env={**os.environ, "PYTHONPATH": str(repository)},
        )
        try:
            job_id = _half_queued(raw, child)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
        before = raw.hlen(names.open_urls(job_id))
        assert 0 < before < URLS
        assert raw.hget(names.job(job_id), "intake") == b"open"
        asyncio.run(_resume(redis_url, tmp_path / "store"))
        assert raw.hget(names.job(job_id), "intake") == b"closed"
        assert raw.hlen(names.open_urls(job_id)) == URLS
        queues = [raw.lrange(names.queue(job_id, f"h{number}.test"), 0, -1) for number in range(HOSTS)]
        assert sum(map(len, queues)) == len({name for queue in queues for name in queue}) == URLS


def _half_queued(raw: redis.Redis, child: subprocess.Popen[bytes]) -> str:
    """Wait until some of the job is queued; its id."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and child.poll() is None:
        for job_id in raw.zrange(names.JOBS, 0, -1):
            if raw.hlen(names.open_urls(job_id.decode())):
                return str(job_id.decode())
    pytest.fail("nothing was queued")


async def _resume(url: str, folder: Path) -> None:
    client = connect(url)
    intakes = Intakes(DirectoryObjectStore(folder), RedisFrontier(Guard(client, Epoch(number=1))))
    assert await intakes.resume(datetime.now(UTC)) == 1
    await client.aclose()
