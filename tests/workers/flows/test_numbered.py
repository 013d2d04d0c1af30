"""An entry that is gone from the middle of a numbered log is told, and its number is never given again."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from schemas import keys
from schemas.records.decision import GroupSources
from workers.adapters.directory import DirectoryObjectStore
from workers.errors import CorruptError
from workers.flows.compact.log import compactions_after
from workers.flows.decisions import append_decision, append_to_damaged, read_decisions
from workers.flows.numbered import gap, highest, is_end, is_end_nearby
from workers.flows.numbers import NumberLedger
from workers.flows.publish import sync
from workers.publish.index import LogIndex

NOW = "2026-11-30T12:00:00Z"
GROUP = GroupSources(name="one-owner", source_ids=("src-0123456789abcdef", "src-0123456789abcde0"))


def run_with_numbers(tmp_path: Path, key_of, *numbers: int):
    store = DirectoryObjectStore(tmp_path)

    async def put() -> None:
        for number in numbers:
            await store.put(key_of(number), b"{}")

    asyncio.run(put())
    return store


@pytest.mark.parametrize("last", [0, 2])
def test_a_hole_is_no_end(tmp_path: Path, last: int) -> None:
    store = run_with_numbers(tmp_path, keys.decision, *range(1, last + 1), last + 2)

    for asked in (is_end(store, keys.DECISIONS, last, keys.decision), is_end_nearby(store, last, keys.decision)):
        with pytest.raises(CorruptError, match="is gone"):
            asyncio.run(asked)


def test_the_end_is_the_end_and_what_came_meanwhile_is_read(tmp_path: Path) -> None:
    store = run_with_numbers(tmp_path, keys.decision, 1, 2, 3)

    assert asyncio.run(is_end(store, keys.DECISIONS, 3, keys.decision))
    assert asyncio.run(is_end_nearby(store, 3, keys.decision))
    assert not asyncio.run(is_end(store, keys.DECISIONS, 2, keys.decision))
    assert not asyncio.run(is_end_nearby(store, 1, keys.decision))


def test_other_objects_below_the_prefix_are_no_entries() -> None:
    listed = [keys.manifest_head(1), keys.manifest_leaves(9, "0" * 64), "manifests/٣.json", "manifests/12.json"]

    assert highest(listed, keys.manifest_head) == 1
    assert gap(listed, keys.manifest_head) is None
    assert gap([keys.manifest_head(2), *listed, keys.manifest_head(4)], keys.manifest_head) == keys.manifest_head(3)


def test_no_head_is_signed_in_the_place_of_one_that_is_gone(tmp_path: Path) -> None:
    store = run_with_numbers(tmp_path, keys.manifest_head, 2, 3)

    with pytest.raises(CorruptError, match="is gone"):
        asyncio.run(sync(store, LogIndex()))


def test_no_compaction_is_read_or_made_behind_a_hole(tmp_path: Path) -> None:
    """What later entries name would be garbage to who takes the hole for the end."""
    store = run_with_numbers(tmp_path, keys.compaction, 2)

    async def read() -> list[object]:
        return [entry async for entry in compactions_after(store)]

    with pytest.raises(CorruptError, match="is gone"):
        asyncio.run(read())


def test_no_number_of_a_report_is_given_again(tmp_path: Path) -> None:
    store = run_with_numbers(tmp_path, partial(keys.numbers, "rep"), 2)

    with pytest.raises(CorruptError, match="is gone"):
        asyncio.run(NumberLedger(store, "rep", "citation-url@1").refresh())


def test_decisions_are_not_read_without_one_but_can_be_added_to_in_need(tmp_path: Path) -> None:
    store = DirectoryObjectStore(tmp_path)

    async def scenario():
        add = partial(append_decision, store, GROUP, by="ann", why="they have one owner", now=NOW)
        first, _, third = await add(), await add(), await add()
        await store.delete(keys.decision(2))
        found = []
        for known in ((), (first,)):
            try:
                await read_decisions(store, known)
            except CorruptError as error:
                found.append(error.where)
        entry = await append_to_damaged(store, GROUP, by="ann", why="they have one owner", now=NOW)
        return found, third.sequence, entry.sequence

    found, third, added = asyncio.run(scenario())
    assert found == [keys.decision(2)] * 2
    assert (third, added) == (3, 4)
