"""Whether Redis holds what the objects say, once everything is restored.

While the objects are read, the names of what follows from them are noted beside, without Redis: which URLs have an
outcome, which snapshots there are, where each segment stands. In the end Redis is read back in full, and the sets are
compared, job by job. Each name is 8 bytes of hash, of this process: two that differ are taken for each other with a
chance of 2^-64.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

from workers.ports import Ledger, SegmentEntry

MOST_TOLD: Final = 20
_Names = defaultdict[str, "array[int]"]


class Audit(Protocol):
    """Reads back what Redis holds of a job; a member may come twice."""

    def ended(self, job_id: str) -> AsyncIterator[bytes]:
        """Digests of the URLs that have an outcome, or wait for the try after one."""

    def snapshots(self, job_id: str) -> AsyncIterator[bytes]:
        """Packed ids of its snapshots."""

    def originals(self, collection: str) -> AsyncIterator[bytes]:
        """Digests of the payloads that revisits in a collection may refer to."""


def _names() -> _Names:
    return defaultdict(lambda: array("q"))


@dataclass(slots=True)
class Said:
    """What the objects say, by job: 8 bytes a URL, and 8 a snapshot; and by collection, 8 bytes a payload. What is
    known of versions is not compared: it is a hint, put to the test whenever it is used."""

    ended: _Names = field(default_factory=_names)
    snapshots: _Names = field(default_factory=_names)
    originals: _Names = field(default_factory=_names)

    def add_ended(self, job_id: str, digests: Iterable[bytes]) -> None:
        self.ended[job_id].extend(map(hash, digests))

    def add_originals(self, collection: str, digests: Iterable[bytes]) -> None:
        self.originals[collection].extend(map(hash, digests))

    def add_snapshots(self, job_id: str, packed: Iterable[bytes]) -> None:
        self.snapshots[job_id].extend(map(hash, packed))


async def differences(said: Said, entries: Iterable[SegmentEntry], audit: Audit, ledger: Ledger) -> list[str]:
    """In a sentence each, what of a job or collection is other in Redis than the objects say; empty: nothing."""
    found: list[str] = []
    for what, names, read in (
        ("URLs with an outcome", said.ended, audit.ended),
        ("snapshots", said.snapshots, audit.snapshots),
        ("payloads that revisits may refer to", said.originals, audit.originals),
    ):
        for name in sorted(names):
            expected = set(names.pop(name))
            actual = {hash(each) async for each in read(name)}
            if expected != actual:
                found.append(
                    f"{name}: of {len(expected)} {what}, {len(expected - actual)} are missing in Redis, "
                    f"and {len(actual - expected)} there are of no object"
                )
    found += await _segments(entries, ledger)
    return found[:MOST_TOLD]


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
            found.append(f"{job_id}: {len(wrong)} segments stand elsewhere in Redis, such as {min(wrong)}")
    return found


def _place(entry: SegmentEntry | None) -> tuple[str, ...] | None:
    if entry is None:
        return None
    return entry.stage, entry.receipt_key, entry.snapshots_key, entry.prints_key, entry.clusters_key
