"""A batch, from its lease to its last receipt.

A worker that takes a batch reads its receipts first: what they name is done, and it goes on under the
next part. It holds the lease by heartbeats and stops its own work before the lease could end. Told to stop, it begins
nothing more, commits what it has, and gives the rest back at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from schemas import keys
from schemas.ids import ulid_time
from schemas.records.job import Lane, StoredJob
from workers.capture.guard import Networks, Refusal, parse_networks
from workers.capture.transport import Transport
from workers.errors import CorruptError, EpochError, ObjectMissingError, RetryableError, UnkeptError
from workers.flows.capture.confirmed import ConfirmedDocuments
from workers.flows.capture.fetching import Fetching
from workers.flows.capture.holding import Course, hold
from workers.flows.capture.recall import Memory
from workers.flows.capture.recorder import Recorder
from workers.flows.capture.requisite_claims import Claims
from workers.flows.capture.requisite_resume import Left, LeftPage, left_in, stored_documents
from workers.flows.capture.requisites import Requisites
from workers.flows.capture.resume import receipts_of, resume, told
from workers.flows.capture.robots import RobotsCache
from workers.flows.capture.setting_aside import set_aside
from workers.flows.capture.settings import CapturePorts, CaptureSettings
from workers.flows.capture.settle import settle
from workers.flows.capture.turns import Turns
from workers.flows.capture.visit import Unfinished, Visit, Visitor, fetched_url
from workers.flows.capture.waiting import waiting_of
from workers.flows.documents import read_object
from workers.ports import Lease, NotClaimed, QueuedUrl

LOG = logging.getLogger(__name__)
SLOW_SECONDS, DELAY_SECONDS, MOST_TOLD = 5.0, 2.0, 3
"""How long something is being fetched before it is told as waited for, and how much of that."""


async def claimed(batch_id: str, ports: CapturePorts, settings: CaptureSettings) -> Lease | None:
    """A lease of this batch; None where another has it, or it has ended."""
    lease = await ports.frontier.claim(batch_id, worker=settings.worker, now_ms=_now_ms(ports))
    if isinstance(lease, NotClaimed):
        LOG.info("batch not claimed batch=%s reason=%s", batch_id, lease.reason)
        return None
    return lease


async def capture_leased(
    lease: Lease,
    ports: CapturePorts,
    settings: CaptureSettings,
    transport: Transport,
    robots: RobotsCache,
    stopping: Callable[[], bool],
    fetching: Fetching | None = None,
) -> bool:
    """Capture what is left of a batch that was had. False: the lease was lost on the way. `fetching` is told how far it
    is."""
    course = Course(fetching or Fetching())

    def to_stop() -> bool:
        return course.stop.is_set() or stopping()

    work = _capture(lease, ports, settings, transport, robots, to_stop, course)
    try:
        held = await hold(lease, ports, settings, work, course)
    except RetryableError as error:
        if isinstance(error, UnkeptError):
            ports.rests.failed(lease.batch.batch_id, error, ports.clock.monotonic())
        await _excuse(lease, ports)
        raise
    if held:
        ports.rests.kept(lease.batch.batch_id)
    return held


async def _excuse(lease: Lease, ports: CapturePorts) -> None:
    """What failed is this machine or a store, and no URL of the batch: nobody is to be suspected for it."""
    try:
        await ports.frontier.excuse(lease)
    except (RetryableError, EpochError) as error:
        LOG.warning("batch not excused batch=%s error=%s", lease.batch.batch_id, error)


async def _capture(
    lease: Lease,
    ports: CapturePorts,
    settings: CaptureSettings,
    transport: Transport,
    robots: RobotsCache,
    stopping: Callable[[], bool],
    course: Course,
) -> None:
    batch = lease.batch
    try:
        job, strikes, receipts = await asyncio.gather(
            read_object(ports.store, keys.job(batch.job_id, ulid_time(batch.job_id)), StoredJob),
            ports.permits.strikes(sorted({url.host for url in batch.urls})),
            receipts_of(ports, batch.job_id, batch.batch_id, parts=lease.parts),
        )
    except (CorruptError, ObjectMissingError) as error:  # nothing is asked for yet
        await set_aside(ports, lease, error)
        raise
    settings = replace(settings, allowed_networks=(*settings.allowed_networks, *_networks_of(job)))
    if batch.lane is Lane.INTERACTIVE:
        settings = replace(
            settings, segment_seconds=min(settings.segment_seconds, settings.interactive_segment_seconds)
        )
    batch_ends_at = ports.clock.monotonic() + settings.batch_seconds
    turns = Turns(
        ports.clock,
        ports.permits,
        transport.address,
        batch_id=batch.batch_id,
        ends_at=batch_ends_at,
        allowed=settings.allowed_networks,
        connections=ports.batches.connections,
        pace=settings.pace,
        address_hosts=settings.address_hosts,
        strikes=strikes,
    )

    course.asked = lambda: turns.asked(SLOW_SECONDS)[:MOST_TOLD] + turns.delayed(DELAY_SECONDS)[:MOST_TOLD]

    def host_ready_ms() -> dict[str, int]:
        now = _now_ms(ports)
        return {url.host: now + int(turns.seconds_until_ready(url.host) * 1000) for url in batch.urls}

    for receipt in receipts:
        await settle(ports, receipt, lease, host_ready_ms())
    if receipts and receipts[-1].last:
        return
    gone = told(receipts)
    recorder = Recorder(ports, settings, job, lease, next_part=len(receipts), host_ready_ms=host_ready_ms)
    memory = Memory(ports.versions, job.collection)
    visitor = Visitor(transport, memory, robots, turns, ports.clock, settings, job.options)
    try:
        gone |= await resume(ports, recorder, lease, receipts)
        if recorder.parts > len(receipts):
            receipts = await receipts_of(ports, batch.job_id, batch.batch_id)
        left = await left_in(ports, batch, receipts)
        gone |= {page.outcome.normalized_url for page in left.pages}
        waiting = [url for url in batch.urls if url.normalized_url not in gone]
        await memory.look_up([fetched_url(url.resumes_at or url.requested_url) for url in waiting])
        requisites = None
        work: list[Coroutine[Any, Any, None]] = []
        if job.options.requisites:
            limits = settings.requisites.within(settings.batch_seconds)
            requisites = Requisites(
                replace(visitor, settings=settings.for_requisites()),
                recorder,
                Claims(ports.requisites, job.id),
                limits,
                ConfirmedDocuments(ports.store, ports.catalog),
            )
            work += _go_on(requisites, left, ports)
        course.fetching.begin(len(waiting))
        visited = course.fetching.visited
        work += [_visit_host(visitor, recorder, requisites, queue, visited) for queue in _by_host(waiting)]
        await _side_by_side(work, visitor, recorder, settings, stopping)
        course.fetching.end()
        if turns.closing.is_set() and recorder.pages_wait:
            await recorder.hand_over()
            await _excuse(lease, ports)
            await ports.frontier.give_back(lease, now_ms=_now_ms(ports))
        else:
            await recorder.finish()
    finally:
        await recorder.give_up()
        ports.files.end(batch.batch_id)


def _by_host(urls: Iterable[QueuedUrl]) -> list[list[QueuedUrl]]:
    by_host: dict[str, list[QueuedUrl]] = {}
    for url in urls:
        by_host.setdefault(url.host, []).append(url)
    return list(by_host.values())


async def _side_by_side(
    work: Sequence[Coroutine[Any, Any, None]],
    visitor: Visitor,
    recorder: Recorder,
    settings: CaptureSettings,
    stopping: Callable[[], bool],
) -> None:
    """All hosts side by side, each host's URLs one after the other, while files and permits are looked after."""
    over = asyncio.Event()
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_tick(recorder, settings.tick_seconds, over))
            running = [
                group.create_task(recorder.waiting.keep()),
                group.create_task(visitor.turns.keep()),
                group.create_task(_stop_when_asked(visitor.turns, settings, stopping)),
            ]
            hosts = [group.create_task(each) for each in work]
            if hosts:
                await asyncio.wait(hosts)
            await recorder.waiting.drain()
            over.set()
            for task in running:
                task.cancel()
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from failures


