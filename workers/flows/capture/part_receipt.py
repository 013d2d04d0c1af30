"""The receipt of one part: what its files are, and what became of its URLs."""

from __future__ import annotations

from hashlib import sha256

from schemas.keys import cdxj as cdxj_key
from schemas.keys import warc as warc_key
from schemas.records.job import StoredJob
from schemas.records.receipt import Receipt, StoredFile
from workers.archive.segment import ClosedSegment
from workers.flows.capture.part import Part
from workers.ports import Lease


def warc_key_of(part: Part, closed: ClosedSegment) -> str:
    """A left segment is stored as it is packed, whatever the setting is by now."""
    return warc_key(part.segment, part.attempt, closed.path.suffix.removeprefix("."))


def receipt_of(
    part: Part,
    closed: ClosedSegment,
    number: int,
    *,
    last: bool,
    job: StoredJob,
    lease: Lease,
    worker: str,
    committed_at: str,
) -> Receipt:
    """What commits a part. `number` within its batch; `last`: the batch ends with it."""
    return Receipt(
        schema="citevault/receipt@1",
        job_id=job.id,
        collection=job.collection,
        lane=job.lane,
        batch_id=lease.batch.batch_id,
        part=number,
        segment_id=part.segment,
        attempt=part.attempt,
        token=lease.token,
        worker=worker,
        opened_at=part.opened_at,
        committed_at=committed_at,
        warc=StoredFile(
            key=warc_key_of(part, closed),
            bytes=closed.size,
            sha256=closed.sha256,
            entries=closed.record_count,
        ),
        cdxj=StoredFile(
            key=cdxj_key(part.segment, part.attempt),
            bytes=len(closed.cdxj),
            sha256=sha256(closed.cdxj).hexdigest(),
            entries=closed.cdxj_count,
        ),
        warcinfo=closed.warcinfo,
        outcomes=tuple(part.outcomes),
        robots=tuple(part.robots),
        unfinished=tuple(part.unfinished),
        requisites=tuple(part.requisites),
        pending=tuple(part.pending),
        completed=tuple(part.completed),
        follow_depth=job.options.follow_depth,
        last=last,
    )
