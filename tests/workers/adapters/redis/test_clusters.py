from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import pytest

from schemas.ids import cluster_id
from schemas.records.cluster import ClusterDecision, ClusterMember, EdgeFigures, EdgeVerdict
from workers.adapters.redis.cluster_change import ARGUMENTS
from workers.adapters.redis.clusters import RedisClusters
from workers.adapters.redis.guard import Guard
from workers.dedup.clusters import Edge, partition
from workers.dedup.lineage import Births, decide
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.errors import EpochError, RetryableError
from workers.ports import ClusterChange

AT = "2026-08-22T03:15:00Z"
OnRedis = Callable[[Callable[[Guard], Awaitable[None]]], None]


def text(number: int) -> str:
    return f"{number:064x}"


def snapshot(number: int) -> str:
    return f"snap-{number:012x}-20260822T031500Z-{number:08x}"


def member(number: int) -> ClusterMember:
    return ClusterMember(snapshot_id=snapshot(number), source_id=f"src-{number:016x}", text_sha256=text(number))


def verdict(one: int, other: int, *, confirmed: bool = True) -> EdgeVerdict:
    return EdgeVerdict(
        schema="citevault/edge-verdict@1",
        a=text(one),
        b=text(other),
        confirmed=confirmed,
        rule="overlap" if confirmed else "low-overlap",
        figures=EdgeFigures(shingle_jaccard_ppm=900_000, containment_ppm=950_000),
        params=PIPELINE_PARAMS,
        rules="confirm@1",
    )


def decisions(numbers: Sequence[int], pairs: Sequence[tuple[int, int]] = ()) -> list[ClusterDecision]:
    """Births of the clusters of these texts, as the first segment of an archive logs them."""
    parts = partition(map(text, numbers), [Edge(text(a), text(b), 900_000) for a, b in pairs])
    return decide([], parts, Births({text(number): snapshot(number) for number in numbers}, (), 1), AT)


def change(sequence: int, numbers: Sequence[int], pairs: Sequence[tuple[int, int]] = ()) -> ClusterChange:
    return ClusterChange(
        sequence=sequence,
        name=f"plain@1/segment-{sequence}-{numbers[0]}",
        members=[member(number) for number in numbers],
        verdicts=[verdict(a, b) for a, b in pairs],
        decisions=decisions(numbers, pairs),
    )


async def loaded(state: RedisClusters) -> str:
    """The lock's token, over an empty loaded state."""
    token = await state.hold(30)
    assert token is not None
    assert await state.clear(token)
    assert await state.loaded(token)
    return token


def test_the_lock_has_one_holder(on_redis: OnRedis) -> None:
    async def scenario(guard: Guard) -> None:
        state = RedisClusters(guard, PIPELINE_PARAMS)
        token = await state.hold(30)
        assert token is not None
        assert await state.hold(30) is None
        assert await state.keep(token, 30)
        assert not await state.keep("somebody", 30)
        await state.release("somebody")
        assert await state.hold(30) is None
        await state.release(token)
        assert await state.hold(30) is not None

    on_redis(scenario)


def test_only_the_holder_writes(on_redis: OnRedis) -> None:
    async def scenario(guard: Guard) -> None:
        state = RedisClusters(guard, PIPELINE_PARAMS)
        token = await loaded(state)
        await state.release(token)
        assert not await state.apply(token, change(1, [1, 2]))
        assert not await state.intend(token, "clusters/x")
        assert not await state.clear(token)
        position = await state.position()
        assert position is not None
        assert (position.sequence, position.pending) == (0, "")
        assert [cluster async for cluster in state.all()] == []

    on_redis(scenario)


def test_a_change_is_seen_by_every_look_up(on_redis: OnRedis) -> None:
    async def scenario(guard: Guard) -> None:
        state = RedisClusters(guard, PIPELINE_PARAMS)
        token = await loaded(state)
        assert await state.intend(token, "clusters/x")
        assert await state.apply(token, change(1, [1, 2, 3], [(1, 2)]))
        one = cluster_id(snapshot(1))
        assert await state.cluster_of(text(2)) == one
        assert await state.cluster_of(text(9)) is None
        assert await state.clusters_of_source("src-0000000000000002") == {one}
        assert await state.snapshots_of_text(text(2)) == [member(2)]
        found = await state.members(one)
        assert found is not None
        assert (found.id, found.leader_text_sha256, found.members) == (one, text(1), (member(1), member(2)))
        assert await state.edges(one) == [verdict(1, 2)]
        assert {cluster async for cluster in state.all()} == {one, cluster_id(snapshot(3))}
        assert await state.is_applied("plain@1/segment-1-1")
        assert not await state.is_applied("plain@1/segment-2-1")
        position = await state.position()
        assert position is not None
        assert (position.sequence, position.pending, position.unsettled) == (1, "", frozenset())
        around = await state.neighbourhood([text(2)])
        assert around.witnesses == {text(1): snapshot(1), text(2): snapshot(2)}
        assert around.edges == {(text(1), text(2)): 900_000}
        assert around.clusters == {one: (0, text(1))}
        assert await state.taken([one, "cl-0000000000000000"]) == {one}

    on_redis(scenario)


