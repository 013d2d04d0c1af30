"""Whose turn it is: one request at a time a host, and the pause that politeness asks for.

Within a batch, locks and pauses in memory do it for the batch's own hosts, which no other batch has. For any
other host (a redirect leads there, a page takes its pictures from there) a turn is a permit, which is had
and given back with each request; and however many hosts share one public address, only a few of them are
served at a time, over all workers (`scheduler/README.md, Politeness`).

Order of what is held: the host's lock, its rest, its permit, a slot on its address, a connection. Nobody
who holds one of the later waits for an earlier one, and permits and slots end by themselves.

A worker that is told to stop closes its turns: nobody gets another, and after a while those who still have one lose it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Any

from workers.capture.guard import Networks, is_allowed
from workers.capture.pacing import Pace, back_off, delay_after, is_busy, retry_after, strikes_after
from workers.errors import RetryableError
from workers.exchange import Exchange
from workers.flows.capture.host import Host
from workers.ports import AddressSlot, Asked, Clock, NotBefore, Permit, Permits

LOG = logging.getLogger(__name__)
KEEP_SECONDS = 15.0
"""A quarter of the time for which a permit is given."""

FIRST_LOOK_SECONDS, LAST_LOOK_SECONDS = 0.02, 0.5

Locate = Callable[[str], Awaitable[str | None]]
"""The address that stands for where a host (with its port) is served; None where it has none."""


class OutOfTime(Exception):  # noqa: N818 (it is no error: the batch ends, and the rest is handed back)
    """The host's next turn lies beyond the end of the batch, beyond the patience of who asked, or was cut short."""

    def __init__(self, host: str) -> None:
        super().__init__(f"{host} cannot be asked in time")
        self.host = host


def _looks() -> Iterator[float]:
    """Seconds between looks at what another has: 20 ms, about what a quick answer takes, doubling to half a second."""
    seconds = FIRST_LOOK_SECONDS
    while True:
        yield seconds
        seconds = min(seconds * 2, LAST_LOOK_SECONDS)


