"""Which address stands for a host, so that those who share one are told (`scheduler/README.md, Politeness`)."""

from __future__ import annotations

import asyncio
import socket

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from workers.adapters.http.fetcher import Fetcher

HOSTS = {
    "shared.test": ["203.0.113.9"],
    "pool.test": ["203.0.113.20", "203.0.113.3", "2001:db8::1"],
    "six.test": ["2001:db8::2", "2001:db8::1"],
}


class Table(AbstractResolver):
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        if host not in HOSTS:
            raise OSError(None, "no such name")
        return [
            ResolveResult(hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=0)
            for address in HOSTS[host]
        ]

    async def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("shared.test", "203.0.113.9"),
        ("shared.test:8080", "203.0.113.9"),
        ("pool.test", "203.0.113.3"),
        ("six.test", "2001:db8::1"),
        ("127.0.0.1:81", "127.0.0.1"),
        ("[::1]:81", "::1"),
        ("unknown.test", None),
        ("no host", None),
    ],
)
def test_the_least_address_stands_for_a_host(host: str, address: str | None):
    async def scenario() -> str | None:
        async with Fetcher(resolver=Table()) as fetcher:
            return await fetcher.address(host)

    assert asyncio.run(scenario()) == address
