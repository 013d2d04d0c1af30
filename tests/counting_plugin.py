"""A server on many loopback addresses that counts how many requests each of its hosts has at a time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import pytest

Answer = tuple[int, dict[str, str], str]
Site = Callable[[str, str], Answer]
"""From host (without port) and path to status, fields and body."""
Gate = Callable[[str, str], Awaitable[None]]
"""Holds an answer back."""


@dataclass
class CountingServer:
    """What it has seen. A host is what the Host field names, so one address may serve many."""

    port: int = 0
    requests: list[str] = field(default_factory=list)
    most_at_once: Counter[str] = field(default_factory=Counter)
    most_in_all: int = 0
    _now: Counter[str] = field(default_factory=Counter)

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"

    def count(self, host: str, path: str) -> int:
        return self.requests.count(f"{host}{path}")

    async def answer(self, site: Site, head: bytes, seconds: float, gate: Gate | None) -> bytes:
        path = head.split(b" ")[1].decode()
        host = next(line[6:] for line in head.decode().split("\r\n") if line.lower().startswith("host: "))
        host = host.rpartition(":")[0]
        self.requests.append(f"{host}{path}")
        self._now[host] += 1
        self.most_at_once[host] = max(self.most_at_once[host], self._now[host])
        self.most_in_all = max(self.most_in_all, self._now.total())
        await asyncio.sleep(seconds)
        if gate is not None:
            await gate(host, path)
        self._now[host] -= 1
        status, fields, body = site(host, path)
        lines = [
            f"HTTP/1.1 {status} x",
            f"Content-Length: {len(body.encode())}",
            *(f"{k}: {v}" for k, v in fields.items()),
        ]
        return ("\r\n".join(lines) + f"\r\n\r\n{body}").encode()


Serve = Callable[..., AbstractAsyncContextManager[CountingServer]]


@pytest.fixture
def serve_site() -> Serve:
    """Serve a site on all loopback addresses, each answer after some seconds, and after its gate has opened."""

    @asynccontextmanager
    async def serve(site: Site, *, seconds: float = 0.01, gate: Gate | None = None) -> AsyncIterator[CountingServer]:
        seen = CountingServer()
        tasks: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            try:
                while head := await reader.readuntil(b"\r\n\r\n"):
                    writer.write(await seen.answer(site, head, seconds, gate))
                    await writer.drain()
            except (asyncio.IncompleteReadError, ConnectionError):
                pass
            finally:
                tasks.discard(task)
                writer.close()

        server = await asyncio.start_server(connected, "0.0.0.0", 0)
        seen.port = server.sockets[0].getsockname()[1]
        try:
            yield seen
        finally:
            server.close()
            for task in tasks:
                task.cancel()

    return serve
