"""What of a job does not get on, and why: segments that were given up or fail, and answers that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, Literal

from schemas import keys
from schemas.counted import counted
from schemas.ids import utc_string
from schemas.records.base import LongText, Record, UtcTime
from schemas.records.unread import UnreadAnswer, UnreadAnswers
from workers.flows.documents import read_object
from workers.ports import BatchAside, Ledger, ObjectStore, SegmentEntry

NEXT_STEP: Final = "remove the cause, then `citevault retry JOB`"


class StuckSegment(Record):
    """A segment that could not leave its stage so far."""

    segment_id: str
    stage: Literal["committed", "extracted", "clustered", "published"]
    parked: bool
    """Given up; else it is tried again by itself."""
    error: LongText
    """The last one that a worker told; empty where none did."""


def stuck_segments(entries: Sequence[SegmentEntry]) -> tuple[StuckSegment, ...]:
    """Those among a job's segments."""
    return tuple(
        StuckSegment(segment_id=entry.segment_id, stage=entry.stage, parked=entry.parked, error=entry.error)
        for entry in entries
        if entry.parked or entry.error
    )


async def unread_answers(store: ObjectStore, job_id: str, entries: Sequence[SegmentEntry]) -> tuple[UnreadAnswer, ...]:
    """Answers of a job that have no snapshot since their record is damaged, by the extraction that counts."""
    current = {keys.unread(job_id, keys.extractor_of(each.snapshots_key), each.segment_id) for each in entries}
    found = sorted([key async for key in store.list(keys.unread_of(job_id)) if key in current])
    return tuple([answer for key in found for answer in (await read_object(store, key, UnreadAnswers)).answers])


class AsideBatch(Record):
    """A batch of a job that waits until an object is restored; none of its URLs is lost."""

    batch_id: str
    fault: LongText
    """Which object, what is wrong with it, and what to do."""
    looks: int
    next_look_at: UtcTime
    urls: int
    """That wait with it."""


def aside_batches(found: Sequence[BatchAside]) -> tuple[AsideBatch, ...]:
    """As they are told."""
    return tuple(
        AsideBatch(
            batch_id=each.batch_id,
            fault=each.fault,
            looks=each.looks,
            urls=each.urls,
            next_look_at=utc_string(datetime.fromtimestamp(each.next_look_ms / 1000, UTC)),
        )
        for each in found
    )


def aside_sentence(found: Sequence[BatchAside]) -> str:
    """How many batches are set aside, of which jobs, and why the first one is."""
    jobs = sorted({each.job_id for each in found})
    return f"{counted(len(found), 'batch is', 'batches are')} set aside, of {', '.join(jobs[:5])}: {found[0].fault}"


def damaged_sentence(found: Sequence[str]) -> str:
    """How many objects (keys) a rebuild could not read, which the first of them is, and what to do."""
    return (
        f"{counted(len(found), 'object')} could not be read when Redis was rebuilt, such as {found[0]}; next: "
        "restore what `citevault rebuild` names from a copy of the bucket, and rebuild again"
    )


async def stuck_sentences(ledger: Ledger, damaged: Sequence[str], aside: Sequence[BatchAside] = ()) -> list[str]:
    """What does not get on in the whole archive, a sentence each; empty where all does."""
    sentences = [aside_sentence(aside)] if aside else []
    parked, failing = await ledger.parked(), await ledger.failing()
    if parked:
        jobs = sorted({entry.job_id for entry in parked})
        are = counted(len(parked), "segment is", "segments are")
        sentences.append(f"{are} parked, of {', '.join(jobs[:5])}: {parked[0].error}")
    if failing:
        are = counted(len(failing), "segment fails and is", "segments fail and are")
        sentences.append(f"{are} tried again: {failing[0].error}")
    if damaged:
        sentences.append(damaged_sentence(damaged))
    return sentences
