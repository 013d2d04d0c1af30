"""Hosts as network namespaces: three machines, a web, and whoever watches, each with a network of its own.

Two bridges join them, as cables and switches would: `core`, over which hosts reach the stores, and `web`, over which
they reach the sites. A host is cut off by taking its cable out of a bridge: from then on its packets go nowhere, and no
connection is told. This machine's own network is not touched.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from workers.errors import PermanentError

BRIDGES = {"core": "10.203.0", "web": "10.204.0"}
HUB, ORIGIN = 254, 10
SITES = "10.205."
"""All addresses that begin so are the origin's."""
CLONE_NEWNET = 0x40000000
FOLDER = Path("/var/run/netns")


@dataclass(frozen=True, slots=True)
class Network:
    """What `networked` made. Hosts by name."""

    tag: str
    hosts: tuple[str, ...]

    def enter(self, host: str) -> tuple[str, ...]:
        """The command that runs another one on a host, under a host name that can be set."""
        return ("ip", "netns", "exec", self._space(host), "unshare", "--uts")

    def address(self, host: str, bridge: str = "core") -> str:
        """Of a host on a bridge."""
        return f"{BRIDGES[bridge]}.{1 + self.hosts.index(host)}"

    def cut(self, host: str, bridges: Sequence[str]) -> None:
        """Take the host's cables out."""
        for bridge in bridges:
            _ip("link", "set", f"{bridge}-{host}", "nomaster", inside=self._space("hub"))

    def mend(self, host: str) -> None:
        """Put all its cables in again."""
        for bridge in BRIDGES:
            _ip("link", "set", f"{bridge}-{host}", "master", bridge, inside=self._space("hub"))

    def _space(self, name: str) -> str:
        return f"{self.tag}-{name}"


@contextmanager
def networked(hosts: Sequence[str]) -> Iterator[Network]:
    """Make namespaces and cables; while the block lasts, this thread, and what it starts, is at the hub of both
    bridges. PermanentError where that is not permitted, or a program is missing."""
    missing = [name for name in ("ip", "unshare") if shutil.which(name) is None]
    if missing:
        raise PermanentError(
            f"no program {' and '.join(missing)}", next_step="install the Debian packages iproute2 and util-linux"
        )
    network = Network(f"cv{os.getpid()}", tuple(hosts))
    with ExitStack() as stack:
        for name in ("hub", "origin", *hosts):
            stack.enter_context(_space(network, name))
        for bridge in BRIDGES:
            _ip("link", "add", bridge, "type", "bridge", inside=network._space("hub"))
            _address(network, "hub", bridge, HUB)
        for number, host in enumerate(hosts, 1):
            for bridge in BRIDGES:
                _cable(network, host, bridge, number)
        _cable(network, "origin", "web", ORIGIN)
        _ip("route", "add", "local", f"{SITES}0.0/16", "dev", "lo", inside=network._space("origin"))
        for name in ("hub", *hosts):
            _ip("route", "add", f"{SITES}0.0/16", "via", f"{BRIDGES['web']}.{ORIGIN}", inside=network._space(name))
        with _within(network._space("hub")):
            yield network


@contextmanager
def _space(network: Network, name: str) -> Iterator[None]:
    space = network._space(name)
    _ip("netns", "add", space)
    try:
        _ip("link", "set", "lo", "up", inside=space)
        yield
    finally:
        _ip("netns", "delete", space)


def _cable(network: Network, host: str, bridge: str, number: int) -> None:
    """From a host to a bridge in the hub; at the host its end is called as the bridge."""
    hub = network._space("hub")
    end = f"{bridge}-{host}"
    _ip("link", "add", end, "type", "veth", "peer", "name", bridge, "netns", network._space(host), inside=hub)
    _ip("link", "set", end, "master", bridge, "up", inside=hub)
    _address(network, host, bridge, number)


def _address(network: Network, host: str, link: str, number: int) -> None:
    space = network._space(host)
    _ip("address", "add", f"{BRIDGES[link]}.{number}/24", "dev", link, inside=space)
    _ip("link", "set", link, "up", inside=space)


def _ip(*arguments: str, inside: str = "") -> None:
    command = ("ip", *(("-n", inside) if inside else ()), *arguments)
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise PermanentError(
            f"no network namespaces here: `{' '.join(command)}` says {done.stderr.strip()[:200]}",
            next_step="run it as root on Linux, in a container with CAP_SYS_ADMIN and CAP_NET_ADMIN",
        )


@contextmanager
def _within(space: str) -> Iterator[None]:
    """Be in this namespace: the thread that calls, and processes that it starts."""
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(FOLDER / space, os.O_RDONLY)
    try:
        _enter(there)
        yield
    finally:
        _enter(before)
        os.close(there)
        os.close(before)


def _enter(descriptor: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, CLONE_NEWNET) != 0:
        raise PermanentError(f"a network namespace cannot be entered: {os.strerror(ctypes.get_errno())}")