async def _tick(recorder: Recorder, seconds: float, over: asyncio.Event) -> None:
    """Not cancelled where all is well: a file that is being closed would be left behind, and its commit cut off."""
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await over.wait()
        if over.is_set():
            return
        await recorder.tick()


async def _stop_when_asked(turns: Turns, settings: CaptureSettings, stopping: Callable[[], bool]) -> None:
    """What is being fetched has some seconds to arrive; the rest of the batch is not begun."""
    while not stopping():  # noqa: ASYNC110 (another process says it)
        await asyncio.sleep(settings.tick_seconds)
    turns.close()
    await asyncio.sleep(settings.stop_seconds)
    turns.cut()


async def _visit_host(
    visitor: Visitor,
    recorder: Recorder,
    requisites: Requisites | None,
    urls: Sequence[QueuedUrl],
    visited: Callable[[], None],
) -> None:
    """A host that has no turn left keeps the rest of its URLs in the batch, which hands them back at its end."""
    for number, url in enumerate(urls):
        if number and requisites is not None and not requisites.has_time():
            return
        visit = await visitor.visit(url)
        if requisites is not None and isinstance(visit, Visit):
            await requisites.write(visit)
        elif visit.robots or visit.exchanges:
            await recorder.waiting.put(waiting_of(visit))
        visited()
        if isinstance(visit, Unfinished) and visit.host == url.host:
            return


def _go_on(requisites: Requisites, left: Left, ports: CapturePorts) -> list[Coroutine[Any, Any, None]]:
    """The requisites that an earlier worker had not come to, page by page."""
    requisites.skip(each.url for receipt in left.receipts for each in receipt.requisites)

    async def one(page: LeftPage) -> None:
        await requisites.go_on(page, await stored_documents(page, ports.store, ports.catalog))

    requisites.recorder.go_on(page.outcome for page in left.pages)
    return [one(page) for page in left.pages]


def _networks_of(job: StoredJob) -> Networks:
    """Ranges that the job opens for itself; what cannot be read opens nothing."""
    networks = parse_networks(job.options.allow_networks)
    if isinstance(networks, Refusal):
        LOG.error("job opens no network job=%s reason=%s", job.id, networks.reason)
        return ()
    return networks


def _now_ms(ports: CapturePorts) -> int:
    return int(ports.clock.now().timestamp() * 1000)
