"""A real server of bombs on loopback: each at its number, and a good page at `good-N`. A body is made when it is asked
for and sent in pieces, so that the server holds one at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from deploy.bombs.run import GOOD, HTML, Bomb

PIECE = 256 * 1024


class BombServer(ThreadingHTTPServer):
    """Serves these."""

    daemon_threads = True

    def __init__(self, bombs: Sequence[Bomb]) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.bombs = bombs
        self.one_body = threading.Lock()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{path}"


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: BombServer

    def do_GET(self) -> None:
        name = self.path.removeprefix("/")
        if name.startswith("good-"):
            self._send(GOOD.replace(b"Gates", name.encode()), HTML, ())
        elif name.isdecimal() and int(name) < len(self.server.bombs):
            bomb = self.server.bombs[int(name)]
            with self.server.one_body:
                self._send(bomb.body(), bomb.content_type, bomb.codings)
        else:
            self.send_error(404)

    def _send(self, body: bytes, kind: str, codings: Sequence[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if codings:
            self.send_header("Content-Encoding", ", ".join(codings))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for start in range(0, len(body), PIECE):
            self.wfile.write(body[start : start + PIECE])

    def log_message(self, format: str, *args: object) -> None:
        """What was asked for stands in the receipts."""


@contextmanager
def serving(bombs: Sequence[Bomb]) -> Iterator[BombServer]:
    """Serve until the block ends."""
    with BombServer(bombs) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
