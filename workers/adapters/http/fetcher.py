"""One exchange over HTTP/1.1: connect within the guard, send our bytes, keep every byte that comes back."""

from __future__ import annotations

import asyncio
import functools
import ssl
import time
from ipaddress import ip_address
from pathlib import Path

from aiohttp import ClientError, ClientTimeout
from aiohttp.abc import AbstractResolver
from aiohttp.connector import Connection

from schemas.records.outcome import Outcome
from schemas.urls.error import UrlError
from workers.adapters.http.connector import MAX_IDLE_HOSTS, Destination, GuardedConnector, GuardRefusedError
from workers.adapters.http.failures import Failure, connect_failure, silence_failure
from workers.adapters.http.faults import not_held
from workers.adapters.http.resolver import SystemResolver
from workers.adapters.http.stamp import utc_stamp
from workers.adapters.http.wire import Arrival, WireProtocol
from workers.capture.guard import check_port
from workers.capture.request_head import Target, request_head, target_of
from workers.capture.result import http_protocol, outcome_of, refused_url, shortcoming
from workers.capture.scan import End
from workers.capture.transport import FetchRequest
from workers.exchange import Exchange, Spool

NO_TIMEOUT = ClientTimeout()
MAX_DESTINATIONS = 4096
LOOK_UP_SECONDS = 30.0


