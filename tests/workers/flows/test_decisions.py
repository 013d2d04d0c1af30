"""The decision log over a real store, and what it means."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.decision import Decision, DecisionContent, DissolveGroup, EdgeName, GroupSources, SetAside
from workers.adapters.directory import DirectoryObjectStore
from workers.errors import CorruptError
from workers.flows.decisions import append_decision, arbitrations_of, manual_groups, read_decisions

A, B, C = (f"src-{letter * 16}" for letter in "abc")
NOW = "2026-11-29T12:00:00Z"
WHY = "They carry one press release."
SNAPSHOT = "snap-000000000000-20260822T031500Z-00000000"


@pytest.fixture
def on_store(tmp_path: Path) -> Callable[[Callable[[DirectoryObjectStore], Awaitable[None]]], None]:
    def run(scenario: Callable[[DirectoryObjectStore], Awaitable[None]]) -> None:
        store = DirectoryObjectStore(tmp_path)
        try:
            asyncio.run(scenario(store))  # type: ignore[arg-type]
        finally:
            store.close()

    return run


def log_of(*decisions: DecisionContent) -> list[Decision]:
    return [
        Decision(
            schema="citevault/decision@1", sequence=number, at=NOW, by=f"person {number}", why=WHY, decision=decision
        )
        for number, decision in enumerate(decisions, 1)
    ]


def group(name: str, *sources: str) -> GroupSources:
    return GroupSources(name=name, source_ids=sources)


def test_entries_are_numbered_and_kept_as_they_were(on_store):
    async def scenario(store):
        assert await read_decisions(store) == ()
        first = await append_decision(store, group("wire", A, B), by="Ada", why=WHY, now=NOW)
        second = await append_decision(store, DissolveGroup(name="wire"), by="Bo", why=WHY, now=NOW)
        assert (first.sequence, second.sequence) == (1, 2)
        assert await read_decisions(store) == (first, second)
        assert await read_decisions(store, (first,)) == (first, second)

    on_store(scenario)


def test_a_long_log_is_read_some_at_a_time_and_again_by_one_request(on_store, monkeypatch):
    running: list[int] = [0]
    asked: list[str] = []
    get = DirectoryObjectStore.get

    async def counted(store, key, **more):
        asked.append(key)
        running[0] += 1
        try:
            await asyncio.sleep(0.01)
            most.append(running[0])
            return await get(store, key, **more)
        finally:
            running[0] -= 1

    most: list[int] = []

    async def scenario(store):
        for entry in log_of(*[group(f"wire-{number}", A, B) for number in range(40)]):
            await store.put(keys.decision(entry.sequence), canonical_bytes(entry))
        monkeypatch.setattr(DirectoryObjectStore, "get", counted)
        log = await read_decisions(store)
        assert [entry.sequence for entry in log] == list(range(1, 41))
        assert max(most) > 4
        asked.clear()
        assert await read_decisions(store, log) == log
        assert asked == [keys.decision(41)]
        assert await read_decisions(store, log[:38]) == log

    on_store(scenario)


def test_a_log_that_lacks_an_entry_is_not_read(on_store):
    """What comes behind a gap was never decided in this order: nobody acts on it, nor on the rest alone."""

    async def scenario(store):
        log = log_of(*[group(f"wire-{number}", A, B) for number in range(5)])
        for entry in (*log[:2], *log[3:]):
            await store.put(keys.decision(entry.sequence), canonical_bytes(entry))
        with pytest.raises(CorruptError, match="is gone"):
            await read_decisions(store)

    on_store(scenario)


def test_writers_at_the_same_time_each_get_a_number_of_their_own(on_store):
    async def scenario(store):
        await asyncio.gather(
            *(
                append_decision(store, group(f"g{number}", A), by=f"person {number}", why=WHY, now=NOW)
                for number in range(8)
            )
        )
        log = await read_decisions(store)
        assert [entry.sequence for entry in log] == list(range(1, 9))
        assert len({entry.by for entry in log}) == 8

    on_store(scenario)


@pytest.mark.parametrize(("by", "why"), [("", WHY), ("Ada", "because")])
def test_a_decision_says_who_and_why(on_store, by: str, why: str):
    """R070."""

    async def scenario(store):
        with pytest.raises(ValueError):
            await append_decision(store, group("wire", A), by=by, why=why, now=NOW)
        assert await read_decisions(store) == ()

    on_store(scenario)


def test_an_entry_under_a_wrong_number_is_corrupt(on_store):
    async def scenario(store):
        await append_decision(store, group("wire", A), by="Ada", why=WHY, now=NOW)
        await store.put(keys.decision(2), await store.get(keys.decision(1)))
        with pytest.raises(CorruptError, match="number 1"):
            await read_decisions(store)

    on_store(scenario)


def members(log: list[Decision]) -> dict[str, tuple[str, ...]]:
    return {found.name: found.source_ids for found in manual_groups(log)}


@pytest.mark.parametrize(
    ("decisions", "groups"),
    [
        ([], {}),
        ([group("wire", B, A)], {"wire": (A, B)}),
        ([group("wire", A, B), group("wire", A)], {"wire": (A,)}),
        ([group("wire", A, B), group("own", B)], {"own": (B,), "wire": (A,)}),
        ([group("wire", A), group("team", A)], {"team": (A,)}),
        ([group("wire", A, B), DissolveGroup(name="wire")], {}),
        ([group("wire", A), DissolveGroup(name="wire"), group("wire", C)], {"wire": (C,)}),
        ([DissolveGroup(name="never")], {}),
    ],
)
def test_what_was_said_last_of_a_source_stands(decisions: list[DecisionContent], groups: dict[str, tuple[str, ...]]):
    """X34: every override is logged, and none of them leaves a source in two groups."""
    assert members(log_of(*decisions)) == groups


def test_a_group_names_who_made_it_what_it_is():
    (found,) = manual_groups(log_of(group("wire", A), group("team", B), group("wire", A, C)))[1:]
    assert (found.name, found.by, found.at, found.why) == ("wire", "person 3", NOW, WHY)


def test_an_arbitration_speaks_of_one_wording_of_one_claim_and_of_evidence_that_is_there():
    """X14."""
    decision = SetAside(
        report="report",
        claim_id="c-001",
        claim_sha256="1" * 64,
        evidence=(EdgeName(snapshot_id=SNAPSHOT, quote_sha256="2" * 64),),
    )
    log = log_of(group("wire", A), decision)
    claims, edges = [("c-001", "1" * 64)], [("c-001", (SNAPSHOT, "2" * 64), "ev-004")]
    (found,) = arbitrations_of(log, "report", claims, edges)
    assert (found.id, found.evidence_ids, found.by) == ("decision-2", ("ev-004",), "person 2")
    assert arbitrations_of(log, "other", claims, edges) == ()
    assert arbitrations_of(log, "report", [("c-001", "3" * 64)], edges) == ()
    assert arbitrations_of(log, "report", claims, [("c-002", (SNAPSHOT, "2" * 64), "ev-004")]) == ()
    assert arbitrations_of(log, "report", claims, [("c-001", (SNAPSHOT, "4" * 64), "ev-004")]) == ()


def test_who_is_left_of_a_larger_group_was_not_set_apart():
    """X34: only an explicit split separates."""
    left, alone = manual_groups(log_of(group("wire", A, B), group("wire/b", B)))
    assert (left.source_ids, left.is_rest, left.sets_apart) == ((A,), True, False)
    assert (alone.source_ids, alone.is_rest, alone.sets_apart) == ((B,), False, True)
