"""`python -m deploy.bench.capture.delaying PORT SECONDS FOLDER [PREFIX]`: an origin far away.

Answers each GET with a file of the folder, so many seconds after the request came. Every answer lies ready in memory,
and a request costs one timer and one write, so that it stays out of the way of those who are measured. It knows
nothing of HTTP but where a request ends and which path it names, and talks to loopback only, or to addresses that begin
with PREFIX.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

TYPES = {".html": "text/html", ".txt": "text/plain"}
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
MOST_REQUEST_BYTES = 64 * 1024


class Answering(asyncio.Protocol):
    """One connection."""

    def __init__(self, answers: dict[bytes, bytes], seconds: float, peers: str) -> None:
        self._answers = answers
        self._seconds = seconds
        self._peers = peers
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._pending = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport
            if not str(transport.get_extra_info("peername")[0]).startswith(self._peers):
                transport.abort()

    def data_received(self, data: bytes) -> None:
        self._pending += data
        while (end := self._pending.find(b"\r\n\r\n")) >= 0:
            path = self._pending[: self._pending.find(b"\r\n")].split(b" ")[1:2]
            self._pending = self._pending[end + 4 :]
            answer = self._answers.get(path[0] if path else b"", NOT_FOUND)
            self._loop.call_later(self._seconds, self._write, answer)
        if len(self._pending) > MOST_REQUEST_BYTES and self._transport is not None:
            self._transport.abort()

    def _write(self, answer: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(answer)


def answers_of(folder: Path) -> dict[bytes, bytes]:
    """Whole responses by path."""
    answers = {}
    for file in folder.iterdir():
        body = file.read_bytes()
        kind = TYPES.get(file.suffix, "application/octet-stream")
        head = f"HTTP/1.1 200 OK\r\nServer: delaying\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        answers[f"/{file.name}".encode()] = head.encode() + body
    return answers


async def main(port: int, seconds: float, folder: Path, peers: str = "127.") -> None:
    """Serve until killed."""
    answers = answers_of(folder)
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(lambda: Answering(answers, seconds, peers), "0.0.0.0", port, backlog=4096)  # noqa: S104
    await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:5]))
