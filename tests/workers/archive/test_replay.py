"""pywb replays our files by our index: whole, chunked, and both kinds of revisit."""

import http.client
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CONFIG = """
framed_replay: false
enable_memento: true
collections:
  all:
    archive_paths: {archive}/
    index_paths: {index}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def pywb(zoo: Any, peers: Path, tmp_path: Path, socket_enabled: None) -> Iterator[int]:
    """A pywb that serves the zoo; its port."""
    home = tmp_path / "pywb"
    home.mkdir()
    index = home / "index.cdxj"
    index.write_bytes(zoo.segment.cdxj)
    (home / "config.yaml").write_text(CONFIG.format(archive=zoo.segment.path.parent, index=index))
    port = free_port()
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(peers / "wayback"), "-b", "127.0.0.1", "-p", str(port), "-d", str(home)], stdout=log, stderr=log
        )
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"pywb does not answer: {(home / 'log').read_text()[-2000:]}")
                time.sleep(0.2)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=30)


def replayed(port: int, stamp: str, url: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", f"/all/{stamp}id_/{url}", headers={"Accept-Encoding": "identity"})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, body


@pytest.mark.real
@pytest.mark.slow
def test_pywb_replays_what_was_captured(zoo: Any, pywb: int) -> None:
    plain = zoo.exchanges["plain"]
    content = plain.response.content.read()
    cases = {
        "a plain 200": ("20261129120000", plain.url, content),
        "a chunked body, stripped": ("20261129120000", "http://example.org/c", content),
        "an identical-payload revisit": ("20261130120000", plain.url, content),
        "a server-not-modified revisit": ("20261201120000", plain.url, content),
        "a large body": ("20261129120000", "http://example.org/l.pdf", zoo.exchanges["large"].response.content.read()),
    }
    for name, (stamp, url, body) in cases.items():
        status, headers, received = replayed(pywb, stamp, url)
        assert (name, status) == (name, 200)
        assert received == body, name
        assert "20" + stamp[2:8] in time.strftime(
            "%Y%m%d", time.strptime(headers["memento-datetime"], "%a, %d %b %Y %H:%M:%S GMT")
        ), name


@pytest.mark.real
@pytest.mark.slow
def test_pywb_replays_a_redirect_without_a_reason_phrase(pywb: int) -> None:
    """A status line that ends after the blank must not hang the client."""
    status, headers, _ = replayed(pywb, "20261129120000", "https://www.Example.org/R")
    assert status == 302
    assert headers["location"].endswith("/plain")
