"""From visits to committed segments: records appended, fsynced in groups, and committed in the one right order.

Records on disk, fsynced -> WARC object confirmed -> CDXJ shard -> receipt (`create`: the commit point)
-> dedup keys and versions -> catalog and ledger -> frontier done -> announced. Commits of one batch go in the order
of their parts, one at a time, while the next segment is already being written. What is fsynced goes up while its
segment still grows (`upload.py`).
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ulid import ULID

from schemas.ids import segment_id, utc_string
from schemas.keys import cdxj as cdxj_key
from schemas.keys import warc as warc_key
from schemas.records.job import StoredJob
from schemas.records.outcome import Hop, UrlOutcome
from workers import metrics
from workers.archive.exchange_records import Unwritable, exchange_records
from workers.archive.journal import Standing, Told, remove_segment
from workers.archive.message import StoredMessage
from workers.archive.packing import ENDINGS
from workers.archive.record import Record
from workers.archive.revisit import AsResponse, Decision, OriginalRecord, decide
from workers.archive.salvage import Salvaged
from workers.archive.segment import ClosedSegment, Owner, SegmentWriter
from workers.catalog.receipts import original_of
from workers.errors import CitevaultError, FencedError
from workers.exchange import Exchange
from workers.flows.capture.gathering import Gathering
from workers.flows.capture.insist import insist
from workers.flows.capture.outcomes import hop_of, outcome_of, requisite_of, unfinished_of, with_next_try
from workers.flows.capture.part import Part
from workers.flows.capture.part_receipt import receipt_of, warc_key_of
from workers.flows.capture.provenance import warcinfo_of
from workers.flows.capture.recall import Recall, confirmed_by
from workers.flows.capture.requisite_visit import RequisiteVisit
from workers.flows.capture.settings import CapturePorts, CaptureSettings
from workers.flows.capture.settle import commit_receipt
from workers.flows.capture.upload import SegmentUpload
from workers.flows.capture.usual_visit import UsualVisit, usual_visit
from workers.flows.capture.visit import Unfinished, Visit
from workers.flows.capture.waiting import Waiting, waiting_of
from workers.ports import Lease

LOG = logging.getLogger(__name__)
INLINE_BYTES = 256 * 1024  # a larger body is compressed in a thread, so that the loop goes on
LAST_SECONDS = 2.0
"""For what waits to be written when a batch is given up."""
MOST_TOGETHER = 32
"""Visits that are written in one go, while nothing else is done."""


@dataclass(slots=True)
class _Open:
    """The segment that is being written."""

    part: Part
    writer: SegmentWriter
    upload: SegmentUpload
    originals: dict[str, OriginalRecord] = field(default_factory=dict)
    """Payloads that stand in this very file."""


class Recorder:
    """Writes the visits of one batch. Safe for many coroutines of one loop."""

    def __init__(
        self,
        ports: CapturePorts,
        settings: CaptureSettings,
        job: StoredJob,
        lease: Lease,
        *,
        next_part: int,
        host_ready_ms: Callable[[], Mapping[str, int]],
    ) -> None:
        self._ports = ports
        self._settings = settings
        self._job = job
        self._lease = lease
        self._part = next_part
        self._host_ready_ms = host_ready_ms
        self.waiting = Gathering(self._write)
        """Visits that have ended."""
        self._pending: dict[str, UrlOutcome] = {}
        """Pages whose requisites are still being fetched, by normalized URL."""
        self._lock = asyncio.Lock()
        self._open: _Open | None = None
        self._committing: asyncio.Task[None] | None = None
        self._fenced = False

    @property
    def parts(self) -> int:
        """How many parts of the batch are committed, or on their way."""
        return self._part

    async def write(self, visit: Visit | Unfinished | RequisiteVisit, *, pending: bool = False) -> tuple[Hop, ...]:
        """Append the records of one URL, or of one requisite of a page; its hops as the receipt will have them. All of
        them stand in one segment. With `pending` the visit of a page is not over before `complete` says so."""
        return await self.waiting.write(waiting_of(visit, pending=pending))

    async def complete(self, normalized_url: str) -> None:
        """The requisites of a page that was written as pending have ended: its visit is over."""
        async with self._lock:
            page = self._pending.pop(normalized_url)
            current = self._open or self._start()
            current.writer.note(page, standing="completed")
            current.part.add(page, (), "completed")

    def go_on(self, pending: Iterable[UrlOutcome]) -> None:
        """Pages that an earlier worker of the batch left as pending: they are this one's to complete."""
        self._pending |= {page.normalized_url: page.model_copy(update={"hops": ()}) for page in pending}

    async def _write(self, together: list[Waiting]) -> None:
        digests = [digest for waiting in together for digest in waiting.digests()]
        known = await self._ports.revisits.find(self._job.collection, digests)
        for start in range(0, len(together), MOST_TOGETHER):
            some = together[start : start + MOST_TOGETHER]
            async with self._lock:
                await self._write_usual(self._open or self._start(), some, known)
            for waiting in some:
                if not waiting.written:
                    async with self._lock:
                        await self._write_one(self._open or self._start(), waiting, known)

    async def _write_usual(self, current: _Open, together: list[Waiting], known: Mapping[str, OriginalRecord]) -> None:
        """Those that are of the usual kind, step by step for all of them: a step is quick while its code and tables are
        at hand, and slow after another one's."""
        chosen: dict[str, tuple[Waiting, UsualVisit, tuple[Record, Record], list[Hop], Sequence[bytes]]] = {}
        for waiting in together:
            usual = usual_visit(waiting.visit, waiting.messages)
            if usual is None or usual.digest in known or usual.digest in current.originals or usual.digest in chosen:
                continue
            records = usual.records(current.writer.warcinfo_id)
            if records is not None:
                robots = await self._robots(current, waiting, known) if usual.visit.robots else []
                of_robots = current.writer.lines_to_note() if robots else ()
                chosen[usual.digest] = waiting, usual, records, robots, of_robots
        if not chosen:
            return
        appended = current.writer.append_each([each[2] for each in chosen.values()], self._ports.clock.monotonic())
        for (waiting, usual, _, robots, of_robots), (places, lines) in zip(chosen.values(), appended, strict=True):
            told = usual.told(places, self._job.id)
            current.originals[usual.digest] = told.original
            current.part.tally.add(usual.exchange, told.hop)
            self._tell(current, waiting, told.outcome, robots, lines=[*of_robots, *lines], json=told.json)
            waiting.end(told.outcome.hops)

    async def _robots(self, current: _Open, waiting: Waiting, known: Mapping[str, OriginalRecord]) -> list[Hop]:
        """Append what was fetched of robots.txt before the page."""
        fetched = zip(waiting.visit.robots, waiting.messages, strict=False)
        return [await self._append(current, exchange, message, known, None) for exchange, message in fetched]

    async def _write_one(self, current: _Open, waiting: Waiting, known: Mapping[str, OriginalRecord]) -> None:
        hops = [
            await self._append(current, exchange, message, known, recall)
            for exchange, message, recall in zip(waiting.exchanges, waiting.messages, waiting.recalls(), strict=True)
        ]
        visit = waiting.visit
        robots, own = hops[: len(visit.robots)], tuple(hops[len(visit.robots) :])
        told: Told | None = None
        if isinstance(visit, Visit):
            told = outcome_of(visit, own, self._job)
            told = with_next_try(told, self._settings.retries, self._ports.clock.now(), self._lease.calls)
        elif isinstance(visit, RequisiteVisit):
            told = requisite_of(visit, own)
        elif visit.resumes_at is not None:
            told = unfinished_of(visit, own, visit.resumes_at)
        self._tell(current, waiting, told, robots)
        waiting.end(own)

    def _tell(
        self,
        current: _Open,
        waiting: Waiting,
        told: Told | None,
        robots: Sequence[Hop],
        *,
        lines: Sequence[bytes] | None = None,
        json: bytes | None = None,
    ) -> None:
        """To journal and receipt."""
        standing: Standing = "pending" if waiting.pending else "ended"
        if waiting.pending and isinstance(told, UrlOutcome):
            self.go_on([told])
        if json is None and told is not None:
            json = told.model_dump_json().encode()
        current.writer.note(told, robots, standing, lines=lines, json=json)
        current.part.add(told, robots, standing, json)

    async def tick(self) -> None:
        """Make durable what is due, and commit a segment that is full. Raises what an earlier commit raised."""
        if self._committing is not None and self._committing.done():
            await self._committing
        async with self._lock:
            current = self._open
            if current is None:
                return
            now = self._ports.clock.monotonic()
            if current.writer.needs_sync(now, self._settings.sync_bytes, self._settings.sync_seconds):
                await asyncio.to_thread(current.writer.sync)
            if self._is_full(current.writer, now):
                await self._close(current, last=False)
            elif self._committing is None or self._committing.done():  # a commit is waited for; parts are not
                current.upload.go_on(current.writer.synced_size)

    async def finish(self) -> None:
        """Commit what is open and wait for all commits; the batch ends with it."""
        async with self._lock:
            rest = self._open
            if rest is not None:
                await self._close(rest, last=True)
        if self._committing is not None:
            await self._committing
        if rest is None:  # no receipt says that the batch ends
            await self._end_batch()

    @property
    def pages_wait(self) -> bool:
        """Whether there are pages whose requisites have not all been fetched."""
        return bool(self._pending)

    async def hand_over(self) -> None:
        """Commit what is open and wait for all commits; the batch goes on with whoever takes it next."""
        async with self._lock:
            if self._open is not None:
                await self._close(self._open, last=False)
        if self._committing is not None:
            await self._committing

    async def adopt(self, found: Salvaged) -> None:
        """Commit what another worker left of this batch, as its next part."""
        head = found.head
        part = Part(head.segment_id, head.attempt, head.opened_at)
        for visit in found.visits:
            part.add(visit.told, visit.robots, visit.standing)
            for hop in visit.hops:
                part.tally.add(None, hop)
        number, self._part = self._part, self._part + 1
        upload = self._upload_of(warc_key_of(part, found.closed), found.closed.path, left=True)
        await self._commit(part, upload, found.closed, number, last=False)
        metrics.SEGMENTS.labels("resumed").inc()

    async def give_up(self) -> None:
        """Stop a running commit. The open file stays, for who takes the batch next, with all visits that have ended; a
        fenced worker's is dropped, since the capture that counts is another's."""
        if self._committing is not None:
            self._committing.cancel()
            await asyncio.wait({self._committing})
        if not self._fenced:
            with suppress(OSError, CitevaultError):  # what cannot be written any more is fetched again
                async with asyncio.timeout(LAST_SECONDS):
                    await self.waiting.drain()
        if self._open is not None:
            (writer, upload), self._open = (self._open.writer, self._open.upload), None
            if self._fenced:
                writer.discard()
            else:
                writer.abandon()
            await upload.stop(abort=not writer.open_path.exists())

    def _is_full(self, writer: SegmentWriter, now: float) -> bool:
        started = writer.first_record_at
        aged = started is not None and now - started >= self._settings.segment_seconds
        return aged or writer.size >= self._settings.segment_bytes

    def _start(self) -> _Open:
        opened_at = utc_string(self._ports.clock.now())
        segment, attempt = segment_id(opened_at, str(ULID())), secrets.token_hex(4)
        batch, compression = self._lease.batch, self._settings.compression
        key = warc_key(segment, attempt, ENDINGS[compression])
        writer = SegmentWriter(
            self._ports.files.folder(batch.batch_id),
            segment,
            attempt,
            warcinfo_of(self._settings, self._job),
            created_at=opened_at,
            owner=Owner(self._job.id, batch.batch_id),
            cdxj_filename=key.removeprefix("warc/"),
            compression=compression,
            part_bytes=self._settings.part_bytes,
        )
        upload = self._upload_of(key, writer.open_path, written=lambda: writer.part_digests)
        self._open = _Open(Part(segment, attempt, opened_at), writer, upload)
        return self._open

    def _upload_of(
        self, key: str, path: Path, *, written: Callable[[], Sequence[str]] = tuple, left: bool = False
    ) -> SegmentUpload:
        store, clock, part_bytes = self._ports.store, self._ports.clock, self._settings.part_bytes
        return SegmentUpload(store, clock, key, path, part_bytes, written=written, left=left)

    async def _append(
        self,
        current: _Open,
        exchange: Exchange,
        message: StoredMessage | None,
        known: Mapping[str, OriginalRecord],
        recall: Recall | None,
    ) -> Hop:
        digest = message.payload_sha256 if message and message.payload_bytes else None
        found = None if digest is None else current.originals.get(digest) or known.get(digest)
        found = confirmed_by(exchange, recall) or found
        decision = _decide(exchange, message, found)
        records = exchange_records(exchange, decision, warcinfo_id=current.writer.warcinfo_id, message=message)
        if isinstance(records, Unwritable):
            return hop_of(exchange, exchange.outcome, (), failure=records.why)
        size = exchange.response.content.size if exchange.response is not None else 0
        now = self._ports.clock.monotonic()
        if size > INLINE_BYTES:
            places = await asyncio.to_thread(current.writer.append, records.all, now)
        else:
            places = current.writer.append(records.all, now)
        has_digest = message is not None and message.payload_sha256 is not None
        hop = hop_of(exchange, records.outcome, places, refers_to=records.refers_to, reusable=has_digest, recall=recall)
        if (original := original_of(hop)) is not None:
            current.originals.setdefault(original.content_sha256, original)
        current.part.tally.add(exchange, hop)
        return hop

    async def _close(self, current: _Open, *, last: bool) -> None:
        """Close the file and start its commit. The commit before must have ended: a slow store holds the visits
        back rather than let the disk fill."""
        if self._committing is not None:
            await self._committing
        self._open = None
        closed = await asyncio.to_thread(current.writer.close)
        number, self._part = self._part, self._part + 1
        self._committing = asyncio.create_task(self._commit(current.part, current.upload, closed, number, last))

    async def _commit(self, part: Part, upload: SegmentUpload, closed: ClosedSegment, number: int, last: bool) -> None:
        """Commit one part. Its file is gone once it is committed, or once another worker's part is; else it stays, for
        who takes the batch next."""
        try:
            await self._store(part, upload, closed, number, last)
        except FencedError:
            self._fenced = True
            remove_segment(closed.path)
            raise
        remove_segment(closed.path)
        LOG.info(
            "segment committed segment=%s part=%d urls=%d records=%d bytes=%d",
            part.segment,
            number,
            len(part.outcomes),
            closed.record_count,
            closed.size,
        )

    async def _store(self, part: Part, upload: SegmentUpload, closed: ClosedSegment, number: int, last: bool) -> None:
        with metrics.COMMIT_SECONDS.time():
            cdxj = cdxj_key(part.segment, part.attempt)
            await insist(lambda: upload.finish(closed))
            await insist(lambda: self._ports.store.put(cdxj, closed.cdxj, content_type="text/x-cdxj"))
            receipt = receipt_of(
                part,
                closed,
                number,
                last=last,
                job=self._job,
                lease=self._lease,
                worker=self._settings.worker,
                committed_at=utc_string(self._ports.clock.now()),
            )
            await insist(lambda: commit_receipt(self._ports, receipt, self._lease, self._host_ready_ms(), part.json))
            part.tally.tell()

    async def _end_batch(self) -> None:
        await self._ports.frontier.commit(
            self._lease,
            {},
            now_ms=int(self._ports.clock.now().timestamp() * 1000),
            ready_at_ms=self._host_ready_ms(),
            last=True,
        )


def _decide(exchange: Exchange, message: StoredMessage | None, found: OriginalRecord | None) -> Decision:
    if message is None:
        return AsResponse("nothing came back")
    return decide(exchange, message, found)
