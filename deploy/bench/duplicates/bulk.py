"""Clustering in bulk: a made-up collection of which a third are copies, from extracted segments to clusters.

Texts of 60 words; stories have up to four copies with a few words changed, spread over all segments. The store is a
folder, Redis is real. Checked first: as many texts are in clusters of several as were made to be. Round trips are what
Redis counts as reads from its clients. Memory is anonymous, of this process and beyond what it had before.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import shutil
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from deploy.bench.duplicates.redis_server import Server, running_server
from deploy.bench.peak import Peak
from deploy.bench.result import Result
from deploy.bench.snapshots import made_up_snapshot
from schemas import keys
from schemas.records.job import Lane
from schemas.records.snapshot import MemberLocation, Snapshot, SnapshotLine, SnapshotRecords
from workers.adapters.clock import SystemClock
from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.redis.candidates import RedisCandidates
from workers.adapters.redis.catalog import RedisCatalog
from workers.adapters.redis.client import connect
from workers.adapters.redis.clusters import RedisClusters
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.archive.conversion import ConversionMethod, ConversionSource, conversion_records
from workers.archive.gzip_member import compress
from workers.dedup.fingerprint import NamedText, fingerprints
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.flows.bulk import BulkPorts, cluster_in_bulk
from workers.flows.cluster import ClusterPorts
from workers.flows.compact import Progress
from workers.flows.documents import pack_lines
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.ports import SegmentEntry

EXTRACTOR = "trafilatura@2.3.1+00000000"
TEXTS = 100_000
A_SEGMENT = 2_000
WORDS = 60
COPIES = 3
"""Every eighth story has so many copies: with itself they are a third of all texts."""
MIB = 1 << 20


@dataclass(frozen=True)
class Made:
    """The collection."""

    segments: list[SegmentEntry]
    alike: int
    """Texts of stories with copies."""


def measure(folder: Path, texts: int = TEXTS) -> list[Result]:
    """AssertionError where copies are not found."""
    shutil.rmtree(folder / "bulk", ignore_errors=True)
    work = folder / "bulk"
    (work / "run").mkdir(parents=True)
    try:
        store = DirectoryObjectStore(work / "store")
        with running_server(work / "redis") as server:
            return asyncio.run(_measured(server, store, work / "run", texts))
    finally:
        shutil.rmtree(work, ignore_errors=True)


async def _measured(server: Server, store: DirectoryObjectStore, run: Path, texts: int) -> list[Result]:
    async with AsyncExitStack() as stack:
        client = connect(f"redis://127.0.0.1:{server.port}/0")
        stack.push_async_callback(client.aclose)
        stack.callback(store.close)
        await client.set(names.EPOCH, "1")
        guard = Guard(client, Epoch(number=1))
        ports = ClusterPorts(
            store=store,
            catalog=RedisCatalog(guard, store),
            ledger=RedisLedger(guard),
            candidates=RedisCandidates(client),
            clusters=RedisClusters(guard, PIPELINE_PARAMS),
            clock=SystemClock(),
        )
        made = await _collection(ports, texts)
        reads, started = await _reads(guard), time.monotonic()
        with Peak() as peak:
            done = await cluster_in_bulk(BulkPorts(ports, run, _tell))
        seconds, asked = time.monotonic() - started, await _reads(guard) - reads
        found = 0
        async for cluster in ports.clusters.all():
            members = await ports.clusters.members(cluster)
            found += len(members.members) if members is not None and len(members.members) > 1 else 0
        if done.texts != texts or not 0.95 * made.alike <= found <= made.alike:
            raise AssertionError(
                f"bulk clustering found {found} texts with copies of {made.alike}; its speed means nothing"
            )
    return [
        _alone(f"bulk: {texts:,} texts from segments to clusters", texts / seconds, "texts/s"),
        _alone("bulk: Redis round trips a thousand texts", asked / texts * 1000, ""),
        _alone("bulk: memory of its own", peak.grown_bytes / MIB, "MiB"),
    ]


async def _collection(ports: ClusterPorts, texts: int) -> Made:
    """Write it, segment by segment, and tell the ledger."""
    made: list[SegmentEntry] = []
    alike = 0
    waiting: list[tuple[int, str]] = []
    for number, (text, copied) in enumerate(_texts(texts)):
        alike += copied
        waiting.append((number, text))
        if len(waiting) == A_SEGMENT or number == texts - 1:
            made.append(await _segment(ports, len(made), waiting))
            waiting = []
    return Made(made, alike)


def _texts(count: int) -> Iterator[tuple[str, bool]]:
    """Texts in the order in which they lie in segments: copies come far from their story."""
    dice = random.Random(1)  # noqa: S311 (data, not a secret)
    vocabulary = [f"{a}{b}{c}" for a in ("ka", "to", "mi", "re") for b in ("lan", "dor", "vek") for c in range(200)]
    left, number = count, 0
    owed: list[str] = []
    while left:
        if owed and dice.random() < len(owed) / max(left, 1):
            yield owed.pop(dice.randrange(len(owed))), True
            left -= 1
            continue
        words = dice.choices(vocabulary, k=WORDS)
        copied = number % 8 == 0 and left > len(owed) + COPIES + 1
        number += 1
        if copied:
            for copy in range(COPIES):
                changed = list(words)
                changed[dice.randrange(WORDS)] = f"other{number}x{copy}"
                owed.append(" ".join(changed) + "\n")
        yield " ".join(words) + "\n", copied
        left -= 1


async def _segment(ports: ClusterPorts, number: int, texts: list[tuple[int, str]]) -> SegmentEntry:
    segment = f"20261129T031500Z-{number:026d}"
    key = keys.conversion(EXTRACTOR, segment, "a1")
    body, lines, named = bytearray(), [], []
    for place, text in texts:
        snapshot = _snapshot(place, text)
        records = conversion_records(
            text.encode(),
            ConversionSource(snapshot.records.response, snapshot.final_url, None),
            ConversionMethod(EXTRACTOR, "text-v1"),
            converted_at="2026-11-29T03:20:00Z",
            warcinfo_id=snapshot.records.response,
        )
        member = compress(records.conversion.data() or b"")
        at = MemberLocation(key=key, record_id=records.conversion.id, offset=len(body), length=len(member))
        body += member
        lines.append(
            SnapshotLine(
                schema="citevault/snapshot-line@1", snapshot=snapshot, segment_id=segment, attempt="a1", conversion=at
            )
        )
        named.append(NamedText(text, snapshot.text_sha256 or "", snapshot.id))
    entry = SegmentEntry(
        segment_id=segment,
        job_id="job-1",
        lane=Lane.BULK,
        stage="extracted",
        receipt_key=keys.receipt("job-1", f"b-{number}", 1),
        snapshots_key=keys.snapshots(EXTRACTOR, segment),
        prints_key=keys.prints(PIPELINE_PARAMS, EXTRACTOR, segment),
    )
    await ports.store.put(key, bytes(body))
    await ports.store.put(entry.prints_key, pack_lines(fingerprints(named)))
    await ports.store.put(entry.snapshots_key, pack_lines(lines))
    await ports.ledger.advance(entry)
    return entry


def _snapshot(place: int, text: str) -> Snapshot:
    url = f"https://site{place}.example/story"
    at = f"2026-11-29T{place // 3600 % 24:02d}:{place // 60 % 60:02d}:{place % 60:02d}Z"
    record = uuid.UUID(int=place).urn
    digest = hashlib.sha256(text.encode()).hexdigest()
    return made_up_snapshot(
        url,
        at,
        SnapshotRecords(response=record, payload=record),
        digest,
        text_sha256=digest,
        content_bytes=len(text),
        text_chars=len(text),
        extractor=EXTRACTOR,
        language="en",
    )


async def _reads(guard: Guard) -> int:
    return int((await guard.client.info("stats"))["total_reads_processed"])


def _tell(progress: Progress) -> None:
    """On a large collection each step takes minutes."""
    if progress.done % 100 == 0 or progress.done == progress.total:
        sys.stderr.write(f"\r{progress.what} {progress.done:,} of {progress.total:,}  ")
        sys.stderr.flush()


def _alone(name: str, value: float, unit: str) -> Result:
    return Result(name, value, unit, None, None, None, False, None, None)