class Fetcher:
    """The `Transport` over aiohttp's connections. Belongs to the event loop of its first fetch."""

    def __init__(
        self,
        *,
        resolver: AbstractResolver | None = None,
        tls: ssl.SSLContext | None = None,
        spool_dir: Path | None = None,
        max_idle_hosts: int = MAX_IDLE_HOSTS,
    ) -> None:
        self._resolver = resolver
        self._max_idle_hosts = max_idle_hosts
        self._tls = tls
        self._new_spool = functools.partial(Spool, folder=spool_dir)
        self._spool_dir = spool_dir
        self._connector: GuardedConnector | None = None
        self._destinations: dict[tuple[object, ...], Destination] = {}

    async def __aenter__(self) -> Fetcher:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close idle connections and the resolver's threads."""
        if self._connector is not None:
            await self._connector.close()
            self._connector = None
        if self._resolver is not None:
            await self._resolver.close()

    async def fetch(self, request: FetchRequest) -> Exchange:
        """Perform one exchange; failures of the web are outcomes in it, faults of this machine RetryableError.

        A connection from the pool that the server has closed meanwhile is replaced, as long as no byte
        came back over it (RFC 9112, 9.3.1); a fresh one is tried once.
        """
        target = target_of(request.url)
        if isinstance(target, UrlError):
            return refused_url(request, target, utc_stamp(time.time_ns()))
        refusal = check_port(target.port)
        if refusal is not None:
            return _failed(request, target, time.time_ns(), (Outcome.GUARD_DENIED, refusal.reason))
        asked_at = time.time_ns()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + request.limits.total_seconds
        connector = self._open_connector()
        while True:
            try:
                destination = self._destination(request, target)
                connection = await connector.idle(destination) or await self._connect(request, destination)
                protocol = _let_pass(connection, destination)
            except (ClientError, OSError, ValueError, GuardRefusedError) as error:
                failure = connect_failure(error, target, request.limits.connect_seconds)
                return _failed(request, target, asked_at, failure)
            reused = protocol.requests > 0
            exchange = await self._over(loop, connection, protocol, request, target, deadline)
            if exchange.outcome is not Outcome.EMPTY_REPLY or not reused:
                return exchange

    async def address(self, host: str) -> str | None:
        """The least of a host's addresses, IPv4 before IPv6, then by their bytes; none within half a minute is none."""
        target = target_of(f"http://{host}/")
        if isinstance(target, UrlError):
            return None
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                found = await self._open_connector().addresses(target.host.strip("[]"), target.port)
        except (OSError, ValueError):
            return None  # the fetch that follows says why
        return found[0] if len(found) == 1 else min(found, default=None, key=_rank)

    def _open_connector(self) -> GuardedConnector:
        if self._connector is None:
            if self._resolver is None:
                self._resolver = SystemResolver()
            self._connector = GuardedConnector(
                resolver=self._resolver, tls=self._tls, max_idle_hosts=self._max_idle_hosts
            )
        return self._connector

    async def _connect(self, request: FetchRequest, destination: Destination) -> Connection:
        """A new connection, or one that came free meanwhile."""
        async with asyncio.timeout(min(request.limits.connect_seconds, request.limits.total_seconds)):
            return await self._open_connector().connect(destination, [], NO_TIMEOUT)

    def _destination(self, request: FetchRequest, target: Target) -> Destination:
        key = (target.scheme, target.authority, request.verify_tls, request.public)
        known = self._destinations.get(key)
        if known is not None and known.allowed_networks == request.allowed_networks:
            return known
        if len(self._destinations) >= MAX_DESTINATIONS:
            self._destinations.clear()
        made = self._destinations[key] = Destination(
            target,
            verify=request.verify_tls,
            allowed_networks=request.allowed_networks,
            public=request.public,
            loop=asyncio.get_running_loop(),
        )
        return made

    async def _over(
        self,
        loop: asyncio.AbstractEventLoop,
        connection: Connection,
        protocol: WireProtocol,
        request: FetchRequest,
        target: Target,
        deadline: float,
    ) -> Exchange:
        """Send and receive over one connection, and give it back or close it."""
        head = request_head(target, request.headers)
        link = protocol.link
        started_at = utc_stamp(time.time_ns())
        arrival = Arrival(loop, protocol.watch, request.limits, deadline, self._new_spool)
        protocol.expect(arrival)
        keep = False
        try:
            if protocol.transport is None:
                head = b""
                arrival.lost(protocol.error)
            else:
                protocol.transport.write(head)
            await arrival.over
            keep = arrival.end is None and arrival.scanner.reusable
        except BaseException:
            arrival.scanner.discard()
            raise
        finally:
            protocol.rest()
            if keep:
                connection.release()
            else:
                protocol.abort()
                connection.close()
        if arrival.fault is not None:
            arrival.scanner.discard()
            raise not_held(arrival.fault, self._spool_dir)
        notes = ("certificate not verified",) if link.tls and not request.verify_tls else ()
        if not arrival.scanner.received:
            timed_out = arrival.end in (End.SILENT, End.TIME)
            outcome, failure = silence_failure(arrival.error, arrival.seconds_waited if timed_out else None)
            return Exchange(
                url=target.url,
                started_at=started_at,
                outcome=outcome,
                request=head,
                failure=failure,
                remote_ip=link.peer,
                protocols=("http/1.1", *link.tls),
                cipher_suite=link.cipher_suite,
                seconds_total=arrival.seconds_waited,
                purpose=request.purpose,
                notes=notes,
            )
        end = arrival.end or End.CLOSED
        scan = arrival.scanner.finish(end)
        return Exchange(
            url=target.url,
            started_at=started_at,
            outcome=outcome_of(scan),
            request=head,
            response=scan.response,
            truncated=scan.truncated,
            failure=shortcoming(scan, end, request.limits),
            remote_ip=link.peer,
            protocols=(http_protocol(scan.response), *link.tls),
            cipher_suite=link.cipher_suite,
            seconds_to_first_byte=arrival.seconds_to_first_byte,
            seconds_total=arrival.seconds_to_last_byte,
            purpose=request.purpose,
            notes=notes + tuple(anomaly.value for anomaly in scan.anomalies) if scan.anomalies else notes,
        )


def _let_pass(connection: Connection, destination: Destination) -> WireProtocol:
    """Our end of a connection to an address that the guard lets pass. A pooled one may have been opened for a request
    with other rights; one that the server has closed meanwhile has no peer, and gets no request."""
    protocol = connection.protocol
    if not isinstance(protocol, WireProtocol):
        connection.close()
        raise TypeError("the connector made a connection that is not ours")
    refusal = destination.refusal(protocol.link.peer or "")
    if refusal is not None and protocol.transport is not None:
        connection.close()
        raise GuardRefusedError(refusal)
    return protocol


def _failed(request: FetchRequest, target: Target, asked_at: int, failure: Failure) -> Exchange:
    return Exchange(
        url=target.url,
        started_at=utc_stamp(asked_at),
        outcome=failure[0],
        failure=failure[1],
        purpose=request.purpose,
    )


def _rank(address: str) -> tuple[int, bytes]:
    parsed = ip_address(address)
    return parsed.version, parsed.packed
