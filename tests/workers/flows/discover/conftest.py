"""A web of linked pages on loopback, served for real, and a crawl of it over real stores."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from scheduler.intake import Order, accept, read_urls
from schemas import keys
from schemas.records.discovered import LeftOutReason, PageLinks
from schemas.records.job import JobOptions, Lane, StoredJob
from workers.flows.documents import read_lines_object


@dataclass
class Site:
    """Pages by path: links of a page that answers 200, or status, head fields and body."""

    pages: dict[str, object] = field(default_factory=dict)
    hits: Counter[str] = field(default_factory=Counter)
    address: str = ""

    def url(self, path: str) -> str:
        return self.address + path

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        page = self.pages.get(path)
        if page is None and path == "/robots.txt":
            return 404, {}, b""
        if page is None:
            return 404, {}, html(["/from-an-error-page"])
        if isinstance(page, tuple):
            return page
        assert isinstance(page, list)
        return 200, {}, html(page)


def html(links: Sequence[str], head: str = "") -> bytes:
    body = "".join(link if link.startswith("<") else f'<a href="{link}">{link}</a> ' for link in links)
    return f"<!DOCTYPE html><html><head><title>t</title>{head}</head><body><p>{body}</p></body></html>".encode()


@contextmanager
def serving(site: Site, host: str) -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            site.hits[self.path] += 1
            status, fields, body = site.answer(self.path)
            self.send_response(status)
            for name, value in {"Content-Type": "text/html; charset=utf-8", **fields}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer((host, 0), Handler)
    site.address = f"http://{host}:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site(), "127.0.0.21") as running:
        yield running


@pytest.fixture
def neighbour() -> Iterator[Site]:
    """Another port of the same address: another host, and the same domain."""
    with serving(Site(), "127.0.0.21") as running:
        yield running


@pytest.fixture
def stranger() -> Iterator[Site]:
    with serving(Site(), "127.0.0.22") as running:
        yield running


@pytest.fixture(scope="session")
def page() -> Callable[..., bytes]:
    """The HTML of a page with these links or elements."""
    return html


@dataclass
class Crawl:
    """One crawl on an open plane."""

    running: object
    job: StoredJob

    async def step(self) -> bool:
        """Capture everything that is due, without delivering what follows. False: nothing was due."""
        messages = await self.running.release()
        for message in messages:
            assert await self.running.capture(message)
        return bool(messages)

    async def run(self) -> None:
        """To the end, as the service goes on: capture what is due, deliver what is announced."""
        while await self.step():
            await self.running.deliver()
        progress = await self.progress()
        assert progress.captured_all, progress

    async def progress(self):
        progress = await self.running.archive.frontier.progress(self.job.id)
        assert progress is not None
        return progress

    async def lines(self) -> list[PageLinks]:
        store = self.running.archive.store
        found = sorted([key async for key in store.list(keys.discovered_of(self.job.id))])
        return [line for key in found for line in await read_lines_object(store, key, PageLinks)]

    async def left_out(self) -> dict[LeftOutReason, int]:
        counted: Counter[LeftOutReason] = Counter()
        for line in await self.lines():
            for left in line.left_out:
                counted[left.reason] += left.links
        return dict(counted)


@pytest.fixture(scope="session")
def crawl_of() -> Callable[..., object]:
    """Hand in a crawl on an open plane."""

    async def make(running, urls: Sequence[str], **options: object) -> Crawl:
        archive = running.archive
        order = Order("default", Lane.BULK, JobOptions.model_validate({"requisites": False, **options}))
        job = await accept(
            read_urls(urls), order, store=archive.store, frontier=archive.frontier, now=archive.clock.now()
        )
        assert isinstance(job, StoredJob)
        return Crawl(running, job)

    return make
