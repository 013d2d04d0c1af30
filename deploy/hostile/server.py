"""The hostile server: raw sockets on loopback, one port a case, so that no case can spoil another's connection.

What was handed to the socket is counted, not kept: a case's bytes can be made again.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import struct
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from deploy.hostile.case import Case

HOST = "127.0.0.1"
ROBOTS = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
_END_OF_REQUEST = b"\r\n\r\n"
_MAX_REQUEST_BYTES = 64 * 1024
_LINGER_NOT = struct.pack("ii", 1, 0)  # closing then sends RST
_SETTLE_SECONDS = 0.05  # so that what was sent is read before the reset arrives
_STACK_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class HostileServer:
    """Where each case is served, by its name."""

    ports: Mapping[str, int]

    def url(self, case: Case) -> str:
        """The address of a case."""
        return f"http://{HOST}:{self.ports[case.name]}{case.path}"


@contextmanager
def hostile_server(cases: Iterable[Case]) -> Iterator[HostileServer]:
    """Serve these cases while the block lasts, in threads of this process."""
    stopped = threading.Event()
    with contextlib.ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        ports: dict[str, int] = {}
        for case in cases:
            listener = stack.enter_context(socket.create_server((HOST, 0)))
            listener.setblocking(False)
            selector.register(listener, selectors.EVENT_READ, case)
            ports[case.name] = listener.getsockname()[1]
        accepting = threading.Thread(target=_accept, args=(selector, stopped), daemon=True)
        accepting.start()
        try:
            yield HostileServer(ports)
        finally:
            stopped.set()
            accepting.join()


def _accept(selector: selectors.BaseSelector, stopped: threading.Event) -> None:
    while not stopped.is_set():
        for key, _ in selector.select(timeout=0.1):
            listener = key.fileobj
            if not isinstance(listener, socket.socket):
                continue
            with contextlib.suppress(OSError):
                connection, _address = listener.accept()
                threading.Thread(target=_serve, args=(connection, key.data, stopped), daemon=True).start()


def _serve(connection: socket.socket, case: Case, stopped: threading.Event) -> None:
    """Answer the requests of one connection until either side has enough."""
    with contextlib.suppress(OSError), connection:
        connection.setblocking(True)
        connection.settimeout(30.0)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while target := _request_target(connection):
            path, _, query = target.partition("?")
            if path == "/robots.txt":
                connection.sendall(ROBOTS)
                continue
            if path != case.path:
                connection.sendall(ROBOTS)
                continue
            if _say(connection, case, query, stopped) != "open":
                return


def _say(connection: socket.socket, case: Case, query: str, stopped: threading.Event) -> str:
    """Send one answer, and end the connection as the case says."""
    first = True
    for piece in case.answer(query):
        if case.pause and not first and stopped.wait(case.pause):
            return "close"
        connection.sendall(piece)
        first = False
    if case.ends == "reset":
        time.sleep(_SETTLE_SECONDS)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
    return case.ends


def _request_target(connection: socket.socket) -> str:
    """Path and query of the next request; empty where none comes."""
    received = b""
    while _END_OF_REQUEST not in received:
        data = connection.recv(65536)
        if not data or len(received) > _MAX_REQUEST_BYTES:
            return ""
        received += data
    words = received.split(b"\r\n", 1)[0].split(b" ")
    return words[1].decode("ascii", "replace") if len(words) == 3 else ""
