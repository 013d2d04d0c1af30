"""What pywb replays of the archive: a real pywb over the WARC files and our index, asked over a socket.

Its answers are read by the scanner that reads the servers' too, since a status such as 000 is replayed as it was,
and no client of the standard library takes it.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.hostile.readers import Reading
from workers.capture.limits import FetchLimits
from workers.capture.message import ResponseScanner
from workers.capture.scan import End, Progress

CONFIG = """
framed_replay: false
enable_memento: true
collections:
  all:
    archive_paths: {archive}/
    index_paths: {index}
"""
START_SECONDS = 90.0
ANSWER_SECONDS = 15.0
MAX_ANSWER_BYTES = 16 * 1024 * 1024


class NoReplayError(Exception):
    """pywb does not start; the message ends with its log."""


class Pywb:
    """A running pywb."""

    def __init__(self, port: int) -> None:
        self.port = port

    def replayed(self, stamp: str, url: str) -> Reading | None:
        """Status and body that it gives for an address at a time (14 digits); None where it does not answer."""
        request = (
            f"GET /all/{stamp}id_/{url} HTTP/1.0\r\nHost: 127.0.0.1:{self.port}\r\n"
            "Accept-Encoding: gzip, deflate, br, zstd\r\n\r\n"
        )
        scanner = ResponseScanner(limits=FetchLimits(max_body_bytes=MAX_ANSWER_BYTES))
        with socket.create_connection(("127.0.0.1", self.port), timeout=ANSWER_SECONDS) as connection:
            connection.sendall(request.encode("ascii"))
            with contextlib.suppress(TimeoutError, ConnectionError):
                while data := connection.recv(65536):
                    if scanner.feed(data) in (Progress.COMPLETE, Progress.LIMIT):
                        break
        response = scanner.finish(End.CLOSED).response
        try:
            return Reading(response.status, response.content.read()) if response.head else None
        finally:
            response.content.close()


@contextmanager
def running_pywb(peers: Path, home: Path, archive: Path, index: bytes) -> Iterator[Pywb]:
    """pywb over the files below `archive`, with `home` as its folder."""
    home.mkdir(parents=True, exist_ok=True)
    lines = home / "index.cdxj"
    lines.write_bytes(index)
    (home / "config.yaml").write_text(CONFIG.format(archive=archive, index=lines), encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 (a peer's own program)
            [str(peers / "wayback"), "-b", "127.0.0.1", "-p", str(port), "-d", str(home)], stdout=log, stderr=log
        )
    try:
        _wait(process, port, home / "log")
        yield Pywb(port)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError as error:
            if process.poll() is not None or time.monotonic() > deadline:
                raise NoReplayError(f"pywb does not answer: {log.read_text(errors='replace')[-2000:]}") from error
            time.sleep(0.2)
