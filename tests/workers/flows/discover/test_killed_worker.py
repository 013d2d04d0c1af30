"""A worker is killed while it takes links, at each step, and Redis may be lost with it: the crawl gets every page, each
once, and never reads as finished before.

A process of its own gets SIGKILL from itself, right before the step that is named.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from scheduler.rebuild import settle
from scheduler.service.wiring import rebuild_ports_of
from scheduler.sweep import message_for
from schemas.records.job import Scope
from workers.config import Settings, process_environment

pytestmark = [pytest.mark.real, pytest.mark.slow]

EXTRACT = """
import asyncio, os, signal, sys
from dataclasses import replace
from pathlib import Path
from workers import config
from workers.bootstrap import open_archive
from workers.flows.extract import extract_segment

PORT, VERB, WHERE = sys.argv[2:5]

class Deadly:
    def __init__(self, port):
        self._port = port

    def __getattr__(self, name):
        if name != VERB:
            return getattr(self._port, name)

        async def call(*args, **kwargs):
            if WHERE in str(args[0]):
                os.kill(os.getpid(), signal.SIGKILL)
            return await getattr(self._port, name)(*args, **kwargs)

        return call

async def main():
    async with open_archive(config.load(folder=Path("/nowhere"))) as archive:
        ports = archive.extract_ports()
        if PORT == "ledger":
            ports = replace(ports, ledger=Deadly(ports.ledger))
        else:
            links = archive.discovery
            deadly = replace(links.ports, **{PORT: Deadly(getattr(links.ports, PORT))})
            ports = replace(ports, links=replace(links, ports=deadly))
        await extract_segment(sys.argv[1], ports)

asyncio.run(main())
"""
STEPS = {
    "before it is written": ("store", "create", "discovered/"),
    "between discovered/ and noting": ("found", "note", ""),
    "between discovered/ and queueing": ("frontier", "admit", ""),
    "after queueing": ("ledger", "advance", ""),
}


def killed_at(settings: Settings, receipt_key: str, step: tuple[str, str, str]) -> int:
    environment = {**os.environ, **process_environment(settings)}
    ended = subprocess.run(
        [sys.executable, "-c", EXTRACT, receipt_key, *step], env=environment, timeout=60, check=False
    )
    return ended.returncode


@pytest.mark.parametrize("redis_is_lost", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_a_crawl_survives_a_worker_that_is_killed(plane, site, crawl_of, step, redis_is_lost):
    site.pages |= {"/": ["/a", "/b"], "/a": ["/c"], "/b": ["/c", "/d"], "/c": ["/deeper"], "/d": []}

    async def scenario():
        async with plane() as running:
            archive = running.archive
            crawl = await crawl_of(running, [site.url("/")], depth=2, scope=Scope.HOST)
            await crawl.step()
            await running.deliver()
            await crawl.step()
            running.inbox.messages.clear()
            (entry,) = [each for each in await archive.ledger.of_job(crawl.job.id) if each.stage == "committed"]
            code = await asyncio.to_thread(killed_at, archive.settings, entry.receipt_key, STEPS[step])
            assert code == -signal.SIGKILL
            if redis_is_lost:
                await archive.redis.flushall()
                rebuilt = await settle(rebuild_ports_of(archive), now="2026-11-29T12:00:00Z")
                assert rebuilt is not None
                assert not rebuilt.damaged
            assert not (await crawl.progress()).captured_all
            for each in await archive.ledger.at("committed"):
                await running.inbox.announce(message_for(each))
            await running.deliver()
            await crawl.run()
            return await crawl.progress(), await crawl.lines()

    progress, lines = asyncio.run(scenario())
    assert dict(site.hits) == dict.fromkeys(("/robots.txt", "/", "/a", "/b", "/c", "/d"), 1)
    assert progress.known == 5
    found = [link.normalized_url for line in lines for link in line.links]
    assert len(found) == len(set(found)) == 4


def test_a_crawl_goes_on_after_redis_was_lost_in_the_middle_of_it(plane, site, crawl_of):
    """What was found and not captured comes back, with its depth and its share of the budgets."""
    site.pages |= {"/": [f"/{number}" for number in range(8)], "/0": ["/x", "/y"], "/x": ["/deep"]}

    async def scenario():
        async with plane() as running:
            archive = running.archive
            crawl = await crawl_of(running, [site.url("/")], depth=2, scope=Scope.HOST, max_pages=9)
            await crawl.step()
            await running.deliver()
            before = await crawl.progress()
            await archive.redis.flushall()
            rebuilt = await settle(rebuild_ports_of(archive), now="2026-11-29T12:00:00Z")
            assert rebuilt is not None
            after = await crawl.progress()
            urls = [site.url(f"/{number}") for number in range(8)]
            depths = await archive.found.depths(crawl.job.id, urls, visit=1)
            await crawl.run()
            return before, after, rebuilt.queued, set(depths.values()), await crawl.progress()

    before, after, queued, depths, end = asyncio.run(scenario())
    assert (before.known, before.done) == (after.known, after.done) == (9, 1)
    assert (queued, depths) == (8, {1})
    assert end.known == 1 + 9, "the budget counts what was found before the loss"
    assert sorted(path for path in site.hits if path in ("/x", "/y", "/deep")) == ["/x"]
    assert max(site.hits.values()) == 1
