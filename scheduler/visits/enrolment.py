"""Schedules as people make, change and end them: shard by shard, some at a time."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal, TypeVar

from scheduler.cadence.changing import new_schedule, with_terms
from scheduler.visits.queueing import due_at
from scheduler.visits.shards import Shard, change_shard, shard_of
from schemas.ids import schedule_id
from schemas.records.job import JobOptions, Seed
from schemas.records.schedule import Cadence, Schedule
from workers.ports import Catalog, DueAt, DueQueue, ObjectStore

CHUNK: Final = 200_000
"""Pages in memory at a time, some 60 MB: each chunk writes each shard once."""
AT_ONCE: Final = 16
T = TypeVar("T")
Fate = Literal["added", "changed", "unchanged", "missing"]
Told = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Terms:
    """What is asked for."""

    collection: str
    cadence: Cadence
    options: JobOptions
    cited: bool


@dataclass(slots=True)
class Enrolled:
    """What became of each schedule that was named."""

    fates: Counter[Fate] = field(default_factory=Counter)
    missing: list[str] = field(default_factory=list)


async def enrol(
    seeds: Iterable[Seed],
    terms: Terms,
    *,
    store: ObjectStore,
    catalog: Catalog,
    due: DueQueue,
    now: str,
    told: Told = lambda _: None,
) -> Enrolled:
    """Schedule these pages, or put those that are scheduled under these terms. `told` hears how many are done."""
    enrolled = Enrolled()
    for chunk in _chunks(seeds, CHUNK):
        pages = {schedule_id(terms.collection, seed.normalized_url): seed for seed in chunk}
        captured = await _captured_at(pages, catalog)

        def edit(
            schedule: Schedule | None,
            name: str,
            pages: dict[str, Seed] = pages,
            captured: dict[str, str] = captured,
        ) -> Schedule:
            if schedule is not None:
                return with_terms(schedule, cadence=terms.cadence, options=terms.options, cited=terms.cited)
            return new_schedule(
                name,
                collection=terms.collection,
                requested_url=pages[name].requested_url,
                normalized_url=pages[name].normalized_url,
                options=terms.options,
                cadence=terms.cadence,
                cited=terms.cited,
                captured_at=captured.get(name),
                now=now,
            )

        await change_each(list(pages), edit, enrolled, store=store, due=due, told=told)
    return enrolled


async def change_each(
    names: Sequence[str],
    edit: Callable[[Schedule | None, str], Schedule | None],
    enrolled: Enrolled,
    *,
    store: ObjectStore,
    due: DueQueue,
    told: Told = lambda _: None,
) -> None:
    """Change schedules by their ids; `edit` answers what stands from now on, None: nothing."""
    by_shard: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(names):
        by_shard[shard_of(name)].append(name)
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(shard: str, within: Sequence[str]) -> None:
        async with slots:
            fates, standing = await _change(store, shard, within, edit)
        for name, fate in fates.items():
            enrolled.fates[fate] += 1
            if fate == "missing":
                enrolled.missing.append(name)
        waiting = [name for name in within if (found := standing.get(name)) is not None and found.paused_at is None]
        await due.drop([name for name in within if name not in waiting])
        await due.put([_entry(standing[name]) for name in waiting])
        told(sum(enrolled.fates.values()))

    for group in _chunks(sorted(by_shard.items()), AT_ONCE * 8):
        await asyncio.gather(*(one(*each) for each in group))


async def _change(
    store: ObjectStore, shard: str, names: Sequence[str], edit: Callable[[Schedule | None, str], Schedule | None]
) -> tuple[dict[str, Fate], dict[str, Schedule | None]]:
    fates: dict[str, Fate] = {}
    standing: dict[str, Schedule | None] = {}

    def edit_shard(fresh: Shard) -> bool:
        changed = False
        for name in names:
            known = fresh.get(name)
            following = standing[name] = edit(known, name)
            fates[name] = _fate(known, following)
            if following is None:
                fresh.lines.pop(name, None)
            elif following != known:
                fresh.put(following)
            changed = changed or fates[name] in ("added", "changed")
        return changed

    await change_shard(store, shard, edit_shard)
    return fates, standing


def _fate(known: Schedule | None, following: Schedule | None) -> Fate:
    if known is None:
        return "missing" if following is None else "added"
    return "unchanged" if following == known else "changed"


def _entry(schedule: Schedule | None) -> DueAt:
    if schedule is None:
        raise ValueError("only schedules that stand have an entry")
    return due_at(schedule)


async def _captured_at(pages: dict[str, Seed], catalog: Catalog) -> dict[str, str]:
    """When each page was last captured, in any collection, from the names of its snapshots."""
    found: dict[str, str] = {}

    async def one(name: str, url: str) -> None:
        newest = next(iter(await catalog.snapshots_of(url)), None)
        if newest is not None:
            stamp = newest.split("-")[2]
            found[name] = f"{stamp[0:4]}-{stamp[4:6]}-{stamp[6:8]}T{stamp[9:11]}:{stamp[11:13]}:{stamp[13:15]}.000000Z"

    for group in _chunks(pages.items(), AT_ONCE):
        await asyncio.gather(*(one(name, str(seed.normalized_url)) for name, seed in group))
    return found


def _chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
