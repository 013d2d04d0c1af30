"""Name look-ups by the system's resolver, in threads of our own: a slow one holds up no other work.

A name with a dot in it means what it says. The system would also try it with each suffix of its search list
(in Kubernetes, whose `ndots` is 5, before all else), and then `example.org` could be captured from a service called
`example.org.svc.cluster.local`: a false record. A name without a dot is left to the search list.
"""

from __future__ import annotations

import asyncio
import functools
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from workers.adapters.http.faults import look_for_descriptors

AskSystem = Callable[..., Sequence[tuple[int, int, int, str, tuple[Any, ...]]]]
"""`getaddrinfo`, or what answers like it: family, type, protocol, canonical name, address."""

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
            found = await loop.run_in_executor(self._threads, look_up, host, port, family)
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


def look_up(host: str, port: int, family: int, *, ask: AskSystem = socket.getaddrinfo) -> list[tuple[int, int, str]]:
    """Family, protocol and address of each place where a host is served. OSError where there is none.

    A dot at the end keeps the search list out. The file of hosts knows names without it only, so what the name servers
    do not know is asked for as it stands, and believed where the answer is not for a longer name.
    """
    asked = functools.partial(ask, port=port, family=family, type=socket.SOCK_STREAM)
    try:
        if "." not in host.rstrip("."):
            infos = asked(host)
        else:
            try:
                infos = asked(host.rstrip(".") + ".")
            except socket.gaierror as error:
                if error.errno not in (socket.EAI_NONAME, socket.EAI_NODATA):
                    raise
                infos = asked(host, flags=socket.AI_CANONNAME)
                if any(info[3].lower().startswith(host.rstrip(".").lower() + ".") for info in infos):
                    raise
    except OSError:
        look_for_descriptors()
        raise
    return [
        (found, protocol, str(address[0]))
        for found, _, protocol, _, address in infos
        if found in (socket.AF_INET, socket.AF_INET6)
    ]
