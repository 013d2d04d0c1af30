"""Web servers on loopback that answer to the byte what a test tells them to, for suites that run whole flows."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

Answer = bytes | Callable[[socket.socket], None]
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@dataclass
class RawSite:
    """One server. `answers` may be filled while it runs; a path that is not among them is not found."""

    host: str
    port: int
    answers: dict[str, Answer] = field(default_factory=dict)
    requests: list[bytes] = field(default_factory=list)
    tls: ssl.SSLContext | None = None

    def url(self, path: str = "/", *, userinfo: str = "", host: str | None = None) -> str:
        scheme = "http" if self.tls is None else "https"
        return f"{scheme}://{userinfo}{host or self.host}:{self.port}{path}"

    def redirects(self, path: str, location: str) -> None:
        self.answers[path] = (
            f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
        )

    def says(self, path: str, body: bytes, *fields: str) -> None:
        lines = "".join(f"{each}\r\n" for each in fields)
        head = f"HTTP/1.1 200 OK\r\n{lines}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        self.answers[path] = head.encode() + body

    def serve(self, connection: socket.socket) -> None:
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            stack.enter_context(connection)
            if self.tls is not None:
                connection = stack.enter_context(self.tls.wrap_socket(connection, server_side=True))
            request = b""
            while b"\r\n\r\n" not in request:
                piece = connection.recv(65536)
                if not piece:
                    return
                request += piece
            self.requests.append(request)
            answer = self.answers.get(request.split(b" ")[1].decode(), NOT_FOUND)
            if callable(answer):
                answer(connection)
            else:
                connection.sendall(answer)


StartSite = Callable[..., RawSite]


@pytest.fixture
def raw_web(socket_enabled: None) -> Iterator[StartSite]:
    """Starts servers, each with one request a connection: `raw_web("127.0.0.7")`, and `tls=context` for TLS."""
    listeners: list[socket.socket] = []

    def start(host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> RawSite:
        listener = socket.create_server((host, 0))
        listeners.append(listener)
        site = RawSite(host, listener.getsockname()[1], tls=tls)

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=site.serve, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        return site

    yield start
    for listener in listeners:
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
