"""From a stored job to its last receipt, under crashes, delays, duplicates and reordering (`deploy/protocol.md`).

Real scripts in a real Valkey, real objects in a store, the real steps of scheduler and worker between them. Hypothesis
says who goes on, who dies, which message comes when and how often, when Redis loses its last writes or everything.
The invariants are looked at after each step, in Redis and in the store.
"""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest
import redis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from ulid import ULID

from scheduler.closing import Closer
from scheduler.intake import Order, accept, read_urls
from scheduler.rebuild import Rebuilt, catch_up
from scheduler.rebuild import settle as settle_epoch
from scheduler.release import LaneLimits, Releaser
from scheduler.service.intakes import Intakes
from scheduler.service.wiring import rebuild_ports_of
from scheduler.suspicion import Step
from schemas import ids, keys
from schemas.messages import CaptureBatch, TaskMessage
from schemas.records.job import Lane, StoredJob
from schemas.records.receipt import Receipt, Token
from workers.bootstrap import Archive, open_archive
from workers.catalog.jobs import job_key, load_job
from workers.config import Settings
from workers.errors import CorruptError, EpochError, ObjectMissingError
from workers.flows.capture.resume import receipts_of, told
from workers.flows.capture.setting_aside import set_aside
from workers.flows.capture.settings import CapturePorts
from workers.flows.capture.settle import receipt_bytes, receipt_key, settle
from workers.flows.documents import read_object
from workers.frontier import names
from workers.frontier.urls import digest
from workers.ports import Batch, Lease

URLS = [f"https://{host}.test/{page}" for page in range(4) for host in "abc"]
LEASE_MS = 60_000
TAIL = 3
"""So many steps back Redis may be found after a crash: what it had not written to disk yet."""
T = TypeVar("T")
picks = st.integers(0, 2**16)


def _one(options: Sequence[T], pick: int) -> T:
    return options[pick % len(options)]


@dataclass
class Stepping:
    """`Clock` that stands still until it is told otherwise."""

    now_ms: int = 1_790_000_000_000

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.now_ms / 1000, UTC)

    def monotonic(self) -> float:
        return self.now_ms / 1000


@dataclass
class Messages:
    """The broker: any message, at any time, as often as you like. What is for later stages is of no interest here."""

    waiting: list[CaptureBatch] = field(default_factory=list)

    async def announce(self, message: TaskMessage) -> None:
        if isinstance(message, CaptureBatch):
            self.waiting.append(message)


@dataclass
class Worker:
    """One that has a lease, between two steps of its batch. It may be dead for the rest of the run."""

    lease: Lease
    part: int
    told: set[str]
    receipt: Receipt | None = None
    """Of the part whose files are stored."""
    committed: bool = False


