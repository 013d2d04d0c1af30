"""A site that is away for a while: its pages are tried again, each try has its receipt, the job counts one outcome."""

from __future__ import annotations

import asyncio
import socket
import threading
from dataclasses import replace

import pytest

from schemas import keys
from schemas.records.job import JobOptions, RobotsPolicy
from schemas.records.outcome import Outcome
from schemas.records.receipt import Receipt
from workers.flows.documents import read_object

pytestmark = pytest.mark.real
HOST = "127.0.0.57"
ALONE = JobOptions(requisites=False, robots=RobotsPolicy.IGNORE)
"""A robots.txt that could not be had is remembered for a minute, longer than the pauses here."""


@pytest.fixture
def port(socket_enabled: None) -> int:
    """A port that nobody listens on."""
    with socket.create_server((HOST, 0)) as listener:
        return int(listener.getsockname()[1])


def serve(port: int) -> socket.socket:
    """Answer everything with a short page, until the socket is closed."""
    listener = socket.create_server((HOST, port))

    def run() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                if connection.recv(65536):
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")

    threading.Thread(target=run, daemon=True).start()
    return listener


async def receipts_of(plane, job) -> list[Receipt]:
    found = sorted([key async for key in plane.archive.store.list(keys.receipts(job.id))])
    return [await read_object(plane.archive.store, key, Receipt) for key in found]


def test_a_page_that_answers_at_last_is_captured_and_every_try_has_its_receipt(plane, port):
    async def scenario() -> None:
        async with plane() as running:
            running.archive.settings = replace(running.archive.settings, retry_seconds="0.2,0.2,600")
            frontier = running.archive.frontier
            job = await running.job([f"http://{HOST}:{port}/"], options=ALONE)
            (first,) = await running.release()
            await running.capture(first)
            waits = await frontier.progress(job.id)
            assert (waits.done, waits.later, waits.at_rest) == (0, 1, True)
            assert await running.release() == []
            listener = None
            for number in range(2):
                await asyncio.sleep(0.25)
                assert await frontier.wake(now_ms=running.now_ms()) == 1
                if number == 1:
                    listener = serve(port)
                (message,) = await running.release()
                await running.capture(message)
            assert listener is not None
            listener.close()
            ended = await frontier.progress(job.id)
            assert (ended.known, ended.captured_all, ended.outcomes) == (1, True, {"captured": 1})
            told = [receipt.outcomes[0] for receipt in await receipts_of(running, job)]
            assert [(each.outcome, each.tries) for each in told] == [
                (Outcome.CONNECT_FAILED, 1),
                (Outcome.CONNECT_FAILED, 2),
                (Outcome.CAPTURED, 3),
            ]
            assert [each.retry_at is None for each in told] == [False, False, True]
            assert told[0].retry_at > told[0].hops[0].retrieved_at

    asyncio.run(scenario())


def test_after_the_last_try_the_failure_is_the_outcome(plane, port):
    async def scenario() -> None:
        async with plane() as running:
            running.archive.settings = replace(running.archive.settings, retry_seconds="0.1")
            job = await running.job([f"http://{HOST}:{port}/"], options=ALONE)
            for _ in range(2):
                (message,) = await running.release()
                await running.capture(message)
                await asyncio.sleep(0.15)
                await running.archive.frontier.wake(now_ms=running.now_ms())
            ended = await running.archive.frontier.progress(job.id)
            assert (ended.captured_all, ended.outcomes) == (True, {"connect_failed": 1})

    asyncio.run(scenario())


def test_an_answer_that_says_busy_is_an_answer(plane, server):
    async def scenario() -> None:
        async with plane() as running:
            url = server.says("/busy", b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
            job = await running.job([url])
            for message in await running.release():
                await running.capture(message)
            ended = await running.archive.frontier.progress(job.id)
            assert (ended.captured_all, ended.outcomes) == (True, {"captured": 1})

    asyncio.run(scenario())
