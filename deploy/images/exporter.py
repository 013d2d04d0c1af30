"""Adds up the metrics of all containers and serves them: `python exporter.py --folder /metrics --port 9102`.

Each container writes into a folder of its own under one shared volume (`entrypoint.sh`), since the files are named by
process id. A folder of a container that is gone stays in the sum, so that counters never fall.
"""

from __future__ import annotations

import argparse
import struct
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

TORN = (OSError, ValueError, KeyError, struct.error)
"""What reading a file that is being written, or was torn by a death, may raise."""


class Folders(Collector):
    """All files of all folders directly under one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        files = sorted(str(path) for path in self._folder.glob("*/*.db"))
        yield from MultiProcessCollector.merge(files, accumulate=True)  # type: ignore[no-untyped-call]


def exposition(folder: Path) -> bytes:
    """Everything, in the Prometheus text format."""
    registry = CollectorRegistry()
    registry.register(Folders(folder))
    return generate_latest(registry)


class _Answer(BaseHTTPRequestHandler):
    server: Exporter

    def do_GET(self) -> None:
        if self.path.partition("?")[0] != "/metrics":
            self._send(404, b"only /metrics is here\n", "text/plain; charset=utf-8")
            return
        try:
            body = exposition(self.server.folder)
        except TORN as torn:
            said = f"a file of metrics cannot be read ({type(torn).__name__}); the next scrape may succeed\n"
            self._send(503, said.encode(), "text/plain; charset=utf-8")
            return
        self._send(200, body, CONTENT_TYPE_LATEST)

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """A scrape is no event."""


class Exporter(ThreadingHTTPServer):
    """Serves one folder of folders."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], folder: Path) -> None:
        super().__init__(address, _Answer)
        self.folder = folder


def main() -> int:
    """Serve until killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("/metrics"))
    parser.add_argument("--host", default="")
    parser.add_argument("--port", type=int, default=9102)
    given = parser.parse_args()
    with Exporter((given.host, given.port), given.folder) as server:
        server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
