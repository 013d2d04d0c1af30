"""Serves the sample web on loopback: a real HTTP server a site, each on an address of its own where the system
gives one (127.0.0.2 and up), else all on 127.0.0.1 under ports of their own."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType

from deploy.demo.sites import SITES, Page, Site

CHUNK = 700  # bytes; small, so that a page has several chunks


class SiteServer(ThreadingHTTPServer):
    """One site. `hits` counts requests by path."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], site: Site) -> None:
        super().__init__(address, _Answer)
        self.host = address[0]
        self.site = site
        self.hits: Counter[str] = Counter()
        self.counting = threading.Lock()

    def count(self, path: str) -> int:
        """How often the path had been asked for before."""
        with self.counting:
            self.hits[path] += 1
            return self.hits[path] - 1


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "SampleWeb/1.0"
    sys_version = ""
    server: SiteServer

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        number = self.server.count(path)
        if path == "/robots.txt":
            self._send(200, self.server.site.robots.encode(), "text/plain; charset=utf-8")
            return
        page = self.server.site.pages.get(path, Page(status=404))
        if page.location:
            self._send(page.status, b"", "text/html; charset=utf-8", Location=page.location)
            return
        body = page.body(number)
        if page.gzipped:
            self._send_chunked(body, page.content_type)
        else:
            self._send(page.status, body, page.content_type, **dict(page.fields))

    def _send(self, status: int, body: bytes, kind: str, **fields: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _send_chunked(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for start in range(0, len(body), CHUNK):
            piece = body[start : start + CHUNK]
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Requests are counted, not printed."""


@dataclass(frozen=True, slots=True)
class SampleWeb:
    """The running web: where each site is, and what was asked of it."""

    origins: MappingProxyType[str, str]
    """`http://address:port` by site name."""
    servers: MappingProxyType[str, SiteServer]
    own_addresses: bool
    """False: only 127.0.0.1 answers, so all sites share one address."""

    def url(self, site: str, path: str) -> str:
        return self.origins[site] + path


@contextmanager
def sample_web() -> Iterator[SampleWeb]:
    """Serve all sites until the block ends."""
    own = _has_own_addresses()
    servers: dict[str, SiteServer] = {}
    port = 0
    try:
        for number, site in enumerate(SITES):
            host = f"127.0.0.{number + 2}" if own else "127.0.0.1"
            servers[site.name] = _bind(host, port if own else 0, site)
            port = servers[site.name].server_address[1]
        for server in servers.values():
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        origins = {name: f"http://{server.host}:{server.server_address[1]}" for name, server in servers.items()}
        yield SampleWeb(MappingProxyType(origins), MappingProxyType(servers), own)
    finally:
        for server in servers.values():
            server.shutdown()
            server.server_close()


def _bind(host: str, port: int, site: Site) -> SiteServer:
    """The wanted port where it is free, else any."""
    with contextlib.suppress(OSError):
        return SiteServer((host, port), site)
    return SiteServer((host, 0), site)


def _has_own_addresses() -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.2", 0))
        except OSError:
            return False
    return True
