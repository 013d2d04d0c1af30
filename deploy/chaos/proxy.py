"""A TCP proxy in front of a real store that fails as it is told: what a network, or a store in trouble, does to us."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from urllib.parse import urlsplit

BUSY = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
PIECE = 65536
SLOW_SECONDS = 1.0


class FaultyProxy:
    """Modes: `pass`; `refuse` (nobody listens); `reset` (each connection is cut off); `busy` (503 to everything);
    `stall` (taken, and never answered); `slow` (answers come a piece a second). A change cuts off what is open."""

    def __init__(self, upstream: str) -> None:
        parts = urlsplit(upstream)
        self._upstream = (parts.hostname or "", parts.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port = int(self._listener.getsockname()[1])
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.mode = "pass"
        self.failed = 0
        """Connections that were not served as they should be."""
        self._accept_in_thread()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def turn(self, mode: str) -> None:
        """Fail like this from now on."""
        if self.mode == "refuse" and mode != "refuse":
            self._listener = socket.create_server(("127.0.0.1", self._port))
            self._accept_in_thread()
        self.mode = mode
        if mode == "refuse":
            self._close_listener()
        with self._lock:
            for each in self._open:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.turn("refuse")

    def _close_listener(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept_in_thread(self) -> None:
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            if self.mode in ("pass", "slow"):
                self._relay(client)
                return
            self.failed += 1
            if self.mode == "busy":
                client.recv(PIECE)
                client.sendall(BUSY)
            elif self.mode == "stall":
                self._wait(client)

    def _relay(self, client: socket.socket) -> None:
        with socket.create_connection(self._upstream) as upstream:
            with self._lock:
                self._open |= {client, upstream}
            back = threading.Thread(
                target=_pump, args=(upstream, client, SLOW_SECONDS if self.mode == "slow" else 0.0), daemon=True
            )
            back.start()
            _pump(client, upstream)
            back.join()
            with self._lock:
                self._open -= {client, upstream}

    def _wait(self, client: socket.socket) -> None:
        with self._lock:
            self._open.add(client)
        while client.recv(PIECE):
            pass
        with self._lock:
            self._open.discard(client)


def _pump(source: socket.socket, target: socket.socket, pause_seconds: float = 0.0) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(PIECE):
            time.sleep(pause_seconds)
            target.sendall(data)
    for each in (source, target):
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
