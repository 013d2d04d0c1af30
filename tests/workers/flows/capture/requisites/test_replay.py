"""A page of the demo is replayed by pywb as it was, with the web switched off: a browser gets all that it asks for."""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from deploy.demo.server import sample_web
from deploy.demo.sites import REQUISITES, SITES
from schemas.records.job import JobOptions

pytestmark = [pytest.mark.real, pytest.mark.slow]
CONFIG = """
framed_replay: false
collections:
  all:
    archive_paths: {home}/warc/
    index_paths: {home}/index.cdxj
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def chromium() -> str:
    """A browser; where none is installed, as with the peers."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        message = "no chromium: install the Debian package `chromium`"
        if os.environ.get("CITEVAULT_REQUIRE_PEERS") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return found


@pytest.fixture
def captured_page(plane, receipts_of, tmp_path):
    """The demo's page with everything it needs, as files for pywb; its address. The web is gone when this returns."""

    async def scenario(url: str) -> None:
        async with plane() as running:
            archive = running.archive
            job = await running.job([url], options=JobOptions(requisites=True))
            for message in await running.release():
                assert await running.capture(message)
            (receipt,) = await receipts_of(archive, job)
            assert len(receipt.requisites) == REQUISITES
            warc = tmp_path / "warc" / receipt.warc.key.removeprefix("warc/")
            warc.parent.mkdir(parents=True)
            warc.write_bytes(await archive.store.get(receipt.warc.key))
            (tmp_path / "index.cdxj").write_bytes(await archive.store.get(receipt.cdxj.key))

    with sample_web() as web:
        url = web.url("authority", "/barrier")
        asyncio.run(scenario(url))
    return url


@pytest.fixture
def pywb(captured_page, peers: Path, tmp_path, socket_enabled):
    """A pywb over these files: its port, and its log of what was asked for."""
    (tmp_path / "config.yaml").write_text(CONFIG.format(home=tmp_path))
    port, log = free_port(), tmp_path / "pywb.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(peers / "wayback"), "-b", "127.0.0.1", "-p", str(port), "-d", str(tmp_path)], stdout=out, stderr=out
        )
    try:
        deadline = time.monotonic() + 60
        while not answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"pywb does not answer: {log.read_text()[-2000:]}")
            time.sleep(0.2)
        yield port, log
    finally:
        process.terminate()
        process.wait(timeout=30)


def needed() -> list[str]:
    (authority,) = (site for site in SITES if site.name == "authority")
    return [path for path, page in authority.pages.items() if page.kind != "text/html"]


def test_pywb_and_a_browser_find_everything_that_the_page_needs(captured_page, pywb, chromium, tmp_path):
    port, log = pywb
    origin = captured_page.removesuffix("/barrier")
    for path in needed():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", f"/all/2026id_/{origin}{path}")
        assert (path, connection.getresponse().status) == (path, 200)
        connection.close()
    before = log.read_text()
    home = tmp_path / "browser"
    browsed = subprocess.run(
        [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", f"--user-data-dir={home}",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--virtual-time-budget=20000", "--dump-dom",
            f"http://127.0.0.1:{port}/all/2026mp_/{captured_page}",
        ],
        capture_output=True, timeout=120, check=False, env={**os.environ, "HOME": str(home)},
    )  # fmt: skip
    assert b"Tidal barrier" in browsed.stdout, browsed.stderr.decode()[-2000:]
    entry = rf'"GET /all/[^/]*/{re.escape(origin)}(\S*) HTTP/1.1" (\d+)'
    asked = re.findall(entry, log.read_text().removeprefix(before))
    # The font only comes where both sheets were applied, the water only where the first was.
    assert {path for path, status in asked if status == "200"} >= {"/barrier", *needed()} - {"/style/mark.svg"}
    assert [entry for entry in asked if entry[1] != "200"] == []
