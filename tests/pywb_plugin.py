"""A real pywb over a folder of WARC files and one index, for suites that want to see their files replayed."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.hostile.replay import running_pywb


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
        with running_pywb(peers, tmp_path / "pywb", archive, cdxj) as running:
            yield Pywb(running.port)

    return run