class Machine(RuleBasedStateMachine):
    """One job on three hosts, one scheduler after the other, and as many workers as messages are delivered."""

    def __init__(self, url: str, folder: Path, receipt_of: Callable[..., Receipt]) -> None:
        super().__init__()
        self.folder = folder / str(ULID())
        self.receipt_of = receipt_of
        self.raw = redis.Redis.from_url(url)
        self.raw.flushall()
        self.runner = asyncio.Runner()
        self.opened = AsyncExitStack()
        self.clock, self.messages = Stepping(), Messages()
        stored = Settings(redis_url=url, s3_endpoint=(self.folder / "store").as_uri(), data_dir=self.folder)
        self.plane, self.control = (self._open(stored) for _ in range(2))
        self.rebuild = rebuild_ports_of(self.control)
        self.ports: CapturePorts = replace(self.plane.capture_ports(), clock=self.clock, announcer=self.messages)
        self.start_scheduler()
        self.rebuilt: Rebuilt | None = self.run(settle_epoch(self.rebuild, now=self.now()))
        self.job = self.run(self._job())
        self.workers: list[Worker] = []
        self.newest: dict[str, Token] = {}
        self.tokens: list[Token] = []
        self.stored: dict[str, Receipt] = {}
        """All receipts, as they were first seen."""
        self.damaged: dict[str, bytes] = {}
        """Receipts that cannot be read at present, as they were."""
        self.losses = 0
        self.history: list[dict[bytes, bytes]] = []

    def run(self, work: Coroutine[None, None, T]) -> T:
        return self.runner.run(work)

    def now(self) -> str:
        return ids.utc_string(self.clock.now())

    # --- the scheduler -----------------------------------------------------------------------

    @rule()
    def start_scheduler(self) -> None:
        """A new process: what the last one had not sent is forgotten."""
        limits = {Lane.BULK: LaneLimits(waiting=3, urls=4)}
        epoch = self.rebuild.epoch
        closer = Closer(replace(self.control.settle_ports(), clock=self.clock, announcer=self.messages))

        async def close(batch: Batch, step: Step) -> Sequence[Batch]:
            """Ends what is set aside; what workers die of is sent again here, for as long as it takes."""
            return await closer.close(batch, step) if step == "give back" else [batch]

        self.releaser = Releaser(self.control.frontier, self.messages, lambda: epoch.number or 0, limits, close=close)

    @rule()
    def release(self) -> None:
        self.in_epoch(self.releaser.release(self.clock.now_ms))

    @rule()
    def reclaim(self) -> None:
        self.in_epoch(self.releaser.reclaim(self.clock.now_ms))

    @rule()
    def settle_the_epoch(self) -> None:
        """What a scheduler does first, and again after each EpochError."""
        self.rebuilt = self.run(settle_epoch(self.rebuild, now=self.now())) or self.rebuilt

    @rule()
    def look_after_intakes(self) -> None:
        intakes = Intakes(self.control.store, self.control.frontier)
        self.in_epoch(intakes.resume(self.clock.now()))

    @precondition(lambda self: self.rebuilt is not None)
    @rule()
    def catch_up(self) -> None:
        """Receipts that came in after the rebuild had read them."""
        assert self.rebuilt is not None
        self.in_epoch(catch_up(self.rebuild, self.rebuilt, now=self.now()))

    # --- messages and workers ----------------------------------------------------------------

    @precondition(lambda self: self.messages.waiting)
    @rule(pick=picks, twice=st.booleans(), dies=st.booleans())
    def deliver(self, pick: int, twice: bool, dies: bool) -> None:
        """Any of them, perhaps to come again; to a worker that may die before it has looked at anything."""
        message = _one(self.messages.waiting, pick)
        if not twice:
            self.messages.waiting.remove(message)
        aside = self.is_aside(message.batch_id)
        lease = self.in_epoch(self.plane.frontier.claim(message.batch_id, worker="w", now_ms=self.clock.now_ms))
        if not isinstance(lease, Lease):
            return
        assert not aside, "no worker has a batch that is set aside"
        token = lease.token
        assert token not in self.tokens, "no two leases have one token"
        assert all(
            (token.epoch, token.counter) > (old.epoch, old.counter)
            for old in (self.newest.get(message.batch_id),)
            if old is not None
        ), "tokens of a batch only grow"
        self.tokens.append(token)
        self.newest[message.batch_id] = token
        if not dies:
            self.in_epoch(self._begin(lease))

    @precondition(lambda self: self.messages.waiting)
    @rule(pick=picks)
    def lose_a_message(self, pick: int) -> None:
        self.messages.waiting.remove(_one(self.messages.waiting, pick))

    @precondition(lambda self: self.workers)
    @rule(pick=picks, mask=st.integers(0, 15), last=st.booleans())
    def fetch_and_store(self, pick: int, mask: int, last: bool) -> None:
        """Some URLs are fetched, and the files of a part are put under names of their own."""
        worker = _one(self.workers, pick)
        if worker.receipt is not None:
            return
        open_urls = [url for url in worker.lease.batch.urls if url.normalized_url not in worker.told]
        some = [url.normalized_url for place, url in enumerate(open_urls) if mask >> place & 1]
        if some or last:
            worker.receipt = self.run(self._store(worker, some, last))

    @precondition(lambda self: self.workers)
    @rule(pick=picks)
    def commit(self, pick: int) -> None:
        """The receipt. Who comes second is fenced, and gives up."""
        worker = _one(self.workers, pick)
        if worker.receipt is None or worker.committed:
            return
        store, receipt = self.ports.store, worker.receipt
        worker.committed = self.run(store.create(receipt_key(receipt), receipt_bytes(receipt)))
        if not worker.committed:
            self.workers.remove(worker)

    @precondition(lambda self: self.workers)
    @rule(pick=picks)
    def follow_the_receipt(self, pick: int) -> None:
        """Everything that is derived from it, and on to the next part."""
        worker = _one(self.workers, pick)
        if worker.receipt is None or not worker.committed:
            return
        receipt = worker.receipt
        self.in_epoch(settle(self.ports, receipt, worker.lease, {}))
        worker.told |= told([receipt])
        worker.part, worker.receipt, worker.committed = worker.part + 1, None, False
        if receipt.last:
            self.workers.remove(worker)

    @precondition(lambda self: self.workers)
    @rule(pick=picks)
    def heartbeat(self, pick: int) -> None:
        worker = _one(self.workers, pick)
        held = self.in_epoch(self.plane.frontier.heartbeat(worker.lease, now_ms=self.clock.now_ms))
        if held:
            assert worker.lease.token == self.newest[worker.lease.batch.batch_id], "only the newest lease is extended"
        else:
            self.workers.remove(worker)

    @precondition(lambda self: self.workers)
    @rule(pick=picks)
    def kill_a_worker(self, pick: int) -> None:
        self.workers.remove(_one(self.workers, pick))

    # --- what happens to the store -----------------------------------------------------------

    @precondition(lambda self: self.stored)
    @rule(pick=picks)
    def damage_a_receipt(self, pick: int) -> None:
        """Of a batch that is out: whoever takes it from now on sets it aside."""
        out = {batch.decode() for batch in self.raw.zrange(names.LEASES, 0, -1)}
        whole = sorted(
            key for key, receipt in self.stored.items() if receipt.batch_id in out and key not in self.damaged
        )
        if whole:
            store, key = self.control.store, _one(whole, pick)
            self.damaged[key] = self.run(store.get(key, limit=100_000))
            self.run(store.put(key, b"{"))

    @rule()
    def lose_the_object_of_the_job(self) -> None:
        """Until it is restored no batch begins or is ended, and a rebuild leaves the job out."""
        store, key = self.control.store, job_key(self.job.id)
        if key not in self.damaged:
            self.damaged[key] = self.run(store.get(key, limit=100_000))
            self.run(store.delete(key))

    @precondition(lambda self: self.damaged)
    @rule()
    def restore_what_is_damaged(self) -> None:
        """And begin a new epoch where a rebuild had to do without the job."""
        for key, data in self.damaged.items():
            self.run(self.control.store.put(key, data))
        if job_key(self.job.id) in self.damaged and not self.raw.exists(names.job(self.job.id)):
            self.redis_loses_everything()
        self.damaged = {}

    @rule()
    def ask_for_another_look(self) -> None:
        """As `citevault retry` does, whether or not anything is restored."""
        self.in_epoch(self.control.frontier.look_again(self.job.id, now_ms=self.clock.now_ms))

    # --- what happens to Redis, and time -----------------------------------------------------

    @rule(seconds=st.sampled_from([0.2, 5, 61, 121]))
    def time_passes(self, seconds: float) -> None:
        self.clock.now_ms += round(seconds * 1000)

    @precondition(lambda self: self.history)
    @rule(steps=st.integers(1, TAIL))
    def redis_crashes_and_has_lost_its_last_writes(self, steps: int) -> None:
        """It is back with what it had written to disk, in the same epoch, a second later."""
        back = self.history[-min(steps, len(self.history))]
        self.raw.flushall()
        with self.raw.pipeline() as pipe:
            for key, value in back.items():
                pipe.restore(key, 0, value)
            pipe.execute()
        self.losses += 1
        self.clock.now_ms += 1000

    @rule()
    def redis_loses_everything(self) -> None:
        self.raw.flushall()
        self.losses += 1

    # --- what holds after each step ----------------------------------------------------------

    @invariant()
    def one_commit_is_in_effect_for_each_url(self) -> None:
        """Parts of a batch never overlap, whoever wrote them; batches only where Redis has lost something."""
        by_batch: dict[str, Counter[str]] = {}
        for receipt in self.receipts().values():
            counted = by_batch.setdefault(receipt.batch_id, Counter())
            counted.update(outcome.normalized_url for outcome in receipt.outcomes)
        for batch_id, counted in by_batch.items():
            assert set(counted.values()) <= {1}, batch_id
        over_all = Counter(url for counted in by_batch.values() for url in counted)
        assert self.losses or set(over_all.values()) <= {1}, "without a loss nothing is captured twice"

    @invariant()
    def receipts_are_whole(self) -> None:
        """Parts of a batch are numbered without a gap, and what a receipt names is there."""
        parts: dict[str, list[int]] = {}
        for receipt in self.receipts().values():
            parts.setdefault(receipt.batch_id, []).append(receipt.part)
            assert receipt.warc is None or self.run(self.ports.store.info(receipt.warc.key)) is not None
        assert all(sorted(found) == list(range(len(found))) for found in parts.values())

    @invariant()
    def no_url_is_lost_and_none_is_done_without_a_receipt(self) -> None:
        """Where Redis speaks at all."""
        if self.raw.get(names.EPOCH) != str(self.rebuild.epoch.number).encode():
            return
        opened = set(self.raw.hkeys(names.open_urls(self.job.id)))
        done = set(self.raw.hkeys(names.done_urls(self.job.id)))
        receipts = self.receipts().values()
        committed = {digest(outcome.normalized_url, 1) for receipt in receipts for outcome in receipt.outcomes}
        assert done <= committed
        assert not opened & done
        if self.raw.hget(names.job(self.job.id), "intake") == b"closed":
            assert opened | done == {digest(url, 1) for url in URLS}

    @invariant()
    def completion_is_not_claimed_early(self) -> None:
        progress = self.in_epoch(self.control.frontier.progress(self.job.id))
        if progress is not None and progress.captured_all:
            receipts = self.receipts().values()
            assert {url.normalized_url for receipt in receipts for url in receipt.outcomes} == set(URLS)

    @invariant()
    def what_is_set_aside_keeps_no_host_from_others(self) -> None:
        assert not any(self.is_aside(holder.decode()) for holder in self.raw.hvals(names.BUSY))

    @invariant()
    def remember(self) -> None:
        """How Redis stands, for a crash that takes it back to here."""
        found = list(self.raw.scan_iter(f"{names.TAG}:*", count=1000))
        with self.raw.pipeline() as pipe:
            for key in found:
                pipe.dump(key)
            values = pipe.execute()
        self.history = [*self.history, dict(zip(found, values, strict=True))][-TAIL:]

    def teardown(self) -> None:
        """However it went, stragglers end, diligent workers do the rest, and nothing is left."""
        try:
            self._finish()
        finally:
            self.run(self.opened.aclose())
            self.runner.close()
            self.raw.close()
            shutil.rmtree(self.folder)

    def _finish(self) -> None:
        self.restore_what_is_damaged()
        for _ in range(40):
            self.settle_the_epoch()
            self.look_after_intakes()
            progress = self.in_epoch(self.control.frontier.progress(self.job.id))
            if progress is not None and progress.captured_all and not self.raw.zcard(names.LEASES):
                break
            self.clock.now_ms += 2 * LEASE_MS
            self.ask_for_another_look()
            self.reclaim()
            self.release()
            while self.messages.waiting:
                self.deliver(0, twice=False, dies=False)
            while self.workers:
                self.fetch_and_store(0, 15, last=True)
                self.commit(0)
                if self.workers:
                    self.follow_the_receipt(0)
        else:
            raise AssertionError("the job does not end")
        self.one_commit_is_in_effect_for_each_url()
        self.receipts_are_whole()
        self.completion_is_not_claimed_early()
        assert self.raw.hlen(names.BUSY) == 0
        assert self.raw.scard(names.waiting(Lane.BULK)) == 0
        states = {self.raw.hget(key, "state") for key in self.raw.scan_iter(names.batch("*"))}
        assert states <= {b"done"}, "no lease is left"

    # --- within ------------------------------------------------------------------------------

    def in_epoch(self, work: Coroutine[None, None, T]) -> T | None:
        """None where Redis is in another epoch, or in none: whoever asked drops what it was about."""
        try:
            return self.run(work)
        except EpochError:
            return None

    def is_aside(self, batch_id: str) -> bool:
        return bool(self.raw.hexists(names.batch(batch_id), "aside"))

    def receipts(self) -> dict[str, Receipt]:
        return self.run(self._receipts())

    async def _receipts(self) -> dict[str, Receipt]:
        store = self.control.store
        async for key in store.list(keys.receipts(self.job.id)):
            if key not in self.stored:
                self.stored[key] = await read_object(store, key, Receipt)
        return self.stored

    async def _begin(self, lease: Lease) -> None:
        """What a worker does with a lease first: the batch's receipts are followed again."""
        batch = lease.batch
        try:
            await load_job(self.ports.store, batch.job_id)
            receipts = await receipts_of(self.ports, batch.job_id, batch.batch_id, parts=lease.parts)
        except (CorruptError, ObjectMissingError) as error:
            await set_aside(self.ports, lease, error)
            return
        for receipt in receipts:
            await settle(self.ports, receipt, lease, {})
        if not (receipts and receipts[-1].last):
            self.workers.append(Worker(lease, len(receipts), told(receipts)))

    async def _store(self, worker: Worker, urls: Sequence[str], last: bool) -> Receipt:
        batch = worker.lease.batch
        segment = ids.segment_id(self.now(), str(ULID()))
        made = self.receipt_of(
            urls, job_id=batch.job_id, batch_id=batch.batch_id, part=worker.part, segment_id=segment, last=last
        )
        assert made.warc is not None
        await self.ports.store.put(made.warc.key, segment.encode())
        return made.model_copy(update={"token": worker.lease.token})

    def _open(self, stored: Settings) -> Archive:
        archive = self.run(self.opened.enter_async_context(open_archive(stored)))
        archive.clock = self.clock  # type: ignore[assignment]  # a port of another make
        return archive

    async def _job(self) -> StoredJob:
        moment = self.clock.now() - timedelta(minutes=1)
        store, frontier = self.control.store, self.control.frontier
        job = await accept(read_urls(URLS), Order(), store=store, frontier=frontier, now=moment)
        assert isinstance(job, StoredJob)
        return job

    @initialize()
    def begin(self) -> None:
        self.release()


