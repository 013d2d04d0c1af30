"""Schedules in the store: nobody's change is lost, and what is damaged keeps nobody from the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from scheduler.cadence.changing import new_schedule, paused
from scheduler.visits.planning import look
from scheduler.visits.queueing import queue_all
from scheduler.visits.rounds import Rounds, close_round, closed, create_round, read_position, read_rounds
from scheduler.visits.setting_aside import SetAside, damaged_shards, set_aside
from scheduler.visits.shards import DamagedShard, Shard, change_shard, read_shard, shard_of
from schemas import keys
from schemas.ids import schedule_id
from schemas.records.job import JobOptions
from schemas.records.schedule import Every, PlannedVisit, Schedule, VisitPosition, VisitRound
from workers.adapters.directory import DirectoryObjectStore
from workers.errors import CorruptError
from workers.packed import pack, unpack
from workers.ports import DueAt, ObjectStore

NOW = "2026-11-30T12:00:00.000000Z"


def schedule(url: str) -> Schedule:
    return new_schedule(
        schedule_id("default", url),
        collection="default",
        requested_url=url,
        normalized_url=url,
        options=JobOptions(),
        cadence=Every(every_seconds=86_400),
        cited=False,
        captured_at=None,
        now=NOW,
    )


def of_one_shard(count: int) -> list[Schedule]:
    found: dict[str, list[Schedule]] = {}
    number = 0
    while True:
        each = schedule(f'https://a.test/,"id":"sch-0000000000000000"/{number}')
        found.setdefault(shard_of(each.id), []).append(each)
        if len(found[shard_of(each.id)]) == count:
            return found[shard_of(each.id)]
        number += 1


def adding(each: Schedule) -> Callable[[Shard], bool]:
    def edit(shard: Shard) -> bool:
        shard.put(each)
        return True

    return edit


def planned(sequence: int) -> VisitRound:
    each = schedule("https://a.test/")
    visit = PlannedVisit(
        schedule_id=each.id,
        created_at=NOW,
        period=0,
        due_at=NOW,
        missed=0,
        requested_url=each.requested_url,
        normalized_url=each.normalized_url,
    )
    return VisitRound(
        schema="citevault/visit-round@1",
        sequence=sequence,
        job_id="job-01ARZ3NDEKTSV4RRFFQ69G5FAV",
        planned_at=NOW,
        collection="default",
        options=JobOptions(),
        visits=(visit,),
        planned_today=sequence,
    )


class Queue:
    """Notes what is put."""

    def __init__(self) -> None:
        self.entries: list[DueAt] = []

    async def put(self, entries: list[DueAt]) -> None:
        self.entries += entries


def test_many_writers_of_one_shard_lose_none_of_their_lines(tmp_path: Path):
    schedules = of_one_shard(6)
    name = shard_of(schedules[0].id)

    async def scenario() -> Shard:
        store = DirectoryObjectStore(tmp_path)
        await asyncio.gather(*(change_shard(store, name, adding(each)) for each in schedules))
        assert not await change_shard(store, name, lambda _: False)
        return await read_shard(store, name)

    shard = asyncio.run(scenario())
    assert list(shard.all()) == sorted(schedules, key=lambda each: each.id)
    assert [shard.get(each.id) for each in schedules] == schedules
    assert shard.get("sch-0000000000000000") is None, "an address that looks like an id is none"


@pytest.mark.real
def test_a_shard_is_changed_with_if_match(object_store: ObjectStore):
    schedules = of_one_shard(3)
    name = shard_of(schedules[0].id)

    async def scenario() -> Shard:
        await asyncio.gather(*(change_shard(object_store, name, adding(each)) for each in schedules))
        return await read_shard(object_store, name)

    assert list(asyncio.run(scenario()).all()) == sorted(schedules, key=lambda each: each.id)


@pytest.mark.parametrize("damage", [b"no gzip", pack([b'{"no":"id"}']), pack([b'{"id":"sch-0000000000000000"}'])])
def test_a_damaged_shard_keeps_nobody_from_the_others(tmp_path: Path, damage: bytes):
    good, bad = schedule("https://a.test/1"), schedule("https://a.test/2")
    told: list[str] = []

    async def park(key: str, error: Exception) -> None:
        told.append(key)

    async def scenario():
        store, queue = DirectoryObjectStore(tmp_path), Queue()
        await change_shard(store, shard_of(good.id), adding(good))
        await store.put(keys.schedules("000"), damage)
        queued = await queue_all(store, queue, park=park)  # type: ignore[arg-type]  # only `put` is asked for
        entries = [DueAt("sch-0000000000000000", 0), DueAt(good.id, 0), DueAt(bad.id, 0)]
        return queued, queue, await look(entries, store=store, now_ms=2_000_000_000_000, stretch_ppm=1_000_000)

    queued, queue, looked = asyncio.run(scenario())
    assert told == [keys.schedules("000")]
    assert [entry.schedule_id for entry in queue.entries] == [good.id]
    assert queued.schedules == 1
    assert list(looked.visits) == [good.id]
    assert looked.gone == [bad.id], "there is no such schedule"
    assert [entry.schedule_id for entry in looked.later] == ["sch-0000000000000000"]
    assert len(looked.damaged) == 1
    assert isinstance(looked.damaged[0], CorruptError)


@pytest.mark.parametrize(
    ("damage", "kept"),
    [
        (lambda whole, _: whole[:-30], 7),
        (lambda whole, _: whole[: len(whole) // 2], 0),
        (lambda _, lines: pack([lines[0], b"torn", *lines[1:]]), 8),
        (lambda *_: b"", 0),
    ],
    ids=["its end is missing", "half of it is missing", "a line is none", "it is empty"],
)
def test_what_can_be_read_of_a_damaged_shard_goes_on_and_its_bytes_are_kept(tmp_path: Path, damage, kept: int):
    schedules = of_one_shard(8)
    name = shard_of(schedules[0].id)

    async def scenario() -> tuple[SetAside, bool, Shard, list[DamagedShard]]:
        store = DirectoryObjectStore(tmp_path)
        for each in schedules:
            await change_shard(store, name, adding(each))
        whole = await store.get(keys.schedules(name))
        damaged = damage(whole, unpack(whole, name))
        await store.put(keys.schedules(name), damaged)
        (found,) = await damaged_shards(store)
        done = await set_aside(store, found)
        same = await store.get(done.aside) == damaged
        return done, same, await read_shard(store, name), await damaged_shards(store)

    done, same, shard, left = asyncio.run(scenario())
    assert same, "byte for byte"
    assert (done.kept >= kept, len(shard.lines), left) == (True, done.kept, [])
    assert all(each in schedules for each in shard.all())


def test_paused_schedules_are_not_queued_and_those_on_their_way_are_left_out(tmp_path: Path):
    one, other, away = (schedule(f"https://a.test/{number}") for number in range(3))

    async def park(key: str, error: Exception) -> None:
        raise AssertionError(key)

    async def scenario():
        store, queue = DirectoryObjectStore(tmp_path), Queue()
        for each in (one, paused(other, now=NOW), away):
            await change_shard(store, shard_of(each.id), adding(each))
        return await queue_all(store, queue, park=park, but={away.id}), queue  # type: ignore[arg-type]

    queued, queue = asyncio.run(scenario())
    assert [entry.schedule_id for entry in queue.entries] == [one.id]
    assert (queued.schedules, queued.paused, queued.demand.fixed_ppm) == (3, 1, 2_000_000)


def test_rounds_are_numbered_once_and_open_until_they_are_closed(tmp_path: Path):
    async def scenario():
        store = DirectoryObjectStore(tmp_path)
        empty = await read_rounds(store)
        first = planned(1)
        made = [await create_round(store, first), await create_round(store, first)]
        other = await create_round(store, first.model_copy(update={"planned_today": 7}))
        for number in (2, 3):
            await create_round(store, planned(number))
        for number in (2, 2):
            await close_round(store, number)
        middle = await read_rounds(store), await read_position(store)
        for number in (1, 3):
            await close_round(store, number)
        return empty, made, other, middle, await read_rounds(store)

    empty, made, other, (middle, position), last = asyncio.run(scenario())
    assert (empty.open, empty.following, empty.newest) == ({}, 1, None)
    assert (made, other) == ([True, True], False)
    assert (list(middle.open), middle.following, position.first_open, position.closed) == ([1, 3], 4, 1, (2,))
    assert (last.open, last.following, last.newest) == ({}, 4, planned(3))


def test_a_damaged_round_or_position_costs_only_itself(tmp_path: Path):
    async def scenario() -> tuple[Rounds, Rounds, Rounds]:
        store = DirectoryObjectStore(tmp_path)
        for sequence in range(1, 4):
            assert await create_round(store, planned(sequence))
        await close_round(store, 1)
        good = await store.get(keys.visit_round(2))
        await store.put(keys.visit_round(2), b"{")
        without_a_round = await read_rounds(store)
        await store.put(keys.VISIT_POSITION, b"{")
        without_a_position = await read_rounds(store)
        await close_round(store, 1)
        await store.put(keys.visit_round(2), good)
        return without_a_round, without_a_position, await read_rounds(store)

    without_a_round, without_a_position, restored = asyncio.run(scenario())
    assert (sorted(without_a_round.open), without_a_round.following) == ([3], 4)
    assert [error.where.strip() for error in without_a_round.damaged] == [keys.visit_round(2)]
    assert (sorted(without_a_position.open), without_a_position.following) == ([1, 3], 4)
    assert len(without_a_position.damaged) == 2
    assert (sorted(restored.open), restored.damaged) == ([2, 3], ())


def test_closing_without_a_gap_leaves_no_list():
    position = VisitPosition(schema="citevault/visit-position@1", first_open=1)
    for number in (3, 1, 2, 5, 4):
        position = closed(position, number)
    assert (position.first_open, position.closed) == (6, ())
