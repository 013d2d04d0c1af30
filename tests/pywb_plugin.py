"""A real pywb over a folder of WARC files and one index, for suites that want to see their files replayed."""

from __future__ import annotations

import http.client
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

CONFIG = """
framed_replay: false
enable_memento: true
collections:
  all:
    archive_paths: {archive}/
    index_paths: {index}
"""
START_SECONDS = 60


@dataclass(frozen=True)
class Pywb:
    """A running pywb."""

    port: int

    def replayed(self, stamp: str, url: str) -> tuple[int, dict[str, str], bytes]:
        """What it answers for a URL at a time: status, headers in lower case, body as it was captured."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", f"/all/{stamp}id_/{url}", headers={"Accept-Encoding": "identity"})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, body


@pytest.fixture
def pywb_over(
    peers: Path, tmp_path: Path, socket_enabled: None
) -> Callable[[Path, bytes], AbstractContextManager[Pywb]]:
    """Starts pywb over the files of a folder and the lines of their index."""

    @contextmanager
    def run(archive: Path, cdxj: bytes) -> Iterator[Pywb]:
        home = tmp_path / "pywb"
        home.mkdir()
        index = home / "index.cdxj"
        index.write_bytes(cdxj)
        (home / "config.yaml").write_text(CONFIG.format(archive=archive, index=index))
        port = _free_port()
        command = [str(peers / "wayback"), "-b", "127.0.0.1", "-p", str(port), "-d", str(home)]
        with (home / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            _wait_for(process, port, home / "log")
            yield Pywb(port)
        finally:
            process.terminate()
            process.wait(timeout=30)

    return run


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"pywb does not answer: {log.read_text()[-2000:]}")
            time.sleep(0.2)
