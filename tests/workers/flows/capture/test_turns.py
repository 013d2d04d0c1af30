"""Turns of one batch: rests, busy answers, patience, and how few hosts of an address are served at a time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from ipaddress import ip_network

import pytest

from schemas.records.outcome import Outcome
from workers.adapters.clock import SystemClock
from workers.adapters.redis.client import connect
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.permits import RedisPermits
from workers.capture.pacing import Pace
from workers.exchange import Exchange, Response, Spool
from workers.flows.capture.turns import OutOfTime, Turns
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.ports import NotBefore

PUBLIC = "203.0.113.9"
QUICK = Pace(least=0.05, most=0.2, most_crawl_delay=1.0)


def answer(status: int = 200, *, retry_after: str | None = None, ip: str = PUBLIC) -> Exchange:
    fields = () if retry_after is None else ((b"Retry-After", retry_after.encode()),)
    response = Response(head=b"", content=Spool(), framing="length", status=status, headers=fields)
    return Exchange(
        url="https://a.test/",
        started_at="2026-11-29T12:00:00Z",
        outcome=Outcome.CAPTURED,
        response=response,
        remote_ip=ip,
        seconds_total=0.001,
    )


async def nowhere(_: str) -> str | None:
    return None


async def on_one_address(_: str) -> str | None:
    return PUBLIC


@pytest.fixture
def with_turns(redis_url: str) -> Callable[..., object]:
    """Run a scenario with a maker of batches, each of which has turns of its own, over one Redis."""

    def run(scenario: Callable[[Callable[..., Turns], RedisPermits], Awaitable[None]]) -> None:
        async def within() -> None:
            client, clock = connect(redis_url), SystemClock()
            try:
                await client.set(names.EPOCH, "1")
                permits = RedisPermits(Guard(client, Epoch(number=1)))

                def make(batch_id: str = "b-1", *, seconds: float = 30.0, **options: object) -> Turns:
                    settings: dict[str, object] = {
                        "allowed": (),
                        "connections": asyncio.Semaphore(64),
                        "pace": QUICK,
                        "address_hosts": 2,
                    }
                    locate = options.pop("locate", nowhere)
                    ends_at = clock.monotonic() + seconds
                    return Turns(clock, permits, locate, batch_id=batch_id, ends_at=ends_at, **(settings | options))  # type: ignore[arg-type]

                await scenario(make, permits)
            finally:
                await client.aclose()

        asyncio.run(within())

    return run


async def spent(turns: Turns, host: str, **options: object) -> float:
    """How long the next turn of a host has to be waited for."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with turns.turn(host, **options):  # type: ignore[arg-type]
        return loop.time() - began


def test_a_host_rests_between_its_turns_and_others_do_not_wait_for_it(with_turns):
    async def scenario(make, _):
        turns = make()
        async with turns.turn("a.test", url="http://a.test/1"):
            assert [each.url for each in turns.asked(0.0)] == ["http://a.test/1"]
            assert turns.asked(5.0) == []
            await turns.answered("a.test", answer())
        assert turns.asked(0.0) == []
        rested = asyncio.create_task(spent(turns, "a.test"))
        await asyncio.sleep(0)
        await spent(turns, "b.test")
        assert not rested.done()
        assert await rested > 0.02
        assert turns.seconds_until_ready("b.test") == 0.0

    with_turns(scenario)


def test_who_comes_just_as_a_turn_ends_goes_behind_those_in_line_and_rests_after_them(with_turns):
    async def scenario(make, _):
        turns = make(allowed=(ip_network("127.0.0.0/8"),))
        turns.crawl_delay("a.test", 0.3)

        async def in_line() -> None:
            async with turns.turn("a.test"):
                await turns.answered("a.test", answer(ip="127.0.0.1"))

        async with turns.turn("a.test"):
            waiting = asyncio.create_task(in_line())
            await asyncio.sleep(0.01)
        assert await spent(turns, "a.test") > 0.25
        await waiting

    with_turns(scenario)


def test_a_crawl_delay_counts_from_the_answer_that_brought_it(with_turns):
    async def scenario(make, _):
        turns = make()
        async with turns.turn("a.test"):
            await turns.answered("a.test", answer())
        turns.crawl_delay("a.test", 0.4)
        assert 0.3 < turns.seconds_until_ready("a.test") <= 0.4
        assert turns.delayed(0.1) == []  # nobody waits for it
        waiting = asyncio.create_task(spent(turns, "a.test"))
        await asyncio.sleep(0.01)
        assert [(each.url, each.crawl_delay_ms) for each in turns.delayed(0.1)] == [("a.test", 400)]
        assert turns.delayed(0.5) == []
        await waiting
        turns.crawl_delay("b.test", 0.4)
        assert turns.seconds_until_ready("b.test") == 0.0, "rules out of a cache cost no wait"
        turns.crawl_delay("a.test", 3600)
        assert turns.seconds_until_ready("a.test") <= 1.0, "there is a cap"

    with_turns(scenario)


