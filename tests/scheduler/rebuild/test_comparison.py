"""In the end Redis is read back: it says what the objects say, or what is other is told by its name."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest

from scheduler.rebuild import RebuildPorts, Rebuilt, cluster_step, rebuild, settle
from schemas import keys
from schemas.records.cluster import ClusterMember, EdgeFigures, EdgeVerdict
from schemas.records.outcome import Outcome, Revalidation
from schemas.records.receipt import Receipt
from schemas.records.requisite import RequisiteKind, RequisiteOutcome
from workers.adapters.clock import SystemClock
from workers.adapters.redis import patience
from workers.adapters.redis.candidates import RedisCandidates
from workers.adapters.redis.cluster_keys import ClusterKeys
from workers.adapters.redis.clusters import RedisClusters
from workers.catalog import names as catalog
from workers.dedup.clusters import Edge, partition
from workers.dedup.confirm import RULES
from workers.dedup.lineage import Births, KnownCluster, decide
from workers.dedup.log import ClusterHead, ClusterLog
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.errors import RetryableError
from workers.flows.cluster import ClusterPorts
from workers.flows.documents import pack_lines
from workers.frontier import names

KEYS = ClusterKeys(PIPELINE_PARAMS)


def with_clusters(ports: RebuildPorts) -> RebuildPorts:
    guard = ports.catalog.guard  # type: ignore[attr-defined]
    clusters = ClusterPorts(
        store=ports.store,
        catalog=ports.catalog,
        ledger=ports.ledger,
        candidates=RedisCandidates(guard.client),
        clusters=RedisClusters(guard, PIPELINE_PARAMS),
        clock=SystemClock(),
    )
    return replace(ports, steps=(cluster_step(clusters),))


def asked_again(receipt: Receipt) -> Receipt:
    """A receipt whose pages gave an ETag, and one of which needed a style sheet."""
    outcomes = [
        each.model_copy(
            update={
                "hops": tuple(hop.model_copy(update={"revalidation": Revalidation(etag='"1"')}) for hop in each.hops)
            }
        )
        for each in receipt.outcomes
    ]
    page = receipt.outcomes[0].hops[0]
    style = RequisiteOutcome(
        url="https://a0.test/a.css", kind=RequisiteKind.STYLE, outcome=Outcome.CAPTURED,
        page_record=page.records[1].record_id, found_in=page.url, found_at="link/@href",
    )  # fmt: skip
    return receipt.model_copy(update={"outcomes": tuple(outcomes), "requisites": (style,)})


def cluster_logs(members: list[ClusterMember], segments: tuple[str, ...], extractor: str, now: str) -> list[ClusterLog]:
    """Three texts are born, two of them merge, and somebody who did not know of that refuses another pair."""
    texts = [member.text_sha256 for member in members]
    witness = {member.text_sha256: member.snapshot_id for member in members}
    born = decide([], partition(texts, []), Births(witness, (), 1), now)
    known = [
        KnownCluster(each.cluster_id, number, each.leader_text_sha256, frozenset(each.texts))
        for number, each in enumerate(born)
    ]
    a, b, c = sorted(texts)
    merged = decide(known, partition(texts, [Edge(a, b, 900_000)]), Births(witness, (), 2), now)

    def head(number: int, sequence: int, of: list[ClusterMember]) -> ClusterHead:
        return ClusterHead(
            schema="citevault/cluster-segment@1", segment_id=segments[number], extractor=extractor,
            params=PIPELINE_PARAMS, rules=RULES, sequence=sequence, at=now, members=tuple(of),
        )  # fmt: skip

    def verdict(one: str, other: str, *, confirmed: bool) -> EdgeVerdict:
        return EdgeVerdict(
            schema="citevault/edge-verdict@1", a=one, b=other, confirmed=confirmed, rule="overlap",
            figures=EdgeFigures(shingle_jaccard_ppm=900_000, containment_ppm=950_000),
            params=PIPELINE_PARAMS, rules=RULES,
        )  # fmt: skip

    return [
        ClusterLog(head(0, 1, members), (), tuple(born)),
        ClusterLog(head(1, 2, []), (verdict(a, b, confirmed=True),), tuple(merged)),
        ClusterLog(head(2, 2, []), (verdict(a, c, confirmed=False),), ()),
    ]


async def filled(ports: RebuildPorts, objects, receipt_of, snapshot_lines_of) -> str:
    await settle(ports, now=objects.now)
    job = await objects.job(ports)
    for number in range(2):
        receipt = receipt_of(
            objects.urls[3 * number : 3 * number + 3],
            failed=objects.urls[6 + number : 7 + number],
            job_id=job.id,
            batch_id=f"b-0{number}",
            segment_id=objects.segments[number],
        )
        await objects.receipt(ports, asked_again(receipt))
    lines = snapshot_lines_of(receipt)
    await objects.snapshots(ports, objects.segments[1], lines)
    members = [
        ClusterMember(
            snapshot_id=line.snapshot.id, source_id=line.snapshot.source_id, text_sha256=line.snapshot.text_sha256
        )
        for line in lines
    ]
    for log in cluster_logs(members, objects.segments, objects.extractor, objects.now):
        key = keys.clusters(PIPELINE_PARAMS, objects.extractor, log.head.segment_id)
        await ports.store.put(key, pack_lines(list(log.records())))
    return job.id


def test_what_was_restored_is_the_same_as_what_the_objects_say(on_archive, objects, receipt_of, snapshot_lines_of):
    async def scenario(ports: RebuildPorts) -> None:
        await filled(ports, objects, receipt_of, snapshot_lines_of)
        rebuilt = await rebuild(with_clusters(ports), now=objects.now, reason="asked for")
        assert rebuilt.differences == []

    on_archive(scenario)


def test_a_redis_that_refuses_for_a_moment_is_asked_again_until_it_has_refused_for_long(
    on_archive, objects, receipt_of, snapshot_lines_of, monkeypatch, caplog
):
    """It has no memory left from the last receipt on."""
    monkeypatch.setattr(patience, "PAUSES", (0.02,) * 8)

    async def scenario(ports: RebuildPorts) -> None:
        await filled(ports, objects, receipt_of, snapshot_lines_of)
        redis = objects.redis(ports)
        filling: list[asyncio.Task[None]] = []

        async def fill(*, seconds: float) -> None:
            await redis.config_set("maxmemory", 1)
            await asyncio.sleep(seconds)
            await redis.config_set("maxmemory", 0)

        async def restored(seconds: float) -> Rebuilt:
            def told(kind: str, done: int, total: int) -> None:
                if kind == "receipts" and done == total:
                    filling.append(asyncio.create_task(fill(seconds=seconds)))

            return await rebuild(with_clusters(ports), now=objects.now, reason="asked for", told=told)

        rebuilt = await restored(0.05)
        assert (rebuilt.differences, rebuilt.outcomes) == ([], 8)
        assert "Redis is asked again" in caplog.text
        with pytest.raises(RetryableError, match="Redis has no memory left"):
            await restored(0.6)
        await asyncio.gather(*filling)

    on_archive(scenario)


class Harmed:
    """Reads back after somebody has been at Redis."""

    def __init__(self, ports: RebuildPorts, client: Any, harm: Callable[[Any], Any]) -> None:
        self._audit, self._client, self._harm = ports.audit, client, harm
        self._harming: asyncio.Task[None] | None = None

    def __getattr__(self, name: str) -> Callable[..., AsyncIterator[Any]]:
        async def read(*wanted: str) -> AsyncIterator[Any]:
            self._harming = self._harming or asyncio.create_task(self._harm(self._client))
            await self._harming
            async for page in getattr(self._audit, name)(*wanted):
                yield page

        return read


def command(*words: object) -> Callable[[Any, str], Any]:
    return lambda redis, _job: redis.execute_command(*words)


def of_job(verb: str, key: Callable[[str], str], *rest: object) -> Callable[[Any, str], Any]:
    return lambda redis, job: redis.execute_command(verb, key(job), *rest)


def other_value(key: str) -> Callable[[Any, str], Any]:
    """One field of a hash gets another value."""

    async def harm(redis: Any, _job: str) -> None:
        field = sorted(await redis.hkeys(key))[0]
        await redis.hset(key, field, b"1" + (await redis.hget(key, field)))

    return harm


def first(pattern: str) -> Callable[[Any, str], Any]:
    """The first key of a kind is gone."""

    async def harm(redis: Any, _job: str) -> None:
        await redis.delete(sorted([key async for key in redis.scan_iter(match=pattern)])[0])

    return harm


MISSING = [
    (of_job("DEL", names.done_urls), "of 8 URLs with an outcome, 8 are missing or other in Redis, and 0"),
    (of_job("ZPOPMIN", catalog.job_snapshots), "of 3 snapshots, 1 is missing"),
    (of_job("ZPOPMIN", names.job_segments), "1 segment stands elsewhere"),
    (of_job("DEL", catalog.requisites), "of 1 captured requisite, 1 is missing"),
    (command("DEL", catalog.revisits("default")), "default: of 6 payloads that revisits may refer to, 6 are missing"),
    (command("DEL", catalog.versions("default")), "default: of 6 versions of URLs, 6 are missing"),
    (command("DEL", catalog.SNAPSHOTS), "the catalog: of 3 snapshots that can be looked up, 3 are missing"),
    (command("DEL", catalog.RECORDS), "the catalog: of 17 records with a place, 17 are missing"),
    (command("DEL", KEYS.clusters), "of 2 leaders of clusters, 2 are missing"),
    (command("DEL", KEYS.cluster_of), "of 3 clusters of texts, 3 are missing"),
    (first(KEYS.texts("*")), "of 3 texts of clusters, "),
    (first(KEYS.aliases("*")), "of 1 alias of clusters, 1 is missing"),
    (first(KEYS.source("*")), "of 3 texts of sources, 1 is missing"),
    (first(KEYS.snapshots("*")), "of 3 snapshots of texts, 1 is missing"),
    (first(KEYS.near("*")), "of 2 confirmed edges, 1 is missing"),
    (first(KEYS.verdicts("*")), "of 1 verdict on edges, 1 is missing"),
    (command("SPOP", KEYS.applied), "of 3 applied objects, 1 is missing"),
    (command("SPOP", KEYS.unsettled), "of 2 unsettled texts, 1 is missing"),
    (command("DEL", KEYS.meta), "of 4 fields of the place in the log, 4 are missing"),
]
OTHER = [
    (of_job("HSET", names.done_urls, "?" * 16, "c"), "0 are missing or other in Redis, and 1 more is of no object"),
    (
        other_value(catalog.revisits("default")),
        "payloads that revisits may refer to, 1 is missing or other in Redis, and 1",
    ),
    (other_value(catalog.versions("default")), "of 6 versions of URLs, 1 is missing or other in Redis, and 1 more"),
    (command("HSET", catalog.SNAPSHOTS, "?", "1:1"), "of 3 snapshots that can be looked up, 0 are"),
    (other_value(KEYS.cluster_of), "of 3 clusters of texts, 1 is missing or other in Redis, and 1"),
    (other_value(KEYS.witness), "of 4 witnesses of texts, 2 are missing or other in Redis, and 1"),
    (other_value(KEYS.clusters), "of 2 numbers of birth, 1 is missing or other in Redis, and 1"),
    (other_value(KEYS.alias), "of 1 id of merged clusters, 1 is missing or other in Redis, and 1"),
    (command("SADD", KEYS.snapshots("00"), "snap-0-1-2 src-1"), "of 3 snapshots of texts, 0 are"),
    (
        command("HINCRBY", KEYS.meta, "sequence", 1),
        "of 4 fields of the place in the log, 1 is missing or other in Redis, and 1",
    ),
]


@pytest.mark.parametrize("harms", [MISSING, OTHER], ids=["missing", "other"])
def test_what_got_lost_or_came_in_meanwhile_is_told(on_archive, objects, receipt_of, snapshot_lines_of, harms):
    """Of each family of keys, by its name."""

    async def scenario(ports: RebuildPorts) -> None:
        job_id = await filled(ports, objects, receipt_of, snapshot_lines_of)

        async def harm(redis: Any) -> None:
            for each, _ in harms:
                await each(redis, job_id)

        harmed = Harmed(ports, objects.redis(ports), harm)
        rebuilt = await rebuild(replace(with_clusters(ports), audit=harmed), now=objects.now, reason="asked for")
        assert len(rebuilt.differences) >= len(harms)
        for _, sentence in harms:
            assert any(sentence in each for each in rebuilt.differences), sentence

    on_archive(scenario)
