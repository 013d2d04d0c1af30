"""Every record that a receipt tells of can be found, whatever it was captured as: a revisit may refer to any."""

from __future__ import annotations

import io
import uuid
from collections.abc import Iterator
from typing import BinaryIO

from schemas.canonical import canonical_bytes
from schemas.records.job import Lane
from schemas.records.outcome import Hop, Outcome, RecordLocation, UnfinishedVisit, UrlOutcome
from schemas.records.receipt import Receipt, StoredFile, Token
from validator.locations import Locations
from validator.place import Unavailable

AT = "2026-11-29T10:00:00.000000Z"


class OneReceipt:
    """A place that holds nothing else."""

    def __init__(self, receipt: Receipt) -> None:
        self._data = canonical_bytes(receipt)

    def open(self, name: str, max_bytes: int) -> BinaryIO | Unavailable:
        return io.BytesIO(self._data)

    def open_range(self, name: str, offset: int, length: int, max_bytes: int) -> BinaryIO | Unavailable:
        return io.BytesIO(self._data[offset : offset + length])

    def names(self, prefix: str) -> Iterator[str] | Unavailable:
        return iter(["commits/job-1/b-1-0000.json"] if prefix == "commits/" else [])


def hop(number: int) -> Hop:
    record = RecordLocation(
        record_id=f"urn:uuid:{uuid.UUID(int=number)}", type="response", offset=number * 100, length=100
    )
    return Hop(url=f"https://a.test/{number}", outcome=Outcome.CAPTURED, retrieved_at=AT, records=(record,))


def test_records_of_robots_files_and_of_visits_that_go_on_later_are_found_too():
    page, robots, redirect = hop(1), hop(2), hop(3)
    url = {"requested_url": "https://a.test/", "normalized_url": "https://a.test/", "visit": 1}
    file = StoredFile(key="warc/x.warc.gz", bytes=400, sha256="ab" * 32, entries=4)
    receipt = Receipt(
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
        warc=file,
        cdxj=file,
        warcinfo=None,
        outcomes=(UrlOutcome(outcome=Outcome.CAPTURED, hops=(page,), **url),),
        robots=(robots,),
        unfinished=(UnfinishedVisit(hops=(redirect,), resumes_at="https://b.test/", reason="no turn", **url),),
    )
    with Locations() as locations:
        locations.read(OneReceipt(receipt))
        for each in (page, robots, redirect):
            place = locations.find(each.records[0].record_id)
            assert place is not None
            assert (place.key, place.offset) == ("warc/x.warc.gz", each.records[0].offset)
