"""Connections that go only where the guard lets them, whatever a name resolves to.

The check sits between look-up and connect, on the very addresses that are connected to, so there is
no second look-up that could answer otherwise (DNS rebinding). Overrides three private methods of
aiohttp's connector, which is why aiohttp is pinned to a minor version.
"""

from __future__ import annotations

import asyncio
import functools
import ssl
from collections.abc import Awaitable
from typing import Any

from aiohttp import ClientConnectorError, ClientTimeout, TCPConnector
from aiohttp.abc import AbstractResolver
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest, ConnectionKey
from aiohttp.connector import AddrInfoType, Connection
from yarl import URL

from workers.adapters.http.wire import WireProtocol
from workers.capture.guard import Networks, Refusal, check_address
from workers.capture.request_head import Target

KEEP_ALIVE_SECONDS = 15.0
MAX_JUDGED = 64  # addresses of one host; each is asked for with every request
MAX_IDLE_HOSTS = 512  # idle connections cost file descriptors; beyond that the longest idle ones are closed


class GuardRefusedError(Exception):
    """No address of a host may be connected to."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


class Destination(ClientRequest):
    """What aiohttp's connector must know to connect; the request itself is written by us, byte for byte."""

    def __init__(
        self, target: Target, *, verify: bool, allowed_networks: Networks, public: bool, loop: asyncio.AbstractEventLoop
    ) -> None:
        url = URL(f"{target.scheme}://{target.authority}/", encoded=True)
        super().__init__(
            "GET", url, loop=loop, ssl=verify, skip_auto_headers=("Accept", "Accept-Encoding", "User-Agent")
        )
        self.allowed_networks = allowed_networks
        self.public = public
        self.pool = self.connection_key
        """Under which name connections to here are kept."""
        self._judged: dict[str, Refusal | None] = {}

    def refusal(self, address: str) -> Refusal | None:
        """What the guard says of an address on behalf of the request that this is for."""
        try:
            return self._judged[address]
        except KeyError:
            if len(self._judged) >= MAX_JUDGED:
                self._judged.clear()
            said = self._judged[address] = check_address(address, self.allowed_networks, public=self.public)
            return said


class GuardedConnector(TCPConnector):
    """aiohttp's pool of TCP and TLS connections, with the guard in front of every connect."""

    def __init__(
        self,
        *,
        resolver: AbstractResolver,
        tls: ssl.SSLContext | None = None,
        max_idle_hosts: int,
    ) -> None:
        super().__init__(
            resolver=resolver,
            ssl=tls if tls is not None else True,
            limit=0,
            keepalive_timeout=KEEP_ALIVE_SECONDS,
        )
        protocol: type[ResponseHandler] = WireProtocol
        self._factory = functools.partial(protocol, loop=self._loop)
        self._max_idle_hosts = max_idle_hosts

    async def addresses(self, host: str, port: int) -> list[str]:
        """Where a host is served, by the look-ups that connections are made with. OSError where it has no address."""
        return [found["host"] for found in await self._resolve_host(host, port)]

    def idle(self, destination: Destination) -> Awaitable[Connection | None]:
        """A connection that waits in the pool, or None. It never has to be waited for, so no clock runs."""
        return self._get(destination.pool, [])

    async def _wrap_create_connection(
        self,
        *args: Any,
        addr_infos: list[AddrInfoType],
        req: ClientRequest,
        timeout: ClientTimeout,
        client_error: type[Exception] = ClientConnectorError,
        **kwargs: Any,
    ) -> tuple[asyncio.Transport, ResponseHandler]:
        judge = req.refusal if isinstance(req, Destination) else check_address
        refusals = [judge(str(info[4][0])) for info in addr_infos]
        refused = next((refusal for refusal in refusals if refusal is not None), None)
        if refused is not None:
            # The caller goes on with what is left in this list, so it is changed in place.
            addr_infos[:] = [info for info, no in zip(addr_infos, refusals, strict=True) if no is None]
            if not addr_infos:
                raise GuardRefusedError(refused)
        return await super()._wrap_create_connection(
            *args, addr_infos=addr_infos, req=req, timeout=timeout, client_error=client_error, **kwargs
        )

    def _release(self, key: ConnectionKey, protocol: ResponseHandler, *, should_close: bool = False) -> None:
        super()._release(key, protocol, should_close=should_close)
        if len(self._conns) > self._max_idle_hosts:
            self._close_oldest()

    def _close_oldest(self) -> None:
        """The pool is in the order in which hosts came to rest: whose turn comes again soon is among the last."""
        connections = self._conns.pop(next(iter(self._conns)))
        for protocol, _ in connections:
            protocol.close()