def test_any_order_of_crashes_and_deliveries_keeps_the_invariants(
    redis_url: str, tmp_path: Path, receipt_of: Callable[..., Receipt]
) -> None:
    run_state_machine_as_test(
        lambda: Machine(redis_url, tmp_path, receipt_of),
        settings=settings(
            max_examples=20, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


@pytest.mark.parametrize("seed", range(6))
def test_long_walks_keep_the_invariants_too(
    redis_url: str, tmp_path: Path, receipt_of: Callable[..., Receipt], seed: int
) -> None:
    """Hypothesis' runs are short, so that they can be made shorter; these go deep, and mostly forward."""
    machine, dice = Machine(redis_url, tmp_path, receipt_of), Random(seed)

    def pick() -> int:
        return dice.getrandbits(16)

    def toss(chance: float) -> bool:
        return dice.random() < chance

    steps: list[tuple[int, Callable[[], None]]] = [
        (6, machine.release),
        (2, machine.reclaim),
        (1, machine.start_scheduler),
        (3, machine.settle_the_epoch),
        (1, machine.look_after_intakes),
        (2, lambda: machine.time_passes(dice.choice([0.2, 5, 61]))),
        (1, machine.redis_loses_everything),
        (2, lambda: machine.redis_crashes_and_has_lost_its_last_writes(dice.randint(1, TAIL))),
        (9, lambda: machine.deliver(pick(), twice=toss(0.3), dies=toss(0.1))),
        (1, lambda: machine.lose_a_message(pick())),
        (9, lambda: machine.fetch_and_store(pick(), dice.randrange(16), last=toss(0.3))),
        (9, lambda: machine.commit(pick())),
        (9, lambda: machine.follow_the_receipt(pick())),
        (2, lambda: machine.heartbeat(pick())),
        (2, lambda: machine.kill_a_worker(pick())),
        (1, machine.catch_up),
        (3, lambda: machine.damage_a_receipt(pick())),
        (3, machine.lose_the_object_of_the_job),
        (2, machine.restore_what_is_damaged),
        (1, machine.ask_for_another_look),
    ]
    of_messages, of_workers, of_a_rebuild = (8, 9), range(10, 15), (15,)
    machine.begin()
    machine.remember()
    try:
        for _ in range(150):
            (number,) = dice.choices(range(len(steps)), weights=[weight for weight, _ in steps])
            idle = (number in of_messages and not machine.messages.waiting) or (
                number in of_workers and not machine.workers
            )
            if not idle and (number not in of_a_rebuild or machine.rebuilt is not None):
                steps[number][1]()
            machine.one_commit_is_in_effect_for_each_url()
            machine.receipts_are_whole()
            machine.no_url_is_lost_and_none_is_done_without_a_receipt()
            machine.completion_is_not_claimed_early()
            machine.what_is_set_aside_keeps_no_host_from_others()
            machine.remember()
    finally:
        machine.teardown()
