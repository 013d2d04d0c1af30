"""The origin: nginx on loopback, which answers under every address of 127.0.0.0/8 at one port, so that a run has as
many hosts as it wants and the next one has others."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.bench.capture.pages import Page, Pages
from scheduler.stack import child
from scheduler.stack.part import Part

HOSTS = 100
START_SECONDS = 20.0
_CONFIGURATION = """
{modules}
daemon off;
worker_processes 2;
worker_rlimit_nofile 16384;
pid {run}/nginx.pid;
error_log {run}/nginx.error.log crit;
{user}
events {{ worker_connections 4096; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_timeout 120s;
  keepalive_requests 1000000;
  open_file_cache max=20000 inactive=600s;
  open_file_cache_valid 600s;
  types {{ text/html html; text/plain txt; application/octet-stream bin; }}
  client_body_temp_path {run}/t1; proxy_temp_path {run}/t2; fastcgi_temp_path {run}/t3;
  uwsgi_temp_path {run}/t4; scgi_temp_path {run}/t5;
  server {{
    listen 0.0.0.0:{port} backlog=4096;
    allow 127.0.0.0/8;
    deny all;
    root {root};
    {locations}
  }}
}}
"""
ECHO_MODULE = Path("/usr/lib/nginx/modules/ngx_http_echo_module.so")
_LATER = """
    location / {{ echo_sleep {seconds:g}; echo_exec @page; }}
    location @page {{ }}
"""


class MissingProgramError(Exception):
    """A program that a measurement needs is not installed; the text says which package has it."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A running origin. URLs of different `net` are different hosts with the same pages."""

    port: int

    def urls(self, pages: Sequence[Page], *, net: int, hosts: int = HOSTS) -> list[str]:
        """One URL a page, dealt out over `hosts` addresses, 250 in each of the networks 127.0.`net`.x and up."""
        return [f"http://{address(net, number % hosts)}:{self.port}/{page.name}" for number, page in enumerate(pages)]


def address(net: int, host: int) -> str:
    return f"127.{1 + net}.{host // 250}.{1 + host % 250}"


@dataclass(frozen=True, slots=True)
class Place:
    """Another network than this machine's. `enter`: the command that runs a program in it."""

    enter: tuple[str, ...] = ()
    address: str = "127.0.0.1"
    """Where the origin can be reached from here, to see whether it answers."""
    peers: str = "127."
    """Whom it answers: addresses that begin so."""


@contextmanager
def nginx(pages: Pages, run: Path) -> Iterator[Origin]:
    """Serve the pages until the block ends. MissingProgramError where there is no nginx."""
    with _nginx(pages, run, "", "") as origin:
        yield origin


@contextmanager
def late_nginx(pages: Pages, run: Path, seconds: float) -> Iterator[Origin]:
    """The same, but each answer comes so much later. MissingProgramError where nginx lacks the module that waits."""
    if not ECHO_MODULE.exists():
        raise MissingProgramError(
            "nginx cannot wait: install the Debian package libnginx-mod-http-echo (as root: make bench-tools)"
        )
    with _nginx(pages, run, f"load_module {ECHO_MODULE};", _LATER.format(seconds=seconds)) as origin:
        yield origin


@contextmanager
def delaying(pages: Pages, run: Path, seconds: float, place: Place | None = None) -> Iterator[Origin]:
    """An origin of our own that answers so much later: where nginx need not be there, and speed does not matter. It
    runs at `place`, else on loopback."""
    run.mkdir(parents=True, exist_ok=True)
    port = free_port()
    module = "deploy.bench.capture.delaying"
    there = place or Place()
    command = (*there.enter, sys.executable, "-m", module, str(port), str(seconds), str(pages.folder.absolute()))
    with _running("delaying-origin", (*command, there.peers), port, pages.pages[0], run, there.address):
        yield Origin(port)


@contextmanager
def _nginx(pages: Pages, run: Path, modules: str, locations: str) -> Iterator[Origin]:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        raise MissingProgramError(
            "nginx is missing: install the Debian package nginx-light (as root: make bench-tools)"
        )
    run.mkdir(parents=True, exist_ok=True)
    port = free_port()
    configuration = run / "nginx.conf"
    user = "user root;" if os.getuid() == 0 else ""
    configuration.write_text(
        _CONFIGURATION.format(
            run=run.absolute(),
            root=pages.folder.absolute(),
            port=port,
            user=user,
            modules=modules,
            locations=locations,
        )
    )
    command = (program, "-p", str(run.absolute()), "-c", str(configuration.absolute()), "-e", "stderr")
    with _running("nginx", command, port, pages.pages[0], run):
        yield Origin(port)


def free_port() -> int:
    """A port that nobody listens on, below the range that outgoing connections take theirs from."""
    for port in range(18_000, 20_000):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("0.0.0.0", port))  # noqa: S104 (what is tried is the very bind that follows)
            except OSError:
                continue
            return port
    raise OSError("no free port between 18000 and 20000")


@contextmanager
def _running(
    name: str, command: tuple[str, ...], port: int, page: Page, run: Path, at: str = "127.0.0.1"
) -> Iterator[None]:
    def probe() -> str | None:
        connection = http.client.HTTPConnection(at, port, timeout=5)
        try:
            connection.request("GET", f"/{page.name}")
            answer = connection.getresponse()
            return None if len(answer.read()) == page.size else f"status {answer.status}"
        except OSError as refused:
            return str(refused)
        finally:
            connection.close()

    part = Part(
        name=name,
        command=command,
        env=dict(os.environ),
        probe=probe,
        log=run / f"{name}.log",
        lock=run / f"{name}.lock",
        death_signal=signal.SIGTERM,
    )
    process = child.start(part)
    try:
        complaint = child.wait_until_answering(part, process, START_SECONDS)
        if complaint is not None:
            raise MissingProgramError(f"{complaint}\n{child.log_tail(part.log)}")
        yield
    finally:
        child.stop(part, process)
