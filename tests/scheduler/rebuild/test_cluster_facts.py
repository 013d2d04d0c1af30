"""What the log says of clusters, noted without Redis, is what following the log makes of Redis, whatever the log."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduler.rebuild.cluster_facts import ClusterFacts
from scheduler.rebuild.comparison import Said, differences
from schemas.records.cluster import ClusterMember, EdgeFigures, EdgeVerdict
from workers.adapters.redis.audit import RedisAudit
from workers.adapters.redis.client import connect
from workers.adapters.redis.clusters import RedisClusters
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.flows.cluster_deciding import decisions_on
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.ports import ClusterChange

Pair = tuple[int, int, bool]
numbers = st.integers(0, 7)
segments = st.lists(
    st.tuples(st.lists(numbers, max_size=4), st.lists(st.tuples(numbers, numbers, st.booleans()), max_size=5)),
    min_size=1,
    max_size=7,
)


def member(number: int, minute: int) -> ClusterMember:
    return ClusterMember(
        snapshot_id=f"snap-{number:012x}-20260822T03{59 - minute:02d}00Z-{minute:08x}",
        source_id=f"src-{number % 3:016x}",
        text_sha256=f"{number:064x}",
    )


def verdict(one: int, other: int, confirmed: bool) -> EdgeVerdict:
    a, b = sorted((f"{one:064x}", f"{other:064x}"))
    return EdgeVerdict(
        schema="citevault/edge-verdict@1", a=a, b=b, confirmed=confirmed, rule="overlap",
        figures=EdgeFigures(shingle_jaccard_ppm=800_000 + one, containment_ppm=950_000),
        params=PIPELINE_PARAMS, rules="confirm@1",
    )  # fmt: skip


async def follow(state: RedisClusters, facts: ClusterFacts, brought: Sequence[tuple[list[int], list[Pair]]]) -> None:
    """Segment after segment as workers cluster them; each third one is written without knowledge of the one before."""
    token = await state.hold(30)
    assert token is not None
    assert await state.clear(token)
    assert await state.loaded(token)
    seen: set[int] = set()
    for place, (texts, pairs) in enumerate(brought):
        seen |= set(texts)
        members = [member(number, place) for number in sorted(set(texts))]
        verdicts = [verdict(a, b, confirmed) for a, b, confirmed in pairs if a != b and {a, b} <= seen]
        position = await state.position()
        assert position is not None
        known = await state.witnesses([each.text_sha256 for each in members])
        sequence = max(1, position.sequence + (place % 3 != 2))
        change = ClusterChange(sequence, f"plain@1/segment-{place}", members, verdicts, ())
        fresh = {each.text_sha256: each.snapshot_id for each in members if each.text_sha256 not in known}
        decided = await decisions_on(
            state, verdicts, fresh, position.unsettled, sequence=sequence, at="2026-08-22T03:15:00Z"
        )
        change = replace(change, decisions=decided)
        assert await state.apply(token, change)
        facts.follow(change)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(segments)
def test_facts_and_state_agree_on_any_log(redis_url, brought):
    async def scenario() -> list[str]:
        client = connect(redis_url)
        try:
            await client.flushall()
            await client.set(names.EPOCH, "1")
            guard = Guard(client, Epoch(number=1))
            facts = ClusterFacts(PIPELINE_PARAMS)
            await follow(RedisClusters(guard, PIPELINE_PARAMS), facts, brought)
            return await differences(Said(clusters=facts), [], RedisAudit(guard), RedisLedger(guard))
        finally:
            await client.aclose()

    assert asyncio.run(scenario()) == []
