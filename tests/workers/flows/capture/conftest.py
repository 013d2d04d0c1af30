"""A server that answers to the byte what a test tells it to, and the visits of one URL over the whole capture."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

import pytest

from schemas import keys
from schemas.records.job import JobOptions
from schemas.records.outcome import UrlOutcome
from schemas.records.receipt import Receipt
from workers.flows.documents import read_object


@dataclass(frozen=True)
class Asked:
    """A request as the server got it; names of fields in lower case."""

    path: str
    fields: dict[str, str]

    @property
    def conditions(self) -> tuple[str | None, str | None]:
        return self.fields.get("if-none-match"), self.fields.get("if-modified-since")


@dataclass
class ScriptedServer:
    """Answers each request with the next of the answers for its path, the last one again and again."""

    url: str
    answers: dict[str, list[bytes | Callable[[Asked], bytes]]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    def says(self, path: str, *answers: bytes | Callable[[Asked], bytes]) -> str:
        """What a path answers from now on; its URL."""
        self.answers[path] = list(answers)
        return self.url + path

    def requests(self, path: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.path == path]

    def answer(self, asked: Asked) -> bytes:
        self.asked.append(asked)
        waiting = self.answers.get(asked.path, [b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"])
        found = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return found(asked) if callable(found) else found


@pytest.fixture
def server(socket_enabled: None) -> Iterator[ScriptedServer]:
    """One connection a request, so that what a server sends is what its answer says, to the last byte."""
    listener = socket.create_server(("127.0.0.13", 0))
    scripted = ScriptedServer(f"http://127.0.0.13:{listener.getsockname()[1]}")

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                head = b""
                while b"\r\n\r\n" not in head:
                    piece = connection.recv(65536)
                    if not piece:
                        break
                    head += piece
                else:
                    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
                    fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
                    connection.sendall(scripted.answer(Asked(first.split(" ")[1], fields)))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield scripted
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(timeout=5)


@dataclass
class Visits:
    """Captures URLs over real stores, a job a visit."""

    plane: Any
    receipts: list[Receipt] = field(default_factory=list)

    async def visit(self, url: str, **options: Any) -> UrlOutcome:
        """One more visit; its outcome."""
        job = await self.plane.job([url], **options)
        for message in await self.plane.release():
            assert await self.plane.capture(message)
        found = [key async for key in self.plane.archive.store.list(keys.receipts(job.id))]
        assert len(found) == 1
        self.receipts.append(await read_object(self.plane.archive.store, found[0], Receipt))
        return self.receipts[-1].outcomes[0]

    async def warc(self, number: int = -1) -> bytes:
        """The WARC file of a visit."""
        file = self.receipts[number].warc
        assert file is not None
        body: bytes = await self.plane.archive.store.get(file.key)
        return body


Scenario = Callable[[Visits], Awaitable[Any]]


@pytest.fixture
def visiting(plane: Callable[[], AbstractAsyncContextManager[Any]]) -> Callable[[Scenario], Any]:
    """Run a scenario of visits in an event loop of its own."""

    def run(scenario: Scenario) -> Any:
        async def within() -> Any:
            async with plane() as running:
                return await scenario(Visits(running))

        return asyncio.run(within())

    return run


@pytest.fixture(scope="session")
def fresh() -> JobOptions:
    """Options of a job that asks for everything in full."""
    return JobOptions(fresh=True)


@pytest.fixture(scope="session")
def whole() -> Callable[..., bytes]:
    """A 200 with these fields and body."""

    def make(body: bytes, *fields: str, status: str = "200 OK") -> bytes:
        lines = [
            f"HTTP/1.1 {status}",
            "Content-Type: text/html; charset=utf-8",
            f"Content-Length: {len(body)}",
            *fields,
        ]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body

    return make


@pytest.fixture(scope="session")
def unchanged() -> Callable[..., bytes]:
    """A 304 with these fields; `rest` follows its head."""

    def make(*fields: str, rest: bytes = b"") -> bytes:
        return "\r\n".join(["HTTP/1.1 304 Not Modified", *fields]).encode("latin-1") + b"\r\n\r\n" + rest

    return make
