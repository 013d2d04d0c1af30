"""An S3 that answers what a test tells it to, over a real socket: for the answers a good store never gives."""

import http.server
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import pytest

from workers.adapters.s3.client import S3Location
from workers.adapters.s3.store import S3ObjectStore


class Answer(Protocol):
    """`length` overrides Content-Length, to promise more than is sent; `delay` is waited for before answering."""

    status: int
    headers: dict[str, str]
    body: bytes
    length: int | None
    delay: float


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class MakeStore(Protocol):
    def __call__(
        self,
        answer: Callable[[Asked], Answer],
        *,
        attempts: int = 1,
        multipart_bytes: int = 1 << 30,
        seconds: float = 20,
    ) -> S3ObjectStore: ...


@pytest.fixture
def asked() -> list[Asked]:
    """Every request that reached the server."""
    return []


@pytest.fixture
def store_answering(asked: list[Asked]) -> Iterator[MakeStore]:
    """Give a function from request to answer, get an S3ObjectStore that talks to it."""
    closing: list[Callable[[], None]] = []

    def make(
        answer: Callable[[Asked], Answer], *, attempts: int = 1, multipart_bytes: int = 1 << 30, seconds: float = 20
    ) -> S3ObjectStore:
        ended = threading.Event()

        class Scripted(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer_it(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                seen = Asked(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                asked.append(seen)
                given = answer(seen)
                if given.delay:
                    ended.wait(given.delay)
                self.send_response_only(given.status)
                for name, value in given.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(given.body) if given.length is None else given.length))
                if given.length is not None:
                    self.send_header("Connection", "close")
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(given.body)
                if given.length is not None:
                    self.close_connection = True

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = answer_it  # noqa: N815 (the server's names)

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        store = S3ObjectStore(
            S3Location(
                endpoint=f"http://127.0.0.1:{server.server_port}",
                bucket="citevault",
                prefix="archive",
                access_key="key",
                secret_key="secret",
                read_seconds=seconds,
                attempts=attempts,
                multipart_bytes=multipart_bytes,
            )
        )

        def end() -> None:
            ended.set()
            store.close()
            server.shutdown()
            thread.join()
            server.server_close()

        closing.append(end)
        return store

    yield make
    for end in closing:
        end()
