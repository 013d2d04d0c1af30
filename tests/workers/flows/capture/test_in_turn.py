"""A worker takes batch after batch, fetches the next while the last one commits, and lets none suffer for another."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from schemas import keys
from schemas.records.receipt import Receipt
from workers.errors import PermanentError
from workers.flows.capture.in_turn import capture_in_turn
from workers.flows.documents import read_object

pytestmark = pytest.mark.real

BATCHES = 4


class SlowStore:
    """The store, but a WARC file takes a while, and one of them may be refused for ever."""

    def __init__(self, store: Any, log: list[str], refused: int) -> None:
        self._store = store
        self._log = log
        self._refused = refused
        self._files = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def put(self, key: str, body: Any, **options: Any) -> None:
        if not key.startswith("warc/"):
            await self._store.put(key, body, **options)
            return
        number, self._files = self._files, self._files + 1
        self._log.append(f"commit {number} begins")
        await asyncio.sleep(0.4)
        if number == self._refused:
            raise PermanentError("the store does not want it", where=key, next_step="nothing")
        await self._store.put(key, body, **options)
        self._log.append(f"commit {number} ends")


class Telling:
    """The transport; says which page is asked for."""

    def __init__(self, transport: Any, log: list[str]) -> None:
        self._transport = transport
        self._log = log

    async def fetch(self, request: Any) -> Any:
        if request.purpose == "page":
            self._log.append(f"fetch {request.url[-1]}")
        return await self._transport.fetch(request)

    async def address(self, host: str) -> Any:
        return await self._transport.address(host)


@dataclass
class Told:
    """What happened, in order; what the receipts say; and how many batches were held, None where that is an error."""

    log: list[str] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    held: int | None = None


@pytest.fixture
def origins(socket_enabled: None) -> Iterator[list[str]]:
    """As many hosts as batches."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f"<p>{self.headers['Host']}{self.path}".encode()
            self.send_response(404 if self.path == "/robots.txt" else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nobody asks."""

    servers = [ThreadingHTTPServer((f"127.0.4.{number + 1}", 0), Answer) for number in range(BATCHES)]
    for server in servers:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield [f"http://{server.server_address[0]!s}:{server.server_address[1]}" for server in servers]
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def in_turn(
    settings_in: Any, tmp_path: Any, origins: list[str], plane_over: Callable[[Any], AbstractAsyncContextManager[Any]]
) -> Callable[..., Told]:
    """Release four batches of one page each, and hand over the message of the first."""

    def run(*, stopping: bool = False, refused: int = -1, seconds: float = 300.0) -> Told:
        told = Told()

        async def within() -> None:
            async with plane_over(settings_in(tmp_path)) as plane:
                archive = plane.archive
                jobs = [await plane.job([f"{origin}/{number}"]) for number, origin in enumerate(origins)]
                messages = await plane.release()
                assert len(messages) == BATCHES
                ports = replace(archive.capture_ports(), store=SlowStore(archive.store, told.log, refused))
                settings = replace(archive.capture_settings(), batch_seconds=seconds)
                transport = Telling(archive.transport, told.log)
                try:
                    told.held = await capture_in_turn(
                        messages[0], ports, settings, transport, archive.robots, lambda: stopping
                    )
                finally:
                    for job in jobs:
                        async for key in archive.store.list(keys.receipts(job.id)):
                            receipt = await read_object(archive.store, key, Receipt)
                            told.outcomes.update(each.outcome.value for each in receipt.outcomes)

        with pytest.raises(PermanentError) if refused >= 0 else threading.Lock():
            asyncio.run(within())
        return told

    return run


def test_the_next_batch_is_fetched_while_the_last_one_commits(in_turn: Callable[..., Told]) -> None:
    told = in_turn()
    assert told.held == BATCHES
    assert told.outcomes == Counter(captured=BATCHES)
    assert told.log.index("fetch 1") < told.log.index("commit 0 ends")


def test_no_more_than_one_batch_commits_while_another_is_fetched(in_turn: Callable[..., Told]) -> None:
    told = in_turn()
    for number in range(BATCHES - 2):
        assert told.log.index(f"commit {number} ends") < told.log.index(f"fetch {number + 2}")


def test_a_batch_that_cannot_be_committed_does_not_take_the_next_with_it(in_turn: Callable[..., Told]) -> None:
    told = in_turn(refused=0)
    assert told.held is None
    assert told.outcomes == Counter(captured=1)
    assert "fetch 2" not in told.log


def test_a_worker_that_is_to_stop_takes_no_further_batch(in_turn: Callable[..., Told]) -> None:
    told = in_turn(stopping=True)
    assert told.held == 1
    assert "fetch 1" not in told.log


def test_nothing_is_begun_so_late_that_the_message_could_come_again(in_turn: Callable[..., Told]) -> None:
    told = in_turn(seconds=0.0)
    assert told.held == 1
    assert "fetch 1" not in told.log
