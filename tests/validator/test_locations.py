"""Every record that a receipt tells of can be found, whatever it was captured as: a revisit may refer to any."""

from __future__ import annotations

import io
import uuid
from collections.abc import Callable, Iterator
from typing import BinaryIO

from schemas.canonical import canonical_bytes
from schemas.records.compaction import Compaction
from schemas.records.job import Lane
from schemas.records.outcome import Hop, Outcome, RecordLocation, UnfinishedVisit, UrlOutcome
from schemas.records.receipt import Receipt, StoredFile, Token
from validator.found import Found
from validator.locations import Locations
from validator.place import Unavailable

AT = "2026-11-29T10:00:00.000000Z"
FILE = StoredFile(key="warc/x.warc.gz", bytes=400, sha256="ab" * 32, entries=4)


class Documents:
    """A place that holds a receipt, compactions, and nothing else."""

    def __init__(self, receipt: Receipt, *compactions: Compaction) -> None:
        self._files = {"commits/job-1/b-1-0000.json": canonical_bytes(receipt)}
        for each in compactions:
            self._files[f"compactions/{each.sequence:010d}.json"] = canonical_bytes(each)

    def open(self, name: str, max_bytes: int) -> BinaryIO | Unavailable:
        return io.BytesIO(self._files[name])

    def open_range(self, name: str, offset: int, length: int, max_bytes: int) -> BinaryIO | Unavailable:
        return io.BytesIO(self._files[name][offset : offset + length])

    def names(self, prefix: str) -> Iterator[str] | Unavailable:
        return (name for name in self._files if name.startswith(prefix))


def hop(number: int) -> Hop:
    record = RecordLocation(
        record_id=f"urn:uuid:{uuid.UUID(int=number)}", type="response", offset=number * 100, length=100
    )
    return Hop(url=f"https://a.test/{number}", outcome=Outcome.CAPTURED, retrieved_at=AT, records=(record,))


def receipt_of(*hops: Hop, robots: Hop, redirect: Hop) -> Receipt:
    url = {"requested_url": "https://a.test/", "normalized_url": "https://a.test/", "visit": 1}
    return Receipt(
        schema="citevault/receipt@1",
        job_id="job-1",
        collection="default",
        lane=Lane.BULK,
        batch_id="b-1",
        part=0,
        segment_id="s-1",
        attempt="a1",
        token=Token(epoch=1, counter=1),
        worker="w",
        opened_at=AT,
        committed_at=AT,
        warc=FILE,
        cdxj=FILE,
        warcinfo=None,
        outcomes=(UrlOutcome(outcome=Outcome.CAPTURED, hops=hops, **url),),
        robots=(robots,),
        unfinished=(UnfinishedVisit(hops=(redirect,), resumes_at="https://b.test/", reason="no turn", **url),),
    )


def test_a_file_that_was_joined_is_followed_to_where_it_lies_now(compaction_of: Callable[..., Compaction]):
    page, robots, redirect = hop(1), hop(2), hop(3)
    other, third = (StoredFile(key=f"warc/{name}", bytes=30, sha256="ab" * 32, entries=2) for name in "yz")
    once = compaction_of(1, "warc/once", other, FILE)
    again = compaction_of(2, "warc/again", third, once.warc)
    with Locations() as locations:
        locations.read(Documents(receipt_of(page, robots=robots, redirect=redirect), again, once), Found())
        for each in (page, robots, redirect):
            place = locations.find(each.records[0].record_id)
            assert place is not None
            assert (place.key, place.offset) == ("warc/again", 50 + 30 + 50 + 30 + each.records[0].offset)


def test_records_of_robots_files_and_of_visits_that_go_on_later_are_found_too():
    page, robots, redirect = hop(1), hop(2), hop(3)
    with Locations() as locations:
        locations.read(Documents(receipt_of(page, robots=robots, redirect=redirect)), Found())
        for each in (page, robots, redirect):
            place = locations.find(each.records[0].record_id)
            assert place is not None
            assert (place.key, place.offset) == ("warc/x.warc.gz", each.records[0].offset)
