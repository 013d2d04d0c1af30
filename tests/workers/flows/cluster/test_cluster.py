"""The clustering flow over a real Redis, a directory store and real conversion records."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from schemas import keys
from schemas.records.snapshot import ReaderStatus, SnapshotLine
from workers.adapters.redis.clusters import RedisClusters
from workers.archive.gzip_member import compress
from workers.archive.record import Block, build
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.errors import CorruptError, EpochError, RetryableError
from workers.flows import cluster as flow
from workers.flows.cluster import cluster_segment, load_clusters
from workers.flows.cluster_log import read_log
from workers.flows.cluster_looking import Ahead, Looks
from workers.flows.documents import pack_lines, read_lines_object
from workers.ports import ClusterChange

if TYPE_CHECKING:
    from tests.workers.flows.cluster.conftest import Archive, Page, SteppingClock

    OnArchive = Callable[[Callable[[Archive], Awaitable[None]]], None]


def texts(pages: Sequence[Page], *places: int) -> frozenset[str]:
    return frozenset(pages[place].sha256 for place in places)


def expected(web: Sequence[Page]) -> set[frozenset[str]]:
    return {texts(web, 0, 1, 2, 3, 4), texts(web, 5), texts(web, 6), texts(web, 7), texts(web, 8)}


def test_ten_urls_are_not_ten_stories(on_archive: OnArchive, web: list[Page]) -> None:
    """R053, R054, R062: tracking copies and edited copies are one; official, template and other pages are not."""

    async def scenario(archive: Archive) -> None:
        done = await archive.cluster(web)
        assert (done.texts, done.confirmed, done.decisions, done.pairs_left_out) == (7, 3, 5, 0)
        assert await archive.partition() == expected(web)
        (story,) = [found for found in (await archive.dump()).values() if web[0].sha256 in found[1]]
        assert len(story[2]) == 5  # R059, R061: every capture stays
        assert story[0] == min(texts(web, 0, 3, 4))  # equal degrees go by digest

    on_archive(scenario)


def test_verdicts_are_stored_with_figures_and_the_rule_that_decided(on_archive: OnArchive, web: list[Page]) -> None:
    """R058."""

    async def scenario(archive: Archive) -> None:
        done = await archive.cluster(web)
        log = await read_log(archive.ports.store, done.clusters_key)
        rules = {(verdict.rule, verdict.confirmed) for verdict in log.verdicts}
        assert rules == {("overlap", True), ("same-site-other-title", False)}
        assert all(verdict.figures.shingle_jaccard_ppm > 700_000 for verdict in log.verdicts)
        assert log.head.sequence == 1
        story = await archive.ports.clusters.cluster_of(web[0].sha256)
        assert story is not None
        edges = await archive.ports.clusters.edges(story)
        assert edges == sorted((one for one in log.verdicts if one.confirmed), key=lambda one: (one.a, one.b))

    on_archive(scenario)


def test_the_segment_moves_on_in_the_ledger(on_archive: OnArchive, web: list[Page]) -> None:
    async def scenario(archive: Archive) -> None:
        done = await archive.cluster(web)
        (entry,) = await archive.ports.ledger.at("clustered")
        assert (entry.segment_id, entry.clusters_key) == (done.segment_id, done.clusters_key)
        assert entry.clusters_key == keys.clusters(
            PIPELINE_PARAMS, keys.extractor_of(entry.snapshots_key), done.segment_id
        )

    on_archive(scenario)


@pytest.mark.parametrize("seed", range(6))
def test_the_partition_does_not_depend_on_order_or_segments(seed: int, on_archive: OnArchive, web: list[Page]) -> None:
    shuffled = random.Random(seed)

    async def scenario(archive: Archive) -> None:
        order = web.copy()
        shuffled.shuffle(order)
        while order:
            count = shuffled.randint(1, 4)
            await archive.cluster(order[:count])
            del order[:count]
        assert await archive.partition() == expected(web)
        assert sum(len(found[2]) for found in (await archive.dump()).values()) == len(web)

    on_archive(scenario)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (1, 0, 2)])
def test_a_text_is_judged_by_its_first_capture_whenever_that_is_worked_through(
    order: tuple[int, ...], on_archive: OnArchive, page: type[Page], prose: Callable[[int, int], list[str]]
) -> None:
    """The title of the first capture counts, not that of the one that was processed first."""
    frame = prose(7, 300)
    lamp, chair = (" ".join([*prose(seed, 10), *frame]) + "\n" for seed in (3, 4))
    captures = [
        page("https://shop.example/lamp", lamp, "Lamp or chair", 1),
        page("https://shop.example/lamp", lamp, "Blue lamp", 5),
        page("https://shop.example/chair", chair, "Lamp or chair", 3),
    ]

    async def scenario(archive: Archive) -> None:
        for place in order:
            await archive.cluster([captures[place]])
        assert await archive.partition() == {texts(captures, 0, 2)}

    on_archive(scenario)


def test_clustering_again_changes_nothing(on_archive: OnArchive, web: list[Page]) -> None:
    async def scenario(archive: Archive) -> None:
        first = await archive.cluster(web[:5])
        await archive.cluster(web[5:])
        before = await archive.dump()
        assert await cluster_segment(archive.messages[0], archive.ports) == first
        assert await archive.dump() == before

    on_archive(scenario)


def bridged(page: type[Page], words: list[str]) -> list[Page]:
    """Two versions that are not near each other, and the one that both are near to."""

    def version(host: str, edits: range) -> Page:
        text = " ".join(f"edit{at}" if at in edits else word for at, word in enumerate(words)) + "\n"
        return page(f"https://{host}.example/", text, f"As {host} tells it", 1)

    return [version("a", range(10, 300, 48)), version("b", range(34, 300, 48)), version("c", range(0))]


def test_a_merge_keeps_the_older_id_and_the_younger_one_still_answers(
    on_archive: OnArchive, page: type[Page], prose: Callable[[int, int], list[str]]
) -> None:
    pages = bridged(page, prose(1, 300))

    async def scenario(archive: Archive) -> None:
        clusters = archive.ports.clusters
        await archive.cluster([pages[0]])
        await archive.cluster([pages[1]])
        older, younger = [await clusters.cluster_of(pages[place].sha256) for place in (0, 1)]
        assert older is not None
        assert younger is not None
        assert older != younger
        await archive.cluster([pages[2]])
        assert await archive.partition() == {texts(pages, 0, 1, 2)}
        assert await clusters.cluster_of(pages[1].sha256) == older
        assert await clusters.resolve(younger) == older
        assert await clusters.members(younger) == await clusters.members(older)
        assert await clusters.resolve("cl-0000000000000000") is None
        assert await clusters.members("cl-0000000000000000") is None
        before = await archive.dump()
        assert before[older][3] == (younger,)
        assert await load_clusters(archive.ports, again=True) == 3
        assert await archive.dump() == before

    on_archive(scenario)


def test_the_state_is_rebuilt_from_the_log(on_archive: OnArchive, web: list[Page]) -> None:
    """Ids, leaders, snapshots and edges: all from objects; and the index takes candidates again."""

    async def scenario(archive: Archive) -> None:
        for place in (4, 0, 3, 1, 2, 5, 6):
            await archive.cluster([web[place]])
        before = await archive.dump()
        edges = {cluster: await archive.ports.clusters.edges(cluster) for cluster in before}
        await archive.guard.client.delete(*await archive.guard.client.keys("{l*"))
        assert await load_clusters(archive.ports) is None
        assert await load_clusters(archive.ports, again=True) == 7
        assert await archive.dump() == before
        assert {cluster: await archive.ports.clusters.edges(cluster) for cluster in before} == edges
        await archive.cluster(web[7:])
        assert await archive.partition() == expected(web)

    on_archive(scenario)


def test_a_lost_redis_is_never_an_archive_without_duplicates(on_archive: OnArchive, web: list[Page]) -> None:
    async def scenario(archive: Archive) -> None:
        await archive.cluster(web[:4])
        before = await archive.dump()
        await archive.guard.client.flushall()
        with pytest.raises(EpochError):
            await archive.ports.clusters.cluster_of(web[0].sha256)
        with pytest.raises(EpochError):
            await cluster_segment(archive.messages[0], archive.ports)
        await archive.guard.client.set("{f}:epoch", "1")
        with pytest.raises(RetryableError, match="not loaded"):
            await archive.ports.clusters.cluster_of(web[0].sha256)
        await load_clusters(archive.ports)
        assert await archive.dump() == before

    on_archive(scenario)


class CrashError(Exception):
    pass


class DiesBeforeApplying(RedisClusters):
    """Its holder is killed between the commit and the state."""

    async def apply(self, token: str, change: ClusterChange) -> bool:
        raise CrashError


def test_what_was_committed_before_a_crash_is_applied_first(on_archive: OnArchive, web: list[Page]) -> None:
    async def scenario(archive: Archive) -> None:
        await archive.cluster(web[:1])
        message = await archive.extract(web[1:4])
        dying = replace(archive.ports, clusters=DiesBeforeApplying(archive.guard, PIPELINE_PARAMS))
        with pytest.raises(CrashError):
            await cluster_segment(message, dying)
        await archive.cluster(web[4:])
        assert await archive.partition() == expected(web)
        before = await archive.dump()
        await cluster_segment(message, archive.ports)
        assert await archive.dump() == before
        assert await load_clusters(archive.ports, again=True) == 3
        assert await archive.dump() == before

    on_archive(scenario)


def test_an_object_that_was_there_first_wins(on_archive: OnArchive, web: list[Page]) -> None:
    """A stalled worker and its successor: one object, one truth."""

    async def scenario(archive: Archive) -> None:
        message = await archive.extract(web)
        found = await cluster_segment(message, archive.ports)
        log = await read_log(archive.ports.store, found.clusters_key)
        token = await archive.ports.clusters.hold(5)
        assert token is not None
        await archive.ports.clusters.clear(token)
        await archive.ports.clusters.loaded(token)
        await archive.ports.clusters.release(token)
        assert await cluster_segment(message, archive.ports) == found
        assert await read_log(archive.ports.store, found.clusters_key) == log
        assert await archive.partition() == expected(web)

    on_archive(scenario)


def test_only_one_worker_clusters_at_a_time(on_archive: OnArchive, web: list[Page], clock: type[SteppingClock]) -> None:
    async def scenario(archive: Archive) -> None:
        assert await archive.ports.clusters.hold(60) is not None
        message = await archive.extract(web)
        with pytest.raises(RetryableError, match="another worker is clustering"):
            await cluster_segment(message, replace(archive.ports, clock=clock(100.0)))

    on_archive(scenario)


def test_who_waits_for_the_lock_looks_at_what_others_have_committed(on_archive: OnArchive, web: list[Page]) -> None:
    """Under the lock one works alone: what can be looked at before is."""

    async def scenario(archive: Archive) -> None:
        first, second = [await archive.extract(pages) for pages in (web[:4], web[4:])]
        ports = archive.ports
        texts = [await flow._texts(ports.store, message) for message in (first, second)]
        looks = [Looks(ports.store, ports.catalog, each.lines) for each in texts]
        before, waiting = (Ahead(ports.clusters, ports.candidates, *given) for given in zip(texts, looks, strict=True))
        await before.start()
        await waiting.start()
        alone = len(looks[1]._made)
        await waiting.go_on()
        assert len(looks[1]._made) == alone, "nobody has committed anything"
        await cluster_segment(first, ports)
        await waiting.go_on()
        assert len(looks[1]._made) > alone
        await cluster_segment(second, ports)
        assert await archive.partition() == expected(web)

    on_archive(scenario)


def test_four_workers_at_once_give_the_same_partition(on_archive: OnArchive, web: list[Page]) -> None:
    async def scenario(archive: Archive) -> None:
        messages = [await archive.extract([one]) for one in web]
        await asyncio.gather(*(cluster_segment(message, archive.ports) for message in messages))
        assert await archive.partition() == expected(web)
        before = await archive.dump()
        assert await load_clusters(archive.ports, again=True) == len(web)
        assert await archive.dump() == before

    on_archive(scenario)


def test_objects_written_without_knowledge_of_each_other_are_settled_by_the_next(
    on_archive: OnArchive, web: list[Page]
) -> None:
    """Two workers believed to be alone: both objects stand, their edges count, and the next segment decides."""

    async def scenario(archive: Archive) -> None:
        await archive.cluster(web[:1])
        message = await archive.extract(web[3:5])
        done = await cluster_segment(message, archive.ports)
        log = await read_log(archive.ports.store, done.clusters_key)
        blind = [*log.records()]
        blind[0] = log.head.model_copy(update={"sequence": 1})
        await archive.ports.store.put(done.clusters_key, pack_lines(blind))
        for _ in range(2):
            assert await load_clusters(archive.ports, again=True) == len(archive.messages)
            position = await archive.ports.clusters.position()
            assert position is not None
            assert texts(web, 3, 4) <= position.unsettled
        await archive.cluster(web[5:])
        assert await archive.partition() == expected(web)
        before = await archive.dump()
        assert await load_clusters(archive.ports, again=True) == 3
        assert await archive.dump() == before

    on_archive(scenario)


def test_what_may_not_be_cited_is_not_clustered(on_archive: OnArchive, page: type[Page]) -> None:
    """X18: the walls and error pages of two strangers do not make them one source."""
    wall = "Please prove that you are human.\n"
    pages = [
        page("https://a.example/", wall, "Wall", 1, ReaderStatus.BLOCKED),
        page("https://b.example/", wall, "Wall", 2, ReaderStatus.HTTP_ERROR),
        page("https://c.example/", "", None, 3, ReaderStatus.EMPTY),
    ]

    async def scenario(archive: Archive) -> None:
        done = await archive.cluster(pages)
        assert (done.texts, done.decisions) == (0, 0)
        assert await archive.ports.clusters.cluster_of(pages[0].sha256) is None
        assert await archive.ports.clusters.clusters_of_source("src-0123456789abcdef") == frozenset()

    on_archive(scenario)


def test_equal_short_texts_are_exact_duplicates(on_archive: OnArchive, page: type[Page]) -> None:
    """R053: below twenty shingles nothing is near, but the same text is the same text."""
    pages = [page(f"https://{host}.example/", "One short line.\n", "S", 1) for host in "ab"]

    async def scenario(archive: Archive) -> None:
        await archive.cluster(pages)
        (found,) = (await archive.dump()).values()
        assert len(found[2]) == 2

    on_archive(scenario)


def test_a_text_that_was_taken_down_is_compared_with_nothing(on_archive: OnArchive, web: list[Page]) -> None:
    async def scenario(archive: Archive) -> None:
        await archive.cluster(web[:1])
        message = await archive.extract(web[3:4])
        lines = await read_lines_object(archive.ports.store, archive.messages[0].snapshots_key, SnapshotLine)
        assert lines[0].conversion is not None
        await tombstone(archive, lines[0].conversion.key)
        done = await cluster_segment(message, archive.ports)
        assert (done.verdicts, done.decisions) == (0, 1)

    on_archive(scenario)


async def tombstone(archive: Archive, key: str) -> None:
    """The first member becomes a metadata record of equal length, as a takedown leaves it."""
    old = await archive.ports.store.get(key)
    for padding in range(2 * len(old)):
        block = Block.of(b"tombstone: " + random.Random(padding).randbytes(len(old)).hex().encode()[:padding])
        record = build(
            "metadata",
            "urn:uuid:00000000-0000-4000-8000-000000000000",
            "2026-08-22T05:00:00Z",
            block,
            content_type="application/warc-fields",
        )
        new = compress(record.data() or b"")
        if len(new) == len(old):
            await archive.ports.store.put(key, new)
            return
    pytest.fail("no padding gave a member of equal length")


def test_a_text_that_is_not_what_was_written_stops_the_work(on_archive: OnArchive, web: list[Page]) -> None:
    async def scenario(archive: Archive) -> None:
        await archive.cluster(web[:1])
        message = await archive.extract(web[3:4])
        lines = await read_lines_object(archive.ports.store, message.snapshots_key, SnapshotLine)
        assert lines[0].conversion is not None
        body = bytearray(await archive.ports.store.get(lines[0].conversion.key))
        body[len(body) // 2] ^= 1
        await archive.ports.store.put(lines[0].conversion.key, bytes(body))
        with pytest.raises(CorruptError, match="cannot be read"):
            await cluster_segment(message, archive.ports)
        clusters_key = keys.clusters(PIPELINE_PARAMS, keys.extractor_of(message.snapshots_key), lines[0].segment_id)
        assert await archive.ports.store.info(clusters_key) is None

    on_archive(scenario)


def test_pairs_beyond_the_limit_are_counted_not_hidden(
    on_archive: OnArchive, web: list[Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "MAX_PAIRS", 1)

    async def scenario(archive: Archive) -> None:
        done = await archive.cluster(web)
        assert (done.verdicts, done.pairs_left_out) == (1, 3)
        assert (await read_log(archive.ports.store, done.clusters_key)).head.pairs_left_out == 3

    on_archive(scenario)
