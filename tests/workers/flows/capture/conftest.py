"""A server that answers to the byte what a test tells it to, and the visits of one URL over the whole capture."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from schemas import keys
from schemas.ids import utc_string
from schemas.records.claim import Importance, Support
from schemas.records.draft import Draft, DraftClaim, DraftEvidence
from schemas.records.job import JobOptions
from schemas.records.outcome import UrlOutcome
from schemas.records.receipt import Receipt
from workers.bootstrap import Archive
from workers.cite.problem import DraftProblem
from workers.flows.bundle import BuiltBundle, build_bundle
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


BARRIER_SENTENCE = "The tidal barrier was closed nine times in the winter of 2026"


@pytest.fixture(scope="session")
def barrier_page() -> bytes:
    """A page of twelve paragraphs, one of which is worth a quote."""
    paragraphs = (
        f"<p>{BARRIER_SENTENCE if number == 3 else f'In week {number} the water stood {number * 7} cm over the mark'}, "
        f"and the gates were tended by crew number {number} of the harbour authority.</p>"
        for number in range(12)
    )
    head = (
        "<!DOCTYPE html><html lang=en><head><title>Barrier closures</title></head><body><main><article><h1>Barrier</h1>"
    )
    return f"{head}{''.join(paragraphs)}</article></main></body></html>".encode()


@pytest.fixture(scope="session")
def cite_the_barrier() -> Callable[[Archive, str, Path], Awaitable[BuiltBundle | list[DraftProblem]]]:
    """Builds a bundle in a folder that quotes a snapshot of that page."""

    async def build(archive: Archive, snapshot_id: str, folder: Path) -> BuiltBundle | list[DraftProblem]:
        evidence = DraftEvidence(
            claim_id="c-001", snapshot_id=snapshot_id, quote=BARRIER_SENTENCE, support=Support.FULL
        )
        claim = DraftClaim(id="c-001", text="It closed nine times.", importance=Importance.ORDINARY)
        draft = Draft(id="report-1", claims=(claim,), evidence=(evidence,))
        now = utc_string(archive.clock.now())
        return await build_bundle(draft, folder, await archive.bundle_ports(), now=now, sign=None)

    return build
