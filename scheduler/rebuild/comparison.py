"""Whether Redis holds what the objects say, once everything is restored.

While the objects are read, the entries that follow from them are noted beside, without Redis (`said`,
`cluster_facts`). In the end Redis is read back in full, and the two are compared, family by family of its keys.
`deploy/protocol.md` has the table of all families, and why some are not compared.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Hashable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Final, Protocol, TypeAlias, cast

from scheduler.rebuild.cluster_facts import ClusterFacts
from scheduler.rebuild.said import Entries, Fields, Members, counted
from schemas.counted import counted as number_of
from schemas.counted import counted_things
from schemas.records.receipt import Receipt
from workers.catalog import names
from workers.catalog.packing import microseconds, pack_original, pack_record, pack_snapshot, pack_version
from workers.catalog.receipts import originals, records, requisites, versions
from workers.catalog.snapshot_files import BriefLine
from workers.flows.ahead import all_or_none
from workers.flows.cluster_log import witness_of
from workers.frontier.urls import digest
from workers.ports import ClusterFamily, Ledger, SegmentEntry

MOST_TOLD: Final = 20
FAMILIES_AT_ONCE: Final = 2
"""Beside the clusters, which are many small families."""
Page: TypeAlias = Collection[Hashable]


class Audit(Protocol):
    """Reads back what Redis holds, in pages of entries; one may come twice."""

    def ended(self, job_id: str) -> AsyncIterator[Page]:
        """Digests of the URLs that have an outcome, or wait for the try after one."""

    def snapshots(self, job_id: str) -> AsyncIterator[Page]:
        """Packed ids of its snapshots."""

    def requisites(self, job_id: str) -> AsyncIterator[Page]:
        """Names of what a job has captured of what its pages need."""

    def originals(self, collection: str) -> AsyncIterator[Page]:
        """Digests of the payloads that revisits in a collection may refer to, each with its original, packed."""

    def versions(self, collection: str) -> AsyncIterator[Page]:
        """Names of URLs, each with its version as it stands."""

    def known_snapshots(self) -> AsyncIterator[Page]:
        """Packed ids of all snapshots that can be looked up."""

    def records(self) -> AsyncIterator[Page]:
        """Packed ids of all records that have a place."""

    def clusters(self, params: str) -> AsyncIterator[tuple[ClusterFamily, Page]]:
        """The cluster state, in any order; all snapshots of a text come in one page."""


@dataclass(slots=True)
class Said:
    """What the objects say, by job, by collection, of all the archive, and of clusters: 8 bytes an entry, and 24 where
    one takes another's place."""

    ended: defaultdict[str, Members] = field(default_factory=lambda: defaultdict(Members))
    snapshots: defaultdict[str, Members] = field(default_factory=lambda: defaultdict(Members))
    requisites: defaultdict[str, Members] = field(default_factory=lambda: defaultdict(Members))
    originals: defaultdict[str, Fields] = field(default_factory=lambda: defaultdict(Fields))
    versions: defaultdict[str, Fields] = field(default_factory=lambda: defaultdict(Fields))
    known_snapshots: Members = field(default_factory=Members)
    records: Members = field(default_factory=Members)
    clusters: ClusterFacts | None = None
    """None: nobody has restored them."""

    def add_receipt(self, receipt: Receipt) -> None:
        """What follows from a receipt, in the order in which receipts are followed."""
        self.ended[receipt.job_id].add(digest(each.normalized_url, each.visit) for each in receipt.ended)
        self.records.add(pack_record(record.record_id) for record in records(receipt))
        needed = requisites(receipt)
        if needed:
            self.requisites[receipt.job_id].add(names.requisite_name(url).encode() for url in needed)
        of_payloads = self.originals[receipt.collection]
        for original in originals(receipt):
            payload = bytes.fromhex(original.content_sha256)
            of_payloads.put(payload, (payload, pack_original(original)), rank=0)
        of_urls = self.versions[receipt.collection]
        for seen in versions(receipt):
            name, at = names.version_field(seen.url), microseconds(seen.at)
            packed = b"" if seen.version is None else pack_version(seen.version)
            of_urls.put(name, (name, b"%d\n%b" % (at, packed)), rank=at)

    def add_lines(self, lines: Iterable[BriefLine]) -> None:
        """What follows from a snapshot file."""
        for job_id, of_job in groupby(lines, key=lambda line: line.snapshot.job_id):
            some = list(of_job)
            packed = [pack_snapshot(line.snapshot.id) for line in some]
            self.snapshots[job_id].add(packed)
            self.known_snapshots.add(packed)
            self.records.add(pack_record(line.conversion.record_id) for line in some if line.conversion is not None)


