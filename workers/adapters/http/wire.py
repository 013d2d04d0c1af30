"""Bytes as they leave the transport: every one goes to the scanner, none to a parser that may refuse it.

aiohttp makes the connection, keeps it and pools it; `ResponseHandler` is its protocol class, whose
`data_received` is where bytes arrive. Two parsers over one connection could disagree about where a
message ends, so aiohttp's is not run at all: the scanner alone decides, and what it has read is what
the archive holds.
"""

from __future__ import annotations

import asyncio
import logging
from typing import NamedTuple

from aiohttp.client_proto import ResponseHandler

from workers.adapters.http.faults import is_ours
from workers.adapters.http.tls import session_of
from workers.adapters.http.watch import Watch
from workers.capture.limits import FetchLimits
from workers.capture.message import ResponseScanner
from workers.capture.scan import End, Progress
from workers.exchange import NewSpool, Spool

LOG = logging.getLogger(__name__)


class Arrival:
    """One response on its way in, with the clock that bounds it."""

    __slots__ = (
        "_deadline",
        "_ended",
        "_first_byte_at",
        "_last_byte_at",
        "_limits",
        "_loop",
        "_sent_at",
        "_stretch_at",
        "_stretch_from",
        "_watch",
        "end",
        "error",
        "fault",
        "over",
        "scanner",
    )

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        watch: Watch,
        limits: FetchLimits,
        deadline: float,
        new_spool: NewSpool = Spool,
    ) -> None:
        self.scanner = ResponseScanner(limits=limits, new_spool=new_spool)
        self.end: End | None = None
        """Why the reading stopped; None while it goes on, and where the message itself said so."""
        self.error: BaseException | None = None
        self.fault: BaseException | None = None
        """What kept this machine from taking the bytes (a full disk): no doing of the server's."""
        self._sent_at = loop.time()
        self._first_byte_at: float | None = None
        self._last_byte_at = self._sent_at
        self._stretch_at: float | None = None
        """Since when bytes are counted against the floor; None before the first of the head and of the content."""
        self._stretch_from = 0
        self._loop = loop
        self._limits = limits
        self._deadline = deadline
        self.over: asyncio.Future[None] = loop.create_future()
        """Done when the message is over, or time, patience or connection are, and the socket was looked at once more
        after that: what lies there then belongs to this message."""
        self._ended = False
        self._watch = watch
        watch.look_by(self._due(), self._look)

    @property
    def seconds_to_first_byte(self) -> float | None:
        """From the request; None while nothing came."""
        return None if self._first_byte_at is None else self._first_byte_at - self._sent_at

    @property
    def seconds_to_last_byte(self) -> float:
        """From the request; what is waited after the last byte is not the server's doing."""
        return self._last_byte_at - self._sent_at

    @property
    def seconds_waited(self) -> float:
        """From the request until now."""
        return self._loop.time() - self._sent_at

    def data(self, data: bytes) -> None:
        """Bytes from the connection."""
        self._last_byte_at = self._loop.time()
        if self._first_byte_at is None:
            self._first_byte_at = self._last_byte_at
        if self._stretch_at is None:
            self._stretch_at, self._stretch_from = self._last_byte_at, self.scanner.received
        before = self.scanner.progress
        try:
            progress = self.scanner.feed(data)
        except (OSError, MemoryError) as fault:
            self.fault = fault
            self._finish()
            return
        if progress is Progress.LIMIT or self.scanner.reusable:
            self._finish()
        elif progress is not before and not self._ended:
            self._stretch_at = None
            self._watch.look_by(self._due(), self._look)

    def lost(self, error: BaseException | None) -> None:
        """The connection is gone."""
        if not self._ended:
            self.end = End.CLOSED if error is None else End.RESET
            if is_ours(error):
                self.fault = error
            else:
                self.error = error
            self._finish()

    def _due(self) -> float:
        match self.scanner.progress:
            case Progress.COMPLETE | Progress.LIMIT:
                patience = self._limits.settle_seconds
            case Progress.UNCERTAIN:
                patience = self._limits.linger_seconds
            case _:
                patience = self._limits.idle_seconds
        due = min(self._last_byte_at + patience, self._deadline)
        return due if self._stretch_at is None else min(due, self._stretch_at + self._limits.idle_seconds)

    def _is_slow(self, now: float) -> bool:
        """Whether a stretch has ended with too few bytes; a new one begins where it has not."""
        if self._stretch_at is None or now < self._stretch_at + self._limits.idle_seconds:
            return False
        came = self.scanner.received - self._stretch_from
        self._stretch_at, self._stretch_from = now, self.scanner.received
        return came < self._limits.min_bytes_per_second * self._limits.idle_seconds

    def _look(self) -> None:
        now = self._loop.time()
        if self._is_slow(now) and self.scanner.progress is not Progress.COMPLETE:
            self.end = End.SLOW
            self._finish()
            return
        due = self._due()
        if now < due:
            self._watch.look_by(due, self._look)
            return
        if self.scanner.progress is not Progress.COMPLETE:
            self.end = End.TIME if now >= self._deadline else End.SILENT
        self._finish()

    def _finish(self) -> None:
        if not self._ended:
            self._ended = True
            self._watch.rest()
            self._loop.call_soon(self._tell)  # the loop reads what is there before whoever waits goes on

    def _tell(self) -> None:
        if not self.over.done():
            self.over.set_result(None)


class Link(NamedTuple):
    """What a connection says of itself."""

    peer: str | None = None
    tls: tuple[str, ...] = ()
    cipher_suite: str | None = None


class WireProtocol(ResponseHandler):
    """aiohttp's connection, with its bytes handed to the arrival that waits for them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.requests = 0
        """How many requests went over this connection; more than none, and it may be stale."""
        self.error: BaseException | None = None
        """What the connection was lost with, also while nobody waited."""
        self.watch = Watch(loop)
        self._arrival: Arrival | None = None
        self._link: Link | None = None

    @property
    def link(self) -> Link:
        """Asked for once, while the connection stands: a closed one says nothing."""
        if self._link is None:
            if self.transport is None:
                return Link()
            peer = self.transport.get_extra_info("peername")
            protocol, cipher_suite = session_of(self.transport.get_extra_info("ssl_object"))
            self._link = Link(str(peer[0]) if peer else None, (protocol,) if protocol else (), cipher_suite)
        return self._link

    def expect(self, arrival: Arrival) -> None:
        """From now on bytes belong to this arrival."""
        self.requests += 1
        self._arrival = arrival

    def rest(self) -> None:
        """Nothing is expected any more."""
        self._arrival = None
        self.watch.rest()

    @property
    def should_close(self) -> bool:
        """Whether the pool must not keep the connection."""
        return self._should_close or self._arrival is not None

    def data_received(self, data: bytes) -> None:
        """Bytes that nobody waits for belong to no known message: the connection is of no use after them, and
        they are told in the log alone."""
        if self._arrival is not None:
            self._arrival.data(data)
            return
        peer = self.transport.get_extra_info("peername") if self.transport is not None else None
        LOG.warning("bytes after the end of an answer peer=%s bytes=%d", peer and peer[0], len(data))
        self.force_close()
        if self.transport is not None:
            self.transport.close()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Closed or reset."""
        super().connection_lost(exc)
        self.error = exc
        self.watch.end()
        if self._arrival is not None:
            self._arrival.lost(exc)
