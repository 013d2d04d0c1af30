"""When a batch that comes back is sent, given back, taken apart, or its URL parked."""

from __future__ import annotations

import asyncio

import pytest

from scheduler.release import Releaser
from scheduler.suspicion import Deaths, Step, decide
from schemas.records.job import Lane
from workers.errors import CorruptError
from workers.ports import Batch, QueuedUrl


def batch(urls: int, fruitless: int, *, name: str = "b-1", stopped: bool = False) -> Batch:
    queued = tuple(QueuedUrl(f"https://a.test/{n}", f"https://a.test/{n}", "a.test") for n in range(urls))
    return Batch(name, "job-1", Lane.BULK, queued, fruitless=fruitless, stopped=stopped)


@pytest.mark.parametrize(
    ("urls", "fruitless", "step"),
    [(5, 0, "send"), (5, 2, "send"), (5, 3, "take apart"), (5, 9, "take apart"), (1, 2, "send"), (1, 3, "park")],
)
def test_it_is_sent_until_as_many_workers_died_in_a_row(urls: int, fruitless: int, step: str):
    assert decide(batch(urls, fruitless), deliveries=3) == step


def test_a_stopped_job_gets_its_urls_back_and_nothing_is_parked():
    assert decide(batch(1, 9, stopped=True)) == "give back"


@pytest.mark.parametrize(
    ("urls", "fruitless", "step"),
    [(5, 3, "take apart"), (1, 3, "send"), (1, 8, "send"), (1, 9, "park"), (1, 20, "park")],
)
def test_a_url_is_suspected_later_where_workers_die_of_others_too(urls: int, fruitless: int, step: str):
    assert decide(batch(urls, fruitless), deliveries=3, elsewhere=True) == step


def test_a_death_speaks_against_suspecting_others_for_as_long_as_three_leases():
    deaths, alone, other = Deaths(span_ms=18_000), batch(1, 3), batch(7, 1, name="b-2")
    deaths.note([], 0)
    deaths.note([alone, other], 20_000)
    assert deaths.elsewhere(alone, 20_000)
    assert deaths.elsewhere(other, 20_000)
    deaths.note([alone], 38_000)
    assert deaths.elsewhere(alone, 38_000)
    deaths.note([alone], 38_001)
    assert not deaths.elsewhere(alone, 38_001)
    assert deaths.elsewhere(other, 38_001)


def test_what_came_back_of_a_paused_job_or_was_never_begun_is_no_death():
    deaths = Deaths(span_ms=1000)
    deaths.note([], 0)
    deaths.note([batch(1, 2, name="b-2", stopped=True), batch(1, 0, name="b-3")], 5000)
    assert not deaths.elsewhere(batch(1, 3), 5000)


def test_a_scheduler_that_has_just_begun_suspects_no_url_before_it_has_seen_enough():
    deaths = Deaths(span_ms=1000)
    deaths.note([], 5000)
    assert deaths.elsewhere(batch(1, 3), 5999)
    assert not deaths.elsewhere(batch(1, 3), 6000)


class Back:
    """A frontier of which these batches come back."""

    def __init__(self, *batches: Batch) -> None:
        self.batches = batches

    async def reclaim(self, *, now_ms: int) -> tuple[Batch, ...]:
        return self.batches


def test_a_batch_that_cannot_be_ended_keeps_no_other_from_it_and_is_told():
    ended = []

    async def close(each: Batch, step: Step) -> tuple[Batch, ...]:
        if each.batch_id == "b-1":
            raise CorruptError("a stored document cannot be read", where="commits/job-1/b-1-0000.json")
        ended.append((each.batch_id, step))
        return ()

    back = Back(batch(5, 3, name="b-1"), batch(5, 3, name="b-2"))
    releaser = Releaser(back, None, lambda: 1, close=close)  # type: ignore[arg-type]

    with pytest.raises(CorruptError, match="b-1-0000"):
        asyncio.run(releaser.reclaim(0))
    assert ended == [("b-2", "take apart")]
