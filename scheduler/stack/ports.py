"""Free ports on loopback, chosen below the range from which the kernel takes the ports of outgoing connections:
else a connection of our own could sit on a part's port while that is being restarted.
"""

from __future__ import annotations

import random
import socket

LOWEST, HIGHEST = 20_000, 32_000


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Whether a server could listen there now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def choose(count: int, *, avoid: frozenset[int] = frozenset()) -> list[int]:
    """So many different free ports. Another program may take one before its part listens: the caller tries again."""
    chosen: list[int] = []
    candidates = random.sample(range(LOWEST, HIGHEST), 4000)
    for port in candidates:
        if len(chosen) == count:
            break
        if port not in avoid and is_free(port):
            chosen.append(port)
    if len(chosen) < count:
        raise OSError(f"fewer than {count} free ports between {LOWEST} and {HIGHEST} on 127.0.0.1")
    return chosen


def first_free(preferred: int, *, tries: int = 200) -> int:
    """The preferred port if it is free, else the next free one."""
    for port in range(preferred, min(preferred + tries, 65_536)):
        if is_free(port):
            return port
    raise OSError(f"no free port between {preferred} and {preferred + tries - 1} on 127.0.0.1")
