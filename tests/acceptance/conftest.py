"""Real pages on real servers, archived by the real command line over a stack of its own."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from scheduler.stack import state
from schemas.records.receipt import Receipt
from workers import config
from workers.adapters.stores import open_store
from workers.config import Settings
from workers.flows.documents import read_object

HOSTS = 20
COMMAND_SECONDS = 400
RUN = "from scheduler.cli import main; main()"


@dataclass(frozen=True)
class PageFile:
    """A page as it is served: path, bytes as sent, and whether they are gzip."""

    path: str
    body: bytes
    gzipped: bool


@dataclass
class PageServer:
    """Serves pages under many loopback addresses; counts requests."""

    pages: Mapping[str, PageFile]
    delay_seconds: float = 0.0
    hits: Counter[str] = field(default_factory=Counter)
    urls: list[str] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator[PageServer]:
        owner = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                owner.hits[self.path] += 1
                page = owner.pages.get(self.path)
                if page is None:
                    self.send_response(404)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                if owner.delay_seconds:
                    threading.Event().wait(owner.delay_seconds)
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(page.body)))
                if page.gzipped:
                    self.send_header("Content-Encoding", "gzip")
                self.end_headers()
                self.wfile.write(page.body)

            def log_message(self, format: str, *args: object) -> None:
                """Counted, not printed."""

        servers = []
        for number in range(HOSTS):
            server = ThreadingHTTPServer((f"127.0.1.{number + 1}", 0), Answer)
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            servers.append(server)
        for number, path in enumerate(self.pages):
            address = servers[number % HOSTS].server_address
            self.urls.append(f"http://{address[0]}:{address[1]}{path}")
        try:
            yield self
        finally:
            for server in servers:
                server.shutdown()
                server.server_close()


@pytest.fixture(scope="module")
def real_pages(conformance_data: Path) -> dict[str, PageFile]:
    """The 201 pages of the trafilatura and article-extraction-benchmark suites, by path."""
    folder = conformance_data / "extraction"
    packed = sorted((folder / "article-extraction-benchmark" / "html").glob("*.html.gz"))
    plain = sorted((folder / "trafilatura" / "html").iterdir())
    pages = {f"/b/{n}": PageFile(f"/b/{n}", path.read_bytes(), True) for n, path in enumerate(packed)}
    pages |= {f"/t/{n}": PageFile(f"/t/{n}", path.read_bytes(), False) for n, path in enumerate(plain)}
    assert all(gzip.decompress(page.body) for page in pages.values() if page.gzipped)
    return pages


@dataclass(frozen=True)
class Stack:
    """A data directory with a running local stack, and the command line on it."""

    data_dir: Path
    environ: Mapping[str, str]

    def citevault(self, *arguments: str, check: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run a command; its exit code must be `check` unless that is None."""
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "from scheduler.cli import main; main()",
                "--data-dir",
                str(self.data_dir),
                *arguments,
            ],
            env=dict(self.environ),
            cwd=Path(__file__).resolve().parents[2],
            text=True,
            capture_output=True,
            timeout=COMMAND_SECONDS,
        )
        if check is not None:
            assert done.returncode == check, (
                f"{arguments}: exit {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
            )
        return done

    def json(self, *arguments: str, check: int | None = 0) -> Any:
        return json.loads(self.citevault(*arguments, "--json", check=check).stdout)

    def settings(self) -> Settings:
        info = state.running(self.data_dir)
        assert info is not None
        loaded = config.load({"data_dir": str(self.data_dir)}, environ={})
        return info.settings(loaded, state.credentials_of(state.StackPaths(self.data_dir)))

    def with_store(self, work: Callable[[Any], Any]) -> Any:
        store = open_store(self.settings())
        try:
            return asyncio.run(work(store))
        finally:
            store.close()

    def receipts(self, job_id: str) -> list[Receipt]:
        async def read(store: Any) -> list[Receipt]:
            found = [key async for key in store.list(f"commits/{job_id}/")]
            return [await read_object(store, key, Receipt) for key in sorted(found)]

        receipts: list[Receipt] = self.with_store(read)
        return receipts

    def download(self, receipts: list[Receipt], folder: Path) -> list[Path]:
        """The WARC files that receipts name, each under its file name."""

        async def read(store: Any) -> list[Path]:
            paths = []
            for receipt in receipts:
                assert receipt.warc is not None
                path = folder / Path(receipt.warc.key).name
                path.write_bytes(await store.get(receipt.warc.key))
                paths.append(path)
            return paths

        paths: list[Path] = self.with_store(read)
        return paths


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A running local stack."""
    data_dir = tmp_path_factory.mktemp("stack")
    environ = {name: value for name, value in os.environ.items() if not name.startswith("CITEVAULT_")}
    environ |= {
        "CITEVAULT_CONTACT": "https://example.org/contact",
        "CITEVAULT_LEASE_SECONDS": "12",
        "CITEVAULT_HEARTBEAT_SECONDS": "3",
    }
    running = Stack(data_dir, environ)
    running.citevault("up", "--detach")
    try:
        yield running
    finally:
        running.citevault("down")


@pytest.fixture(scope="module")
def server(real_pages: dict[str, PageFile]) -> Iterator[PageServer]:
    """All real pages, as fast as they can be sent."""
    with PageServer(real_pages).running() as running:
        yield running


@pytest.fixture
def slow_server(real_pages: dict[str, PageFile]) -> Iterator[PageServer]:
    """All real pages, each after a quarter of a second, so that a job can be hit in its middle."""
    with PageServer(real_pages, delay_seconds=0.25).running() as running:
        yield running