async def differences(said: Said, entries: Iterable[SegmentEntry], audit: Audit, ledger: Ledger) -> list[str]:
    """In a sentence each, what is other in Redis than the objects say; empty: nothing. Some families at a time: while
    Redis reads one back, what came of another is noted."""
    room = asyncio.Semaphore(FAMILIES_AT_ONCE)

    async def told(
        name: str, what: str, settled: Callable[[], Entries], read: Callable[[], AsyncIterator[Page]]
    ) -> list[str]:
        async with room:
            return _told(name, what, settled(), await _all(read()))

    comparing: list[Coroutine[None, None, list[str]]] = []
    for what, by_name, read in (
        ("URLs with an outcome", said.ended, audit.ended),
        ("snapshots", said.snapshots, audit.snapshots),
        ("captured requisites", said.requisites, audit.requisites),
        ("payloads that revisits may refer to", said.originals, audit.originals),
        ("versions of URLs", said.versions, audit.versions),
    ):
        noted = cast("dict[str, Members | Fields]", by_name)
        comparing += [told(name, what, partial(_taken, noted, name), partial(read, name)) for name in sorted(noted)]
    for what, members, read_all in (
        ("snapshots that can be looked up", said.known_snapshots, audit.known_snapshots),
        ("records with a place", said.records, audit.records),
    ):
        comparing.append(told("the catalog", what, members.settled, read_all))
    comparing.append(_clusters(said.clusters, audit))
    *families, clusters = await all_or_none(comparing)
    segments = await _segments(entries, ledger)
    return [sentence for found in (*families, segments, clusters) for sentence in found][:MOST_TOLD]


def _taken(noted: dict[str, Members | Fields], name: str) -> Entries:
    """What was noted, settled: its memory is wanted for the next."""
    return noted.pop(name).settled()


async def _all(pages: AsyncIterator[Page]) -> Entries:
    members = Members()
    async for page in pages:
        members.add(page)
    return members.settled()


def _told(name: str, what: str, expected: Entries, actual: Entries) -> list[str]:
    missing, strange = counted(expected, actual)
    if not missing and not strange:
        return []
    gone = f"of {counted_things(expected.size, what)}, {number_of(missing, 'is', 'are')} missing or other in Redis"
    return [f"{name}: {gone}, and {number_of(strange, 'more is', 'more are')} of no object"]


async def _clusters(facts: ClusterFacts | None, audit: Audit) -> list[str]:
    if facts is None:
        return []
    read: defaultdict[ClusterFamily, Members] = defaultdict(Members)
    witnesses = Members()
    async for family, page in audit.clusters(facts.params):
        read[family].add(page)
        if family == "snapshots of texts":
            witnesses.add(_witnesses(cast("Collection[tuple[bytes, bytes]]", page)))
    expected = facts.settled()
    expected["witnesses of texts"] = witnesses.settled()
    name = f"clusters of {facts.params}"
    return [
        told for family, entries in expected.items() for told in _told(name, family, entries, read[family].settled())
    ]


def _witnesses(page: Collection[tuple[bytes, bytes]]) -> Iterable[tuple[bytes, bytes]]:
    """Texts with the first of their snapshots."""
    for text, members in groupby(page, key=itemgetter(0)):
        yield text, witness_of(member for _, member in members)


async def _segments(entries: Iterable[SegmentEntry], ledger: Ledger) -> list[str]:
    by_job: dict[str, dict[str, SegmentEntry]] = defaultdict(dict)
    for entry in entries:
        by_job[entry.job_id][entry.segment_id] = entry
    found = []
    for job_id, expected in sorted(by_job.items()):
        actual = {entry.segment_id: entry for entry in await ledger.of_job(job_id)}
        wrong = [
            segment_id
            for segment_id in expected.keys() | actual.keys()
            if _place(expected.get(segment_id)) != _place(actual.get(segment_id))
        ]
        if wrong:
            stand = number_of(len(wrong), "segment stands", "segments stand")
            found.append(f"{job_id}: {stand} elsewhere in Redis, such as {min(wrong)}")
    return found


def _place(entry: SegmentEntry | None) -> tuple[str, ...] | None:
    if entry is None:
        return None
    return entry.stage, entry.receipt_key, entry.snapshots_key, entry.prints_key, entry.clusters_key
