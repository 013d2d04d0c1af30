"""Name look-ups by the system's resolver, in threads of our own: a slow one holds up no other work."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

from aiohttp.abc import AbstractResolver, ResolveResult

from workers.adapters.http.faults import look_for_descriptors

LOOKUPS_AT_A_TIME = 256
"""Twice the connections of a capture process. A look-up that the system does not end (glibc asks each server twice, for
5 s) goes on after its fetch has given up; with as few threads as connections the next ones would wait behind it, and
time out without having been asked. Threads are made as they are needed."""


class SystemResolver(AbstractResolver):
    """getaddrinfo. Also what an application's tests replace to point names at loopback."""

    def __init__(self, lookups_at_a_time: int = LOOKUPS_AT_A_TIME) -> None:
        self._threads = ThreadPoolExecutor(max_workers=lookups_at_a_time, thread_name_prefix="dns")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Addresses of a host; OSError where it has none, or where the name cannot be asked for."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._threads, _look_up, host, port, family)
        except UnicodeError as error:
            raise OSError(None, f"no DNS name: {error}") from error
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=found_family,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for found_family, protocol, address in found
        ]

    async def close(self) -> None:
        """Take no more look-ups; one that hangs in the system is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str, port: int, family: socket.AddressFamily) -> list[tuple[int, int, str]]:
    try:
        infos = socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)
    except OSError:
        look_for_descriptors()
        raise
    return [
        (found, protocol, str(address[0]))
        for found, _, protocol, _, address in infos
        if found in (socket.AF_INET, socket.AF_INET6)
    ]
