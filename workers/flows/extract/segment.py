"""One committed segment: read its answers, extract, write texts, fingerprints and snapshot lines, in that order.

The lines' `create` is the commit of the stage: of two workers one wins, and the other goes on with what is
there. Everything after it is derived from the lines and may be done twice.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from schemas import keys
from schemas.ids import utc_string
from schemas.messages import ClusterSegment
from schemas.records.cluster import Fingerprint
from schemas.records.outcome import UrlOutcome
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers import metrics
from workers.dedup.fingerprint import NamedText, fingerprints
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.errors import CorruptError, RetryableError
from workers.extract.extraction import Extracted
from workers.extract.options import Focus, html_extractor_id
from workers.flows.documents import pack_lines, read_lines_object, read_object
from workers.flows.extract.answer import StoredAnswer, stored_answer
from workers.flows.extract.members import SegmentRecords
from workers.flows.extract.ports import ExtractPorts, OutputPorts
from workers.flows.extract.reading import Reader
from workers.flows.extract.snapshot import identity_of, line_of, snapshot_of
from workers.flows.extract.texts import TextFile
from workers.flows.extract.unread import Unread, tell_unread
from workers.ports import SegmentEntry

LOG = logging.getLogger(__name__)

CHARS_TOGETHER = 256 * 1024
"""Texts are fingerprinted together from this size on: alone, a text of a thousand words takes three times as long."""


@dataclass(frozen=True, slots=True)
class ExtractedSegment:
    """What stands in the store now. `created`: by this call, not by another worker before it."""

    segment_id: str
    snapshots_key: str
    prints_key: str
    lines: tuple[SnapshotLine, ...]
    created: bool


async def extract_segment(receipt_key: str, ports: ExtractPorts) -> ExtractedSegment:
    """Extract every last answer of a segment. Idempotent.

    An answer whose bytes are not what was written costs only itself: it is told under `parked/answers/`, and the rest
    is extracted. CorruptError where not a single one can be read; RetryableError means that the store, the sandbox or
    a revisit's original cannot be had now.
    """
    receipt = await read_object(ports.store, receipt_key, Receipt)
    pipeline = html_extractor_id()  # each snapshot names its own extractor; the objects carry that of HTML
    snapshots_key = keys.snapshots(pipeline, receipt.segment_id)
    prints_key = keys.prints(PIPELINE_PARAMS, pipeline, receipt.segment_id)
    lines: Sequence[SnapshotLine] | None = None
    if await ports.store.info(snapshots_key) is None:
        lines = await write_outputs(receipt, ports)
    created = lines is not None
    if lines is None:
        lines = await read_lines_object(ports.store, snapshots_key, SnapshotLine)
    extracted = ExtractedSegment(receipt.segment_id, snapshots_key, prints_key, tuple(lines), created)
    await _settle(receipt, receipt_key, extracted, ports)
    return extracted


async def write_outputs(receipt: Receipt, ports: OutputPorts, focus: Focus = "balanced") -> list[SnapshotLine] | None:
    """Texts, fingerprints, lines. None where another worker's lines were there first."""
    pipeline = html_extractor_id(focus)
    snapshots_key = keys.snapshots(pipeline, receipt.segment_id)
    prints_key = keys.prints(PIPELINE_PARAMS, pipeline, receipt.segment_id)
    attempt, made_at = secrets.token_hex(4), utc_string(ports.clock.now())
    texts = TextFile(pipeline, receipt.segment_id, attempt, software=ports.software, made_at=made_at)
    work = _Work(receipt, attempt, ports, texts, made_at, focus)
    for outcome in receipt.outcomes:
        await work.add(outcome)
    work.print_waiting()
    if work.unread and not work.lines:
        raise work.unread[0].error  # nothing was read: it is the file, so the segment as a whole waits
    await tell_unread(work.unread, receipt, pipeline, made_at, ports.store)
    if texts.texts:
        await ports.store.put(texts.key, texts.data(), content_type="application/warc")
    # Equal texts have equal fingerprints, so another worker's are as good; lines without one are not clustered.
    await ports.store.create(prints_key, pack_lines(work.prints), content_type="application/gzip")
    if not await ports.store.create(snapshots_key, pack_lines(work.lines), content_type="application/gzip"):
        LOG.info("another worker extracted this segment first segment=%s", receipt.segment_id)
        return None
    for line in work.lines:
        metrics.SNAPSHOTS.labels(line.snapshot.reader_status.value).inc()
    LOG.info("segment extracted segment=%s snapshots=%d texts=%d", receipt.segment_id, len(work.lines), texts.texts)
    return work.lines


