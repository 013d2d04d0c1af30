"""A small web whose pages need things, on two hosts of loopback."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from schemas import keys
from schemas.records.receipt import Receipt
from workers.flows.documents import read_object


@dataclass(frozen=True)
class Answer:
    """What one path gives."""

    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    fields: tuple[tuple[str, str], ...] = ()


@dataclass
class Host:
    """One host: what it has, and what it was asked for, in order."""

    origin: str
    paths: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    before_answer: Callable[[], None] = lambda: None

    def url(self, path: str) -> str:
        return self.origin + path

    @property
    def hits(self) -> Counter[str]:
        return Counter(self.asked)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    host: Host

    def do_GET(self) -> None:
        self.host.asked.append(self.path)
        self.host.before_answer()
        answer = self.host.paths.get(self.path, Answer(status=404))
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.fields:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are kept, not printed."""


@pytest.fixture
def new_host(socket_enabled: None) -> Iterator[Callable[[], Host]]:
    """Starts another host, each on an address of its own."""
    servers: list[ThreadingHTTPServer] = []

    def start() -> Host:
        handler = type("Handler", (_Handler,), {})
        server = ThreadingHTTPServer((f"127.0.0.{40 + len(servers)}", 0), handler)
        server.daemon_threads = True
        handler.host = Host(f"http://{server.server_address[0]}:{server.server_address[1]}")  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return handler.host  # type: ignore[attr-defined,no-any-return]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def receipts_of() -> Callable[..., object]:
    """All receipts of a job, in order."""

    async def read(archive, job) -> list[Receipt]:
        found = [key async for key in archive.store.list(keys.receipts(job.id))]
        return [await read_object(archive.store, key, Receipt) for key in sorted(found)]

    return read


@pytest.fixture
def make_answer() -> Callable[..., Answer]:
    """An answer with text or bytes."""

    def make(body: bytes | str = b"", **fields: object) -> Answer:
        return Answer(body.encode() if isinstance(body, str) else body, **fields)  # type: ignore[arg-type]

    return make
