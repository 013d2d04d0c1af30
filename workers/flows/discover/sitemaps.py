"""What sitemaps list, read from the archive: a job that asks for it follows their entries like links.

A sitemap is a page of the job like any other, so it is fetched by the same rules and archived. It is known by what it
is and not by how it was come by: that needs no state, and so it is the same after any crash. `robots.txt`, where it
is a page of the job, lists the sitemaps that it names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from schemas.records.job import SITEMAP_LEVELS
from schemas.records.outcome import UrlOutcome
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers.discover.sitemap import MAX_BYTES, Refused, named_by_robots, placed, read_sitemap
from workers.extract.decode import DecodeFailure, read_codings, remove_codings
from workers.extract.inflate import BrokenCodingError, TruncatedCodingError, gzip_pieces
from workers.flows.discover.listed import NOTHING_READ, Listed
from workers.flows.extract.answer import StoredAnswer, stored_answer
from workers.flows.extract.members import SegmentRecords
from workers.ports import Catalog, ObjectStore

TOO_FAR: Final = (
    f"it is {SITEMAP_LEVELS} links or more from what the job asked for, and sitemaps are read no further; next: "
    "archive it with a --sitemap of its own"
)
PIECE_BYTES: Final = 64 * 1024
ROBOTS_PATH: Final = "/robots.txt"
_GZIP_MAGIC: Final = b"\x1f\x8b"
_PACKED_TYPES: Final = ("application/gzip", "application/x-gzip", "application/octet-stream", "binary/octet-stream")


@dataclass(frozen=True, slots=True)
class StoredSitemaps:
    """The port `SitemapReader` over the archive's own records."""

    store: ObjectStore
    catalog: Catalog

    async def __call__(
        self, receipt: Receipt, lines: Sequence[SnapshotLine], depths: Mapping[str, int]
    ) -> dict[str, Listed]:
        """By normalized URL; one that is too many links from a seed is told, and nothing of it taken."""
        records = SegmentRecords(self.store, self.catalog, receipt)
        by_record = {line.snapshot.records.response: line for line in lines}
        found: dict[str, Listed] = {}
        for outcome in receipt.outcomes:
            place = outcome.final.record("response", "revisit") if outcome.final is not None else None
            line = by_record.get(place.record_id) if place is not None else None
            depth = min(outcome.depth, depths.get(outcome.normalized_url, outcome.depth))
            if line is None:
                continue
            far = depth >= SITEMAP_LEVELS
            looked_into = may_be_sitemap(line) and not (
                far and urlsplit(line.snapshot.final_url).path.lower() == ROBOTS_PATH
            )
            listed = await _listed(outcome, records, self.catalog) if looked_into else None
            if listed is None and depth == 0 and named_like_one(outcome.normalized_url):
                listed = _missed(line)
            if listed is not None and far:
                listed = Listed((), TOO_FAR)
            if listed is not None:
                found[outcome.normalized_url] = listed
        return found


def may_be_sitemap(line: SnapshotLine) -> bool:
    """Whether a page is worth looking into: by its type, or by its name where servers say something else."""
    snapshot = line.snapshot
    if snapshot.http_status is None or not (200 <= snapshot.http_status < 300 or snapshot.http_status == 304):
        return False
    path = urlsplit(snapshot.final_url).path.lower()
    kind = (snapshot.content_type or "").partition(";")[0].strip().lower()
    if path == ROBOTS_PATH or path.endswith((".xml", ".xml.gz")):
        return True
    return kind in ("text/xml", "application/xml") or (kind in _PACKED_TYPES and path.endswith(".gz"))


def named_like_one(url: str) -> bool:
    """Whether an address looks like that of a sitemap, so that a person is to hear where there is none."""
    path = urlsplit(url).path.lower()
    return path == ROBOTS_PATH or path.endswith((".xml", ".xml.gz")) or "sitemap" in path.rpartition("/")[2]


def _missed(line: SnapshotLine) -> Listed:
    """What a seed that is named like a sitemap, and is none, answered."""
    status = line.snapshot.http_status
    fine = status is None or 200 <= status < 300 or status == 304
    what = "answered with something that is no sitemap" if fine else f"answered {status}"
    return Listed((), f"{what}, {NOTHING_READ}", is_sitemap=False)


async def _listed(outcome: UrlOutcome, records: SegmentRecords, catalog: Catalog) -> Listed | None:
    answer = await stored_answer(outcome, records, catalog)
    if answer is None:
        return None
    try:
        return await asyncio.to_thread(_read, answer)
    finally:
        answer.close()


def _read(answer: StoredAnswer) -> Listed | None:
    """None: it is no sitemap."""
    if answer.content.payload_bytes > MAX_BYTES:
        return Listed((), f"it has {answer.content.payload_bytes} bytes, and {MAX_BYTES} are read at most")
    decoded = remove_codings(answer.content.payload(), read_codings(answer.header_values("Content-Encoding")))
    if isinstance(decoded, DecodeFailure):
        return Listed((), decoded.message)
    if urlsplit(answer.hop.url).path.lower() == ROBOTS_PATH:
        return Listed(_placed(named_by_robots(decoded.data), answer.hop.url))
    packed = decoded.data.startswith(_GZIP_MAGIC)
    listed = _entries(gzip_pieces(decoded.data) if packed else _pieces(decoded.data), answer.hop.url)
    if listed is not None and not listed.unread and not answer.complete:
        return Listed(listed.urls, "it was cut off while it was fetched")
    return listed


def _placed(locs: Iterable[str], sitemap_url: str) -> tuple[str, ...]:
    """Each address once."""
    return tuple(dict.fromkeys(placed(loc, sitemap_url) for loc in locs))


def _entries(pieces: Iterable[bytes], sitemap_url: str) -> Listed | None:
    locs: list[str] = []
    unread = ""
    try:
        for found in read_sitemap(pieces):
            if isinstance(found, Refused):
                if found.code == "sitemap.other-document":
                    return None
                unread = f"line {found.line}: {found.message} [{found.code}]"
            else:
                locs.append(found.url)
    except (BrokenCodingError, TruncatedCodingError) as error:
        unread = f"its gzip data is broken or ends early ({error})"
    return Listed(_placed(locs, sitemap_url), unread)


def _pieces(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), PIECE_BYTES):
        yield data[start : start + PIECE_BYTES]