@pytest.mark.parametrize(
    ("status", "retry_after", "rest"),
    [
        (429, None, 10),
        (503, None, 10),
        (429, "120", 120),
        (503, "3", 10),
        (500, "70", 70),
        (500, None, 0),
        (200, "70", 0),
    ],
)
def test_a_host_that_is_busy_is_left_alone_as_long_as_it_asks_and_longer(with_turns, status, retry_after, rest):
    async def scenario(make, permits):
        turns = make()
        await turns.answered("a.test", answer(status, retry_after=retry_after))
        assert rest - 1 < turns.seconds_until_ready("a.test") <= rest + 0.2
        told = await permits.take("a.test", batch_id="b-2", now_ms=turns._now_ms())
        assert isinstance(told, NotBefore) == (rest > 0), "all workers know at once"

    with_turns(scenario)


def test_a_host_that_stays_busy_is_left_alone_twice_as_long_each_time_over_batches(with_turns):
    async def scenario(make, permits):
        rests = []
        for number in range(3):
            turns = make(f"b-{number}", strikes=await permits.strikes(["a.test"]))
            await turns.answered("a.test", answer(503))
            rests.append(round(turns.seconds_until_ready("a.test")))
        assert rests == [10, 20, 40]
        turns = make("b-3", strikes=await permits.strikes(["a.test"]))
        await turns.answered("a.test", answer(500))
        assert await permits.strikes(["a.test"]) == {"a.test": 3}, "a fault says nothing of being busy"
        await turns.answered("a.test", answer(404))
        assert await permits.strikes(["a.test"]) == {}

    with_turns(scenario)


def test_inside_an_opened_network_only_what_the_server_asks_for_holds(with_turns):
    async def scenario(make, _):
        turns = make(allowed=(ip_network("127.0.0.0/8"),))
        await turns.answered("a.test", answer(503, ip="127.0.0.1"))
        assert turns.seconds_until_ready("a.test") == 0.0
        await turns.answered("a.test", answer(503, ip="127.0.0.1", retry_after="7"))
        assert 6 < turns.seconds_until_ready("a.test") <= 7

    with_turns(scenario)


def test_who_waits_for_another_hosts_turn_does_so_as_long_as_his_patience_lasts(with_turns):
    async def scenario(make, permits):
        await permits.take("cdn.test", batch_id="b-other", now_ms=make()._now_ms())
        slept: list[float] = []
        turns = make()
        pause = turns.pause

        async def counted(seconds: float) -> None:
            slept.append(max(seconds, 0.0))
            await pause(seconds)

        turns.pause = counted
        with pytest.raises(OutOfTime) as late:
            await spent(turns, "cdn.test", own=False, patience_seconds=0.6)
        assert late.value.host == "cdn.test"
        assert 0.0 < sum(slept) <= 0.6

    with_turns(scenario)


def test_a_turn_beyond_the_end_of_the_batch_is_not_waited_for(with_turns):
    async def scenario(make, _):
        turns = make(seconds=0.3)
        await turns.answered("a.test", answer(503))
        with pytest.raises(OutOfTime):
            await spent(turns, "a.test")
        entered = asyncio.Event()

        async def hold() -> None:
            async with turns.turn("b.test"):
                entered.set()
                await asyncio.sleep(0.6)

        holder = asyncio.create_task(hold())
        await entered.wait()
        with pytest.raises(OutOfTime):
            await spent(turns, "b.test")
        await holder

    with_turns(scenario)


def test_of_many_hosts_on_one_address_two_are_served_at_a_time_over_all_batches(with_turns):
    """And a host at rest counts as served, so that their number does not make up for the pauses."""

    async def scenario(make, permits):
        batches = [make(f"b-{number}", locate=on_one_address) for number in range(2)]
        now: Counter[str] = Counter()
        most = 0
        pair = asyncio.Barrier(2)
        starts: list[float] = []

        async def ask(turns: Turns, host: str) -> None:
            nonlocal most
            async with turns.turn(host):
                starts.append(asyncio.get_running_loop().time())
                now[host] += 1
                most = max(most, now.total())
                await pair.wait()
                await asyncio.sleep(0.01)
                now[host] -= 1
                await turns.answered(host, answer())

        await asyncio.gather(*(ask(batches[n % 2], f"{n}.test") for n in range(8)))
        assert most == 2
        assert max(starts) - min(starts) > 3 * 0.05, "four pairs, with a rest between them"

    with_turns(scenario)


def test_hosts_of_an_opened_network_and_without_a_limit_share_an_address_freely(with_turns):
    async def scenario(make, permits):
        for options in ({"allowed": (ip_network("203.0.113.0/24"),)}, {"address_hosts": 0}):
            turns = make(locate=on_one_address, **options)
            async with turns.turn("a.test"), turns.turn("b.test"), turns.turn("c.test"):
                pass
        assert await permits.guard.client.exists(names.address(PUBLIC)) == 0

    with_turns(scenario)


def test_a_redirect_within_one_address_waits_for_nobody_that_waits_for_it(with_turns):
    """Two hosts hold both slots and then both go on to a third and a fourth of the same address."""

    async def scenario(make, _):
        batches = [make(f"b-{number}", locate=on_one_address) for number in range(2)]

        async def follow(turns: Turns, number: int) -> None:
            for host, own in ((f"{number}.test", True), (f"www.{number}.test", False)):
                async with turns.turn(host, own=own):
                    await turns.answered(host, answer(302 if own else 200))

        await asyncio.wait_for(asyncio.gather(follow(batches[0], 0), follow(batches[1], 1)), 5)

    with_turns(scenario)
