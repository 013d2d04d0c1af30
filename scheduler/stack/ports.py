"""The loopback ports of one local stack.

They are chosen below the range from which the kernel takes the ports of outgoing connections (32768 and up on
Linux): else a connection of our own could sit on a part's port while that part is being restarted. They are kept
with the data directory and taken again while they are free, since SeaweedFS names its master's state after them.
SeaweedFS's own maintenance worker expects each gRPC port at its HTTP port + 10000, whatever the flags say.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import socket
import tempfile
from dataclasses import asdict, dataclass, fields
from pathlib import Path

GRPC_OFFSET = 10_000
LOWEST, HIGHEST = 10_000, 22_700
WEB_PREFERRED = 8080
WITH_GRPC = ("s3", "master", "volume", "filer", "admin")


@dataclass(frozen=True, slots=True)
class StackPorts:
    """HTTP ports by part; those of SeaweedFS have a gRPC port each, `GRPC_OFFSET` above."""

    redis: int
    s3: int
    master: int
    volume: int
    filer: int
    admin: int
    web: int
    memento: int


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Whether a server could listen there now."""
    if not 0 < port < 65_536:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def choose(previous: StackPorts | None = None, *, web: int = 0, memento: int = 0) -> StackPorts:
    """Free ports: those of last time where they still are, the web on 8080 or the next free one; `web` and
    `memento` are taken as given.

    Another program may take one before its part listens; the caller then chooses again.
    """
    chosen: dict[str, int] = {}
    candidates = iter(random.sample(range(LOWEST, HIGHEST), HIGHEST - LOWEST))
    for name in (field.name for field in fields(StackPorts)):
        before = getattr(previous, name) if previous else 0
        if name == "web":
            chosen[name] = web or first_free(WEB_PREFERRED)
        elif name == "memento" and memento:
            chosen[name] = memento
        elif _usable(name, before, chosen):
            chosen[name] = before
        else:
            chosen[name] = next((port for port in candidates if _usable(name, port, chosen)), 0)
            if not chosen[name]:
                raise OSError(f"no free port for {name} between {LOWEST} and {HIGHEST} on 127.0.0.1")
    return StackPorts(**chosen)


def _usable(name: str, port: int, taken: dict[str, int]) -> bool:
    needed = {port, port + GRPC_OFFSET} if name in WITH_GRPC else {port}
    used = set(taken.values()) | {taken[other] + GRPC_OFFSET for other in WITH_GRPC if other in taken}
    return not needed & used and all(is_free(each) for each in needed)


def first_free(preferred: int, *, tries: int = 200) -> int:
    """The preferred port if it is free, else the next free one. This process keeps the claim on it: of two stacks that
    start at once, both would find the same port free, and the web process listens only seconds later."""
    for port in range(preferred, preferred + tries):
        if is_free(port) and _claim(port):
            return port
    raise OSError(f"no free port between {preferred} and {preferred + tries - 1} on 127.0.0.1")


_CLAIMS: dict[int, int] = {}
"""Ports that this process has claimed, with the descriptors of their lock files: held until it ends."""


def _claim(port: int) -> bool:
    """Hold the machine-wide lock file of a port. False: another process has claimed it."""
    if port in _CLAIMS:
        return True
    try:
        descriptor = os.open(
            Path(tempfile.gettempdir()) / f"citevault-port-{port}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
    except OSError:  # another user's: whether the port is free has been tried
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return False
    _CLAIMS[port] = descriptor
    return True


def load(path: Path) -> StackPorts | None:
    """The ports of last time, or None where there are none that can be read."""
    try:
        stored = json.loads(path.read_bytes())
        return StackPorts(**{field.name: int(stored[field.name]) for field in fields(StackPorts)})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save(path: Path, ports: StackPorts) -> None:
    path.write_text(json.dumps(asdict(ports), indent=1), encoding="ascii")
