"""The lease protocol under any order of calls: duplicates, stragglers, lost messages, workers that fall silent.

The invariants are those that `workers.frontier` states, read from Redis itself after every step.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
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

from schemas.ids import utc_string
from schemas.records.job import Lane, StoredJob
from schemas.records.outcome import Outcome, UrlOutcome
from workers.adapters.redis.client import connect
from workers.adapters.redis.frontier import FrontierLimits, RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.permits import RedisPermits
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.frontier.urls import digest
from workers.ports import Lease, Permit, QueuedUrl

JOBS = ("job-1", "job-2")
HOSTS = ("a.test", "b.test", "c.test")
PAGES = [f"https://{host}/{page}" for page in range(5) for host in HOSTS]
T = TypeVar("T")
picks = st.integers(0, 2**16)
"""A choice whose options depend on the state: taken modulo their number, or as a mask of them."""


def _one(options: Sequence[T], pick: int) -> T:
    return options[pick % len(options)]


def _some(options: Sequence[T], mask: int) -> list[T]:
    return [option for place, option in enumerate(options) if mask >> place & 1]


class Machine(RuleBasedStateMachine):
    """Two jobs over three hosts, and workers that keep every lease they ever had."""

    def __init__(self, url: str, job: Callable[..., StoredJob]) -> None:
        super().__init__()
        self.raw = redis.Redis.from_url(url)
        self.raw.flushall()
        self.raw.set(names.EPOCH, "1")
        self.runner = asyncio.Runner()
        self.client = connect(url)
        guard = Guard(self.client, Epoch(number=1))
        self.frontier = RedisFrontier(guard, FrontierLimits(urls_per_host=2))
        self.permits = RedisPermits(guard, FrontierLimits(permit_seconds=30))
        self.given: list[Permit] = []
        self.asked: dict[str, tuple[str, int]] = {}
        """Host to who may ask it from outside, and until when; as the answers had it."""
        self.rests: dict[str, int] = {}
        """Host to when it may be asked again, as who asked it said."""
        self.now = 1_790_000_000_000
        self.admitted: dict[str, set[str]] = {name: set() for name in JOBS}
        self.done: dict[str, set[str]] = {name: set() for name in JOBS}
        self.due: dict[tuple[str, str], int] = {}
        """Job and URL to when it is tried again."""
        self.batches: list[str] = []
        self.leases: list[Lease] = []
        self.counters: list[int] = []
        self.ends: dict[str, int] = {}
        """When the running lease of a batch ends."""
        for name in JOBS:
            self.runner.run(self.frontier.open_job(job(name)))

    @initialize(pick=picks)
    def begin(self, pick: int) -> None:
        self.admit(pick, 12)
        self.admit(pick + 1, 4)
        self.release(2, 4)

    @rule(pick=picks, count=st.integers(1, 6))
    def admit(self, pick: int, count: int) -> None:
        """URLs of a stride through all possible ones, so that many come twice."""
        name = JOBS[pick % 2]
        urls = [PAGES[(pick + step * 7) % len(PAGES)] for step in range(count)]
        queued = [QueuedUrl(url, url, url.split("/")[2]) for url in urls]
        new = self.runner.run(self.frontier.admit(name, queued))
        assert new == len(set(urls) - self.admitted[name])
        self.admitted[name] |= set(urls)

    @rule(batches=st.integers(1, 3), urls=st.integers(1, 4))
    def release(self, batches: int, urls: int) -> None:
        for batch in self.runner.run(self.frontier.release(now_ms=self.now, batches=batches, urls=urls)):
            assert batch.batch_id not in self.batches
            for host in {url.host for url in batch.urls}:
                assert not self._is_asked(host), "a host under permit is in no new batch"
                assert self.rests.get(host, 0) <= self.now, "a host at rest is left alone"
            assert {url.normalized_url for url in batch.urls} <= self.admitted[batch.job_id] - self.done[batch.job_id]
            self.batches.append(batch.batch_id)

    @precondition(lambda self: self.batches)
    @rule(pick=picks, stale=st.booleans())
    def claim(self, pick: int, stale: bool) -> None:
        """By whoever got the message, which may be an old one or come twice."""
        live = list(self._live_batches())
        batch_id = _one(self.batches if stale or not live else live, pick)
        lease = self.runner.run(self.frontier.claim(batch_id, worker="w", now_ms=self.now))
        if isinstance(lease, Lease):
            assert self.ends.get(batch_id, 0) <= self.now, "a running lease is nobody else's"
            self.ends[batch_id] = self.now + 60_000
            assert not self.counters or lease.token.counter > self.counters[-1], "tokens only grow"
            self.counters.append(lease.token.counter)
            self.leases.append(lease)

    @precondition(lambda self: self.leases)
    @rule(pick=picks)
    def heartbeat(self, pick: int) -> None:
        lease = _one(self.leases, pick)
        if self.runner.run(self.frontier.heartbeat(lease, now_ms=self.now)):
            assert lease is self._newest(lease.batch.batch_id)
            assert self.ends[lease.batch.batch_id] > self.now, "what has ended is not extended"
            self.ends[lease.batch.batch_id] = self.now + 60_000

    @precondition(lambda self: self.leases)
    @rule(pick=picks, part=picks, hosts=picks, last=st.booleans(), straggler=st.booleans())
    def commit(self, pick: int, part: int, hosts: int, last: bool, straggler: bool) -> None:
        live = [lease for lease in self.leases if lease.batch.batch_id in self._live_batches()]
        lease = _one(self.leases if straggler or not live else live, pick)
        named = [url.normalized_url for url in lease.batch.urls]
        done = _some(named, part)
        ready_at = dict.fromkeys(_some(HOSTS, hosts), self.now + hosts % 5000 - 1000)
        held = {host.decode() for host in self.raw.zrange(names.batch_hosts(lease.batch.batch_id), 0, -1)}
        failed = [url for url in _some(named, part >> 3) if url not in done]
        final = set(failed[::2])
        in_batch = set(self.raw.zrange(names.batch_urls(lease.batch.batch_id), 0, -1))
        accepted = self.runner.run(
            self.frontier.commit(
                lease,
                dict.fromkeys(done, Outcome.CAPTURED),
                now_ms=self.now,
                ready_at_ms=ready_at,
                last=last,
                unanswered=[self._failure(url, final=url in final) for url in failed],
            )
        )
        newest = self._newest(lease.batch.batch_id)
        assert not accepted or lease is newest, "only the newest token of a batch changes anything"
        if accepted:
            self.done[lease.batch.job_id] |= set(done) | final
            for url in set(failed) - final:
                if digest(url, 1) in in_batch and url not in self.done[lease.batch.job_id]:
                    self.due[lease.batch.job_id, url] = self.now + 90_000
            left = {host.decode() for host in self.raw.zrange(names.batch_hosts(lease.batch.batch_id), 0, -1)}
            for host in ready_at:
                if host not in left or host not in held:
                    self._rest(host, ready_at[host])

    @precondition(lambda self: self.leases)
    @rule(pick=picks, page=picks, host=st.sampled_from(HOSTS), straggler=st.booleans())
    def defer(self, pick: int, page: int, host: str, straggler: bool) -> None:
        """A redirect leads to a host that cannot be asked now."""
        live = [lease for lease in self.leases if lease.batch.batch_id in self._live_batches()]
        lease = _one(self.leases if straggler or not live else live, pick)
        if not lease.batch.urls:
            return
        url = _one(lease.batch.urls, page)
        later = replace(url, host=host, via=(*url.via, url.requested_url), resumes_at=f"https://{host}/there")
        if self.runner.run(self.frontier.defer(lease, later, now_ms=self.now)):
            assert lease is self._newest(lease.batch.batch_id)
            assert url.normalized_url not in self.done[lease.batch.job_id]

    @rule(pick=picks, host=st.sampled_from(HOSTS))
    def take(self, pick: int, host: str) -> None:
        """On behalf of any batch, also of one that has ended."""
        batch_id = _one([*self.batches, "b-of-nobody"], pick)
        answer = self.runner.run(self.permits.take(host, batch_id=batch_id, now_ms=self.now))
        busy = self.raw.hget(names.BUSY, host)
        elsewhere = busy is not None and busy.decode() != batch_id
        if isinstance(answer, Permit):
            assert not self._is_asked(host), "one at a time asks a host"
            assert not elsewhere, "the host is in the hands of another batch"
            assert self.rests.get(host, 0) <= self.now, "a host at rest is left alone"
            self.given.append(answer)
            self.asked[host] = (answer.holder, self.now + 30_000)
        else:
            assert answer.ready_at_ms > self.now
            wanted = (self.raw.zscore(names.WANTED, host) or 0) > self.now
            resting = self.rests.get(host, 0) > self.now
            assert self._is_asked(host) or elsewhere or resting or wanted, "a refusal has a reason"

    @precondition(lambda self: self.given)
    @rule(pick=picks, rest=st.sampled_from([0, 300, 5000]))
    def give_back(self, pick: int, rest: int) -> None:
        permit = _one(self.given, pick)
        held = self.runner.run(self.permits.give_back(permit, now_ms=self.now, ready_at_ms=self.now + rest))
        owner, _ = self.asked.get(permit.host, ("", 0))
        assert held <= (owner == permit.holder), "nobody gives back what another holds"
        if held:
            del self.asked[permit.host]
        self._rest(permit.host, self.now + rest)

    @precondition(lambda self: self.given)
    @rule(pick=picks)
    def keep(self, pick: int) -> None:
        permit = _one(self.given, pick)
        owner, ends = self.asked.get(permit.host, ("", 0))
        kept = self.runner.run(self.permits.keep([permit], [], now_ms=self.now))
        assert bool(kept) == (owner == permit.holder and ends > self.now)
        if kept:
            self.asked[permit.host] = (owner, self.now + 30_000)

    @rule()
    def wake(self) -> None:
        woken = self.runner.run(self.frontier.wake(now_ms=self.now))
        due = [entry for entry, at in self.due.items() if at <= self.now]
        assert woken == sum(url not in self.done[name] for name, url in due), "all that is due, and nothing before"
        for entry in due:
            del self.due[entry]

    @rule(seconds=st.sampled_from([0.2, 1, 10, 61, 121]))
    def time_passes(self, seconds: float) -> None:
        self.now += round(seconds * 1000)

    @rule()
    def reclaim(self) -> None:
        for batch in self.runner.run(self.frontier.reclaim(now_ms=self.now)):
            assert batch.batch_id in self.batches, "an expired batch keeps its id"
            assert batch.urls
            assert self.ends.pop(batch.batch_id, 0) <= self.now

    @invariant()
    def each_url_is_in_one_place(self) -> None:
        live = self._live_batches()
        for name in JOBS:
            opened = set(self.raw.hkeys(names.open_urls(name)))
            done = set(self.raw.hkeys(names.done_urls(name)))
            assert not opened & done
            assert opened | done == {digest(url, 1) for url in self.admitted[name]}
            assert done == {digest(url, 1) for url in self.done[name]}
            places: Counter[bytes] = Counter()
            for host in HOSTS:
                places.update(self.raw.lrange(names.queue(name, host), 0, -1))
            places.update(self.raw.zrange(names.later(name), 0, -1))
            for batch_id, job_id in live.items():
                if job_id == name:
                    places.update(self.raw.zrange(names.batch_urls(batch_id), 0, -1))
            assert {url: count for url, count in places.items() if url in opened} == dict.fromkeys(opened, 1)

    @invariant()
    def a_busy_host_belongs_to_a_batch_that_is_not_done(self) -> None:
        live = self._live_batches()
        held = {host: batch for batch in live for host in self.raw.zrange(names.batch_hosts(batch), 0, -1)}
        assert {host: batch.decode() for host, batch in self.raw.hgetall(names.BUSY).items()} == held
        assert set(live) == {batch.decode() for batch in self.raw.zrange(names.LEASES, 0, -1)}

    @invariant()
    def a_permit_has_one_holder(self) -> None:
        holders = {host.decode(): holder.decode() for host, holder in self.raw.hgetall(names.PERMIT_HOLDERS).items()}
        assert set(holders) == {host.decode() for host in self.raw.zrange(names.PERMITS, 0, -1)}
        for host in HOSTS:
            if self._is_asked(host):
                assert holders[host] == self.asked[host][0]

    @invariant()
    def what_waits_can_be_found(self) -> None:
        for name in JOBS:
            hosts = {host for host in HOSTS if self.raw.llen(names.queue(name, host))}
            listed = {host.decode() for host in self.raw.zrange(names.hosts(name), 0, -1)}
            assert hosts <= listed
            assert not hosts or self.raw.zscore(names.lane(Lane.BULK), name) is not None

    def teardown(self) -> None:
        """However it went, a worker that does its work ends both jobs."""
        try:
            self.runner.run(self._finish())
        finally:
            self.runner.run(self.client.aclose())
            self.runner.close()
            self.raw.close()

    async def _finish(self) -> None:
        for name in JOBS:
            await self.frontier.close_intake(name)
        for _ in range(100):
            stands = [await self.frontier.progress(name) for name in JOBS]
            if all(one is not None and one.captured_all for one in stands):
                return
            self.now += 130_000
            await self.frontier.reclaim(now_ms=self.now)
            await self.frontier.wake(now_ms=self.now)
            ready = await self.frontier.release(now_ms=self.now, batches=10, urls=50)
            for batch_id in {*self._live_batches(), *(batch.batch_id for batch in ready)}:
                lease = await self.frontier.claim(batch_id, worker="diligent", now_ms=self.now)
                assert isinstance(lease, Lease)
                outcomes = {url.normalized_url: Outcome.CAPTURED for url in lease.batch.urls}
                await self.frontier.commit(lease, outcomes, now_ms=self.now, ready_at_ms={}, last=True)
        raise AssertionError("the jobs do not end")

    def _failure(self, url: str, *, final: bool) -> UrlOutcome:
        due = None if final else utc_string(datetime.fromtimestamp((self.now + 90_000) / 1000, UTC))
        return UrlOutcome(requested_url=url, normalized_url=url, visit=1, outcome=Outcome.TIMEOUT, retry_at=due)

    def _is_asked(self, host: str) -> bool:
        return self.asked.get(host, ("", 0))[1] > self.now

    def _rest(self, host: str, ready_at: int) -> None:
        self.rests[host] = max(self.rests.get(host, 0), ready_at)

    def _newest(self, batch_id: str) -> Lease:
        return [lease for lease in self.leases if lease.batch.batch_id == batch_id][-1]

    def _live_batches(self) -> dict[str, str]:
        found = {}
        for batch_id in self.batches:
            job_id, state = self.raw.hmget(names.batch(batch_id), ["job", "state"])
            if state not in (None, b"done"):
                found[batch_id] = job_id.decode()
        return found


def test_any_order_of_calls_keeps_the_invariants_and_every_job_ends(redis_url: str, job: Callable[..., StoredJob]):
    run_state_machine_as_test(
        lambda: Machine(redis_url, job),
        settings=settings(
            max_examples=25, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


@pytest.mark.parametrize("seed", range(8))
def test_long_walks_keep_the_invariants_too(redis_url: str, job: Callable[..., StoredJob], seed: int):
    """Hypothesis' runs are short, so that they can be made shorter; these go deep."""
    machine, random = Machine(redis_url, job), Random(seed)

    def pick() -> int:
        return random.getrandbits(16)

    steps: list[Callable[[], None]] = [
        lambda: machine.admit(pick(), 2),
        lambda: machine.release(random.randint(1, 3), random.randint(1, 4)),
        lambda: machine.claim(pick(), random.random() < 0.2),
        lambda: machine.commit(pick(), pick(), pick(), random.random() < 0.4, random.random() < 0.3),
        lambda: machine.heartbeat(pick()),
        lambda: machine.time_passes(random.choice([0.2, 1, 10, 30, 61])),
        machine.reclaim,
        lambda: machine.take(pick(), random.choice(HOSTS)),
        lambda: machine.give_back(pick(), random.choice([0, 300, 5000])),
        lambda: machine.keep(pick()),
        lambda: machine.defer(pick(), pick(), random.choice(HOSTS), random.random() < 0.3),
    ]
    machine.begin(pick())
    try:
        for _ in range(150):
            step = random.choices(steps, weights=[1, 4, 4, 4, 1, 3, 2, 2, 2, 1, 2])[0]
            needs_lease, needs_permit = (*steps[3:5], steps[10]), steps[8:10]
            if (machine.leases or step not in needs_lease) and (machine.given or step not in needs_permit):
                step()
            machine.each_url_is_in_one_place()
            machine.a_busy_host_belongs_to_a_batch_that_is_not_done()
            machine.a_permit_has_one_holder()
            machine.what_waits_can_be_found()
    finally:
        machine.teardown()