def test_a_refused_verdict_takes_an_earlier_edge_back(on_redis: OnRedis) -> None:
    async def scenario(guard: Guard) -> None:
        state = RedisClusters(guard, PIPELINE_PARAMS)
        token = await loaded(state)
        await state.apply(token, change(1, [1, 2], [(1, 2)]))
        again = ClusterChange(2, "segment-2", [], [verdict(1, 2, confirmed=False)], [])
        assert await state.apply(token, again)
        around = await state.neighbourhood([text(1)])
        assert around.edges == {}
        assert set(around.witnesses) == {text(1), text(2)}  # they still share a cluster, until it is decided anew

    on_redis(scenario)


def test_an_object_written_without_knowledge_of_another_is_left_unsettled(on_redis: OnRedis) -> None:
    """Its texts and edges count; what it decided does not, since that was decided over another state."""

    async def scenario(guard: Guard) -> None:
        state = RedisClusters(guard, PIPELINE_PARAMS)
        token = await loaded(state)
        assert await state.apply(token, change(1, [1, 2], [(1, 2)]))
        assert await state.apply(token, change(1, [2, 3], [(2, 3)]))
        assert await state.cluster_of(text(3)) is None
        position = await state.position()
        assert position is not None
        assert (position.sequence, position.unsettled) == (1, frozenset({text(2), text(3)}))
        around = await state.neighbourhood(position.unsettled)
        assert set(around.edges) == {(text(1), text(2)), (text(2), text(3))}
        assert await state.apply(token, change(2, [7]))
        position = await state.position()
        assert position is not None
        assert position.unsettled == frozenset()

    on_redis(scenario)


def test_a_gap_in_the_log_leaves_what_follows_it_unsettled(on_redis: OnRedis) -> None:
    async def scenario(guard: Guard) -> None:
        state = RedisClusters(guard, PIPELINE_PARAMS)
        token = await loaded(state)
        assert await state.apply(token, change(5, [1]))
        position = await state.position()
        assert position is not None
        assert (position.sequence, position.unsettled) == (5, frozenset({text(1)}))
        assert await state.cluster_of(text(1)) == cluster_id(snapshot(1))

    on_redis(scenario)


def test_a_cluster_larger_than_one_command_is_kept_whole(on_redis: OnRedis) -> None:
    count = 3 * ARGUMENTS + 7

    async def scenario(guard: Guard) -> None:
        state = RedisClusters(guard, PIPELINE_PARAMS)
        token = await loaded(state)
        star = [(0, other) for other in range(1, count)]
        assert await state.apply(token, change(1, range(count), star))
        found = await state.members(cluster_id(snapshot(0)))
        assert found is not None
        assert len(found.members) == count
        assert len(await state.edges(found.id)) == count - 1
        assert len((await state.neighbourhood([text(5)])).edges) == count - 1
        assert await state.clear(token)
        assert await state.loaded(token)
        assert [cluster async for cluster in state.all()] == []

    on_redis(scenario)


def test_a_state_that_is_not_loaded_refuses_to_be_read(on_redis: OnRedis) -> None:
    async def scenario(guard: Guard) -> None:
        state = RedisClusters(guard, PIPELINE_PARAMS)
        assert await state.position() is None
        reads: list[Callable[[], Awaitable[object]]] = [
            lambda: state.cluster_of(text(1)),
            lambda: state.clusters_of_source("src-0000000000000001"),
            lambda: state.members("cl-0000000000000000"),
            lambda: state.edges("cl-0000000000000000"),
            lambda: state.snapshots_of_text(text(1)),
            lambda: anext(state.all()),
        ]
        for read in reads:
            with pytest.raises(RetryableError, match="not loaded"):
                await read()
        token = await state.hold(30)
        assert token is not None
        with pytest.raises(RetryableError, match="not loaded"):
            await state.apply(token, change(1, [1]))
        await guard.client.flushall()
        with pytest.raises(EpochError):
            await state.cluster_of(text(1))
        with pytest.raises(EpochError):
            await state.hold(30)

    on_redis(scenario)
