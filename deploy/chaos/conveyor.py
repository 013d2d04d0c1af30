"""`python -m deploy.chaos.conveyor FOLDER`: the worker of the broker's drill. Each message moves its segment on in the
ledger, as extraction does at its end, and leaves a line, so that what was done twice can be counted.

The application, its settings and the ledger are the product's; only the work between message and ledger is left out.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from schemas.messages import ExtractSegment
from schemas.records.job import Lane
from workers.adapters.celery_app import make_app
from workers.adapters.redis.client import AsyncRedis, connect, fresh_connections
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.errors import CitevaultError
from workers.frontier.epoch import Epoch
from workers.ports import SegmentEntry, Stage
from workers.tasks.loop import LoopThread

JOB = "job-drill"
URL_VARIABLE = "CHAOS_BROKER"


def entry(segment_id: str, stage: Stage) -> SegmentEntry:
    """A segment of the drill at a stage."""
    return SegmentEntry(segment_id, JOB, Lane.BULK, stage, receipt_key=f"commits/{JOB}/{segment_id}.json")


def segment_of(message: ExtractSegment) -> str:
    """The segment that a message is about."""
    return message.receipt_key.rpartition("/")[2].removesuffix(".json")


def ledger_of(client: AsyncRedis) -> RedisLedger:
    """The ledger in epoch 1."""
    return RedisLedger(Guard(client, Epoch(number=1)))


def main(folder: Path) -> None:
    """Work until killed."""
    url = os.environ[URL_VARIABLE]
    app = make_app(url)
    made: list[tuple[LoopThread, AsyncRedis]] = []

    async def move_on(client: AsyncRedis, segment_id: str) -> None:
        await fresh_connections(client)
        await ledger_of(client).advance(entry(segment_id, "extracted"))

    def work(body: str) -> None:
        if not made:  # after the fork: neither loop nor connections survive one
            made.append((LoopThread(), connect(url)))
        loop, client = made[0]
        segment_id = segment_of(ExtractSegment.model_validate_json(body))
        try:
            loop.run(move_on(client, segment_id))
        except (CitevaultError, asyncio.CancelledError):
            return  # as any task that fails: the sweep sends it again
        with (folder / f"done-{os.getpid()}").open("a") as lines:
            lines.write(segment_id + "\n")

    app.task(name=ExtractSegment.task, ignore_result=True)(work)
    options = ["-c", "2", "-n", "drill@chaos", "-P", "prefork", "--without-gossip", "--without-mingle"]
    app.worker_main(["worker", "-Q", "extract", *options, "--without-heartbeat", "-l", "WARNING"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