class Turn:
    """One request's right to a host. A class of its own and no generator, since nearly every page has one: that of a
    host which is free and the batch's own, so that nothing is waited for."""

    __slots__ = ("_free", "_host", "_own", "_patience_seconds", "_task", "_turns", "_url", "_waited_for")

    def __init__(self, turns: Turns, host: str, own: bool, patience_seconds: float | None, url: str) -> None:
        self._turns = turns
        self._host = host
        self._own = own
        self._patience_seconds = patience_seconds
        self._url = url
        self._free: Host | None = None
        self._waited_for: AbstractAsyncContextManager[None] | None = None
        self._task: asyncio.Task[Any] | None = None

    async def __aenter__(self) -> None:
        await self._enter()
        self._task = self._turns.begin(self._url)

    async def _enter(self) -> None:
        state = self._turns.host(self._host)
        if self._own and not state.located and self._turns.is_awake(state):
            await self._turns.shared_address(self._host, state)
        if not (self._own and self._turns.is_free(state)):
            self._waited_for = self._turns.waited_for(self._host, self._own, self._patience_seconds)
            await self._waited_for.__aenter__()
            return
        await state.lock.acquire()
        try:
            if not self._turns.is_rested(state):
                await self._turns.rest(state, self._host)  # whoever stood in line may have come in between
            await self._turns.connections.acquire()
        except BaseException:
            state.lock.release()
            raise
        self._free = state
        if self._turns.closing.is_set():  # that was a long line
            await self._leave(None, None, None)
            raise OutOfTime(self._host)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        cut = self._turns.end(self._task) and kind is asyncio.CancelledError
        left = await self._leave(kind, error, trace)
        if cut and self._task is not None:
            self._task.uncancel()
            raise OutOfTime(self._host) from None
        return left

    async def _leave(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if self._free is None:
            return None if self._waited_for is None else await self._waited_for.__aexit__(kind, error, trace)
        self._turns.connections.release()
        self._free.lock.release()
        return None


class Turns:
    """The hosts of one batch. Times by the clock's monotonic seconds."""

    def __init__(
        self,
        clock: Clock,
        permits: Permits,
        locate: Locate,
        *,
        batch_id: str,
        ends_at: float,
        allowed: Networks,
        connections: asyncio.Semaphore,
        pace: Pace,
        address_hosts: int,
        strikes: Mapping[str, int] | None = None,
    ) -> None:
        self._clock = clock
        self._permits = permits
        self._locate = locate
        self._batch_id = batch_id
        self.ends_at = ends_at
        """By the clock's monotonic seconds; `close` brings it forward."""
        self.closing = asyncio.Event()
        self._served: dict[asyncio.Task[Any], tuple[float, str]] = {}
        """Since when, and for what."""
        self._cut: set[asyncio.Task[Any]] = set()
        self._allowed = allowed
        self._pace = pace
        self._address_hosts = address_hosts
        self.connections = connections
        self._hosts: dict[str, Host] = {host: Host(strikes=count) for host, count in (strikes or {}).items()}
        self._doors: dict[str, asyncio.Lock] = {}
        """One of the batch at a time looks for a slot on an address; the others stand behind it."""
        self._held: set[Permit] = set()
        self._slots: set[AddressSlot] = set()

    def turn(self, host: str, *, own: bool = True, patience_seconds: float | None = None, url: str = "") -> Turn:
        """To be entered: waits for the host, then holds it for one request, of this URL. `own`: on behalf of one that
        the batch has this host for.

        Raises OutOfTime rather than wait beyond the batch, or longer than `patience_seconds`.
        """
        return Turn(self, host, own, patience_seconds, url or host)

    @asynccontextmanager
    async def waited_for(self, host: str, own: bool, patience_seconds: float | None) -> AsyncIterator[None]:
        """A turn for which anything has to be waited for or asked for."""
        state = self.host(host)
        until = self.ends_at
        if patience_seconds is not None:
            until = min(until, self._clock.monotonic() + patience_seconds)
        async with self._locked(state.lock, host, until):
            await self._sleep(state.ready_at - self._clock.monotonic(), host, until)
            if own and await self.shared_address(host, state) is None:
                async with self.connections:
                    yield
            else:
                async with self._permit(host, own, until), self._slot(host, state, until), self.connections:
                    yield

    def close(self) -> None:
        """Nobody gets another turn, and whoever waits for one is OutOfTime at once."""
        self.ends_at = min(self.ends_at, self._clock.monotonic())
        self.closing.set()

    def cut(self) -> None:
        """Take the turns away that there still are: to those who have one, it ends as OutOfTime."""
        self._cut |= self._served.keys()
        for task in self._served:
            task.cancel()

    def begin(self, url: str) -> asyncio.Task[Any] | None:
        """The running task has a turn."""
        task = asyncio.current_task()
        if task is not None:
            self._served[task] = self._clock.monotonic(), url
        return task

    def end(self, task: asyncio.Task[Any] | None) -> bool:
        """It has it no more; whether it was taken away."""
        if task is None:
            return False
        self._served.pop(task, None)
        if task not in self._cut:
            return False
        self._cut.discard(task)
        return True

    def asked(self, at_least_seconds: float) -> list[Asked]:
        """What has been asked for so long without having come to its end, the longest first."""
        now, now_ms = self._clock.monotonic(), self._now_ms()
        slow = sorted(each for each in self._served.values() if now - each[0] >= at_least_seconds)
        return [Asked(url, now_ms - round((now - since) * 1000)) for since, url in slow]

    def delayed(self, at_least_seconds: float) -> list[Asked]:
        """Hosts that somebody waits for just now because their robots.txt asks for so long a Crawl-delay, the longest
        first."""
        now, now_ms = self._clock.monotonic(), self._now_ms()
        found = []
        for host, state in self._hosts.items():
            delay, answered_at = min(state.crawl_delay or 0.0, self._pace.most_crawl_delay), state.answered_at
            if delay < at_least_seconds or answered_at is None or not state.lock.locked():
                continue
            if now < state.ready_at <= answered_at + delay:  # beyond, it asked for more time otherwise
                found.append(Asked(host, now_ms - round((now - answered_at) * 1000), round(delay * 1000)))
        return sorted(found, key=lambda each: -each.crawl_delay_ms)

    async def rest(self, state: Host, host: str) -> None:
        """Until the host may be asked again."""
        pause = state.ready_at - self._clock.monotonic()
        if pause > 0:
            await self._sleep(pause, host, self.ends_at)

    def is_free(self, state: Host) -> bool:
        """Whether nothing has to be waited for or asked for, but a connection."""
        return state.located and state.address is None and self.is_awake(state)

    def is_awake(self, state: Host) -> bool:
        """Whether nobody asks the host, and it may be asked, with time left for it."""
        return state.ready_at <= self._clock.monotonic() < self.ends_at and not state.lock.locked()

    def is_rested(self, state: Host) -> bool:
        return state.ready_at <= self._clock.monotonic()

    def crawl_delay(self, host: str, seconds: float | None) -> None:
        """Note what robots.txt asks for. It counts from the last response on, which may be robots.txt itself: its fetch
        is a request like any other."""
        state = self.host(host)
        state.crawl_delay = seconds
        if seconds and state.answered_at is not None:
            state.ready_at = max(state.ready_at, state.answered_at + min(seconds, self._pace.most_crawl_delay))

    async def answered(self, host: str, exchange: Exchange) -> None:
        """Work out the host's next turn from an exchange that just ended. What it says of being busy is told to all
        workers at once, so that it outlives this one."""
        state = self.host(host)
        inside = exchange.remote_ip is not None and self._is_inside(state, exchange.remote_ip)
        pause = delay_after(
            exchange.seconds_total or 0.0, inside_allowed=inside, crawl_delay=state.crawl_delay, pace=self._pace
        )
        if not exchange.outcome.has_response and exchange.remote_ip is None:
            return
        state.answered_at, state.rest = self._clock.monotonic(), pause
        status = exchange.response.status if exchange.response is not None else None
        before, state.strikes = state.strikes, strikes_after(state.strikes, status)
        if exchange.response is not None and status is not None and status >= 300:
            asked = retry_after(exchange.response.header("Retry-After"), self._clock.now(), pace=self._pace)
            pause = max(pause, asked or 0.0)
        if is_busy(status) and not inside:
            pause = max(pause, back_off(state.strikes, pace=self._pace))
        state.ready_at = max(state.ready_at, state.answered_at + pause)
        if is_busy(status) or state.strikes != before or pause > self._pace.most_crawl_delay:
            await self._permits.back_off(
                host, strikes=state.strikes, now_ms=self._now_ms(), ready_at_ms=self._ready_at_ms(host)
            )

    def seconds_until_ready(self, host: str) -> float:
        """How long the frontier must keep the host back after this batch; 0 for now."""
        state = self._hosts.get(host)
        return 0.0 if state is None else max(0.0, state.ready_at - self._clock.monotonic())

    async def keep(self) -> None:
        """Hold permits and slots as long as their requests last. Runs until it is cancelled."""
        while True:
            await asyncio.sleep(KEEP_SECONDS)
            try:
                await self._permits.keep(tuple(self._held), tuple(self._slots), now_ms=self._now_ms())
            except RetryableError as error:
                LOG.warning("permits not kept batch=%s error=%s", self._batch_id, error)

    # --- within -------------------------------------------------------------------------------

    @asynccontextmanager
    async def _permit(self, host: str, own: bool, until: float) -> AsyncIterator[None]:
        if own:
            yield
            return
        looks = _looks()
        while isinstance(answer := await self._take(host), NotBefore):
            await self._sleep(self._pause(answer, looks), host, until)
        self._hosts[host].strikes = answer.strikes
        self._held.add(answer)
        try:
            yield
        finally:
            self._held.discard(answer)
            try:
                await self._permits.give_back(answer, now_ms=self._now_ms(), ready_at_ms=self._ready_at_ms(host))
            except RetryableError as error:  # it comes free when its time is over
                LOG.warning("permit not given back batch=%s error=%s", self._batch_id, error)

    def _pause(self, refused: NotBefore, looks: Iterator[float]) -> float:
        """Until the rest ends; what is in other hands may come free at any time, so that is looked at again soon, and
        then less often."""
        pause = (refused.ready_at_ms - self._now_ms()) / 1000
        return pause if refused.reason == "paced" else min(pause, next(looks))

    async def _take(self, host: str) -> Permit | NotBefore:
        return await self._permits.take(host, batch_id=self._batch_id, now_ms=self._now_ms())

    @asynccontextmanager
    async def _slot(self, host: str, state: Host, until: float) -> AsyncIterator[None]:
        address = await self.shared_address(host, state)
        if address is None:
            yield
            return
        async with self._locked(self._doors.setdefault(address, asyncio.Lock()), host, until):
            looks = _looks()
            while isinstance(slot := await self._enter(address, host), NotBefore):
                await self._sleep(self._pause(slot, looks), host, until)
        state.rest = 0.0
        self._slots.add(slot)
        try:
            yield
        finally:
            self._slots.discard(slot)
            now_ms = self._now_ms()
            try:
                await self._permits.leave(slot, now_ms=now_ms, ready_at_ms=now_ms + round(state.rest * 1000))
            except RetryableError as error:
                LOG.warning("slot not left batch=%s error=%s", self._batch_id, error)

    async def _enter(self, address: str, host: str) -> AddressSlot | NotBefore:
        who = f"{self._batch_id} {host}"
        return await self._permits.enter(address, who, most=self._address_hosts, now_ms=self._now_ms())

    async def shared_address(self, host: str, state: Host) -> str | None:
        """The public address of a host, asked for once; None where nobody is protected by a limit on it."""
        if not state.located:
            found = await self._locate(host) if self._address_hosts else None
            state.address = None if found is None or self._is_inside(state, found) else found
            state.located = True
        return state.address

    @asynccontextmanager
    async def _locked(self, lock: asyncio.Lock, host: str, until: float) -> AsyncIterator[None]:
        """Hold a lock; OutOfTime where it cannot be had in time."""
        try:
            async with asyncio.timeout(max(0.0, until - self._clock.monotonic())):
                await lock.acquire()
        except TimeoutError:
            raise OutOfTime(host) from None
        try:
            yield
        finally:
            lock.release()

    def _is_inside(self, state: Host, address: str) -> bool:
        """Whether an address lies in a range that was opened; a host rarely changes its own."""
        if state.judged is None or state.judged[0] != address:
            state.judged = (address, is_allowed(address, self._allowed))
        return state.judged[1]

    async def _sleep(self, seconds: float, host: str, until: float) -> None:
        if self._clock.monotonic() + max(seconds, 0.0) >= until:
            raise OutOfTime(host)
        await self.pause(seconds)
        if self.closing.is_set():
            raise OutOfTime(host)

    async def pause(self, seconds: float) -> None:
        """Sleep, but not on when turns are closed."""
        if seconds <= 0:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.closing.wait()

    def host(self, host: str) -> Host:
        known = self._hosts.get(host)
        return self._hosts.setdefault(host, Host()) if known is None else known

    def _now_ms(self) -> int:
        return int(self._clock.now().timestamp() * 1000)

    def _ready_at_ms(self, host: str) -> int:
        return self._now_ms() + round(self.seconds_until_ready(host) * 1000)