class _Work:
    """The lines and fingerprints of one attempt, as they grow."""

    def __init__(
        self, receipt: Receipt, attempt: str, ports: OutputPorts, texts: TextFile, made_at: str, focus: Focus
    ) -> None:
        self.lines: list[SnapshotLine] = []
        self.prints: list[Fingerprint] = []
        self.unread: list[Unread] = []
        self._waiting: list[tuple[int, NamedText]] = []
        """Texts without a fingerprint so far, and the places of their lines."""
        self._receipt = receipt
        self._attempt = attempt
        self._texts = texts
        self._made_at = made_at
        self._catalog = ports.catalog
        self._records = SegmentRecords(ports.store, ports.catalog, receipt)
        self._reader = Reader(ports.extractor, ports.decoding, focus)

    async def add(self, outcome: UrlOutcome) -> None:
        """One URL: a snapshot where its last hop has an answer (X18), nothing otherwise."""
        try:
            answer = await self._answer(outcome)
        except CorruptError as error:
            self.unread.append(Unread(outcome, error))
            return
        if answer is None:
            return
        try:
            await self._add(answer)
        finally:
            answer.close()

    async def _answer(self, outcome: UrlOutcome) -> StoredAnswer | None:
        """Before the first is called corrupt the file is fetched again: its bytes may have gone wrong on the way."""
        try:
            return await stored_answer(outcome, self._records, self._catalog)
        except CorruptError:
            if self.unread:
                raise
            self._records.forget()
            return await stored_answer(outcome, self._records, self._catalog)

    async def _add(self, answer: StoredAnswer) -> None:
        reading = await self._reader.read(answer)
        identity = identity_of(answer)
        found = reading.result if isinstance(reading.result, Extracted) and reading.result.text else None
        conversion = self._texts.add(answer, found, reading.decoded_sha256) if found else None
        snapshot = snapshot_of(self._receipt, answer, identity, reading, conversion)
        line = line_of(self._receipt, self._attempt, answer, snapshot, reading, conversion, shingles=0)
        self.lines.append(line.model_copy(update={"extracted_at": self._made_at}))
        if found is not None and conversion is not None and snapshot.citeable:
            self._waiting.append((len(self.lines) - 1, NamedText(found.text, conversion.text_sha256, snapshot.id)))
            if sum(len(named.text) for _, named in self._waiting) >= CHARS_TOGETHER:
                self.print_waiting()

    def print_waiting(self) -> None:
        """Take the fingerprints of the texts that wait for it, and write into their lines how many shingles they
        have."""
        made = fingerprints([named for _, named in self._waiting])
        for (place, _), mark in zip(self._waiting, made, strict=True):
            self.lines[place] = self.lines[place].model_copy(update={"text_shingles": mark.shingles})
        self.prints += made
        self._waiting.clear()


async def _settle(receipt: Receipt, receipt_key: str, extracted: ExtractedSegment, ports: ExtractPorts) -> None:
    """Catalog, links, ledger, message: in this order. A page is in the catalog before its depth is looked up, so that
    who brings it nearer meanwhile finds it there; and a job does not end before its links are queued."""
    await ports.catalog.add_snapshots(extracted.snapshots_key, extracted.lines)
    await ports.links.take_links(receipt, extracted.lines)
    await ports.ledger.advance(
        SegmentEntry(
            segment_id=receipt.segment_id,
            job_id=receipt.job_id,
            lane=receipt.lane,
            stage="extracted",
            receipt_key=receipt_key,
            snapshots_key=extracted.snapshots_key,
            prints_key=extracted.prints_key,
            since_ms=int(ports.clock.now().timestamp() * 1000),
        )
    )
    message = ClusterSegment(
        schema="citevault/cluster-segment@1",
        lane=receipt.lane,
        segment_id=receipt.segment_id,
        snapshots_key=extracted.snapshots_key,
        prints_key=extracted.prints_key,
        receipt_key=receipt_key,
    )
    try:
        await ports.announcer.announce(message)
    except RetryableError as error:  # the ledger sweep sends it again
        LOG.warning("cluster not announced segment=%s error=%s", receipt.segment_id, error)
