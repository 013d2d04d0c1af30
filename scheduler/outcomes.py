"""Why a URL of a job has no response, what its server did wrong, and which spelling stood for which: read from
receipts and seeds, not Redis.

Receipts are what counts (`deploy/protocol.md, Order of writes`), so the answer survives a lost Redis. After such a
loss one URL can stand in two receipts; if either has a response, it is not missing. That takes one number of 8 bytes
for each URL that was answered, and the whole entry only for those that were not.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace

from scheduler.advice import WAIT, next_step
from scheduler.answered import Answers
from scheduler.suspicion import STOPPED
from schemas import keys
from schemas.records.job import StoredJob
from schemas.records.outcome import Outcome, UnfinishedVisit, UrlOutcome
from schemas.records.receipt import Receipt
from schemas.records.requisite import RequisiteOutcome
from workers.catalog.jobs import seeds_of
from workers.errors import CorruptError, ObjectMissingError
from workers.flows.documents import parse
from workers.ports import ObjectStore

INCOMPLETE = frozenset({Outcome.TRUNCATED, Outcome.MALFORMED, Outcome.REDIRECT_LIMIT})
MOST_MISSING_REQUISITES = 1_000
GONE = "restore it from a copy of the bucket; where there is none, `citevault rebuild` fetches its URLs again"
MAX_RECEIPT_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class MissingUrl:
    """A URL without a response, by its last try."""

    requested_url: str
    normalized_url: str
    visit: int
    outcome: Outcome
    failure: str
    """Why, in a sentence; empty where the capture gave none."""
    tries: int
    last_url: str
    """Where it ended: another URL than the requested one after a redirect."""
    receipt_key: str
    retry_at: str | None = None
    """When it is tried again; None: its outcome is final."""

    @property
    def next_step(self) -> str:
        """What to do about it, in a sentence."""
        return WAIT if self.retry_at is not None else next_step(self.outcome, self.failure)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to know of a server that answered wrongly while a URL was captured."""

    requested_url: str
    sentence: str


@dataclass(frozen=True, slots=True)
class IncompleteUrl:
    """A URL whose answer is in the archive, but not whole, or of doubtful extent, or no end of its redirects."""

    requested_url: str
    outcome: Outcome
    failure: str
    """Why, in a sentence."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """A line of the input that named a resource which an earlier line had named already."""

    asked: str
    fetched: str
    """The spelling that was fetched in its place: that of the seed."""
    line: int
    """Line of the seed."""


class MissingReader:
    """Reads the receipts of one job, some at a time. Receipts never change, so none is read twice."""

    def __init__(self, store: ObjectStore, job_id: str) -> None:
        self._store = store
        self._job_id = job_id
        self._read: set[str] = set()
        self._answered: set[int] = set()
        self._missing: dict[int, MissingUrl] = {}
        self._remarks: list[Remark] = []
        self._waiting: dict[int, Remark] = {}
        self._incomplete: dict[int, IncompleteUrl] = {}
        self._missing_requisites: list[RequisiteOutcome] = []
        self.unreadable: dict[str, CorruptError] = {}
        """Receipts that are damaged, by key: what they say of URLs is not known, and their place is not taken by
        silence. They are looked at again each time, since they may be restored from a copy."""
        self.answers = Answers()
        self.outcomes = 0
        """URLs in the receipts read so far."""
        self.requisites: Counter[Outcome] = Counter()
        """Outcomes of what pages needed."""

    async def advance(self, *, most: int | None = None) -> bool:
        """Read what is new, in order of batches, until `most` outcomes are held. False: there was more to read."""
        waiting = [key async for key in self._store.list(keys.receipts(self._job_id)) if key not in self._read]
        for key in sorted(waiting):
            if most is not None and self.outcomes >= most:
                return False
            data = await self._store.get(key, limit=MAX_RECEIPT_BYTES)
            # A thread: a receipt of 2,000 URLs takes long enough to read for others of this loop to notice.
            try:
                receipt = await asyncio.to_thread(parse, data, Receipt, key)
            except CorruptError as error:
                self.unreadable[key] = error
                continue
            self.unreadable.pop(key, None)
            self._add(key, receipt)
        return True

    def gone(self, receipts: Iterable[str]) -> dict[str, ObjectMissingError]:
        """Those of these receipts (keys) that were not there when all was read, though their segments are known."""
        return {
            key: ObjectMissingError("a receipt of this job is gone", where=key, next_step=GONE)
            for key in sorted(receipts)
            if key not in self._read and key not in self.unreadable
        }

    def missing(self, *, cancelled: bool = False) -> list[MissingUrl]:
        """What is known to be missing, in the order in which it was first read. Of a `cancelled` job nothing is tried
        again."""
        found = list(self._missing.values())
        if not cancelled:
            return found
        return [each if each.retry_at is None else _written_off(each) for each in found]

    def remarks(self, *, cancelled: bool = False) -> list[Remark]:
        """What is to be known of servers, in the order in which it was read; also of URLs that have their answer. Last
        come pages whose requisites wait for the job to be resumed, which a `cancelled` one never is."""
        waiting = self._waiting.values()
        return [*self._remarks, *(replace(each, sentence=STOPPED) if cancelled else each for each in waiting)]

    def incomplete(self) -> list[IncompleteUrl]:
        """What was answered and is not whole, in the order in which it was read."""
        return list(self._incomplete.values())

    def missing_requisites(self) -> list[RequisiteOutcome]:
        """What pages needed and did not get, at most 1,000, in the order in which it was read."""
        return list(self._missing_requisites)

    def _add(self, key: str, receipt: Receipt) -> None:
        if key in self._read:  # somebody else read on while we waited for the store
            return
        self._read.add(key)
        self.outcomes += len(receipt.outcomes)
        if receipt.warc is None:  # the scheduler ended the batch, and has a word on each page that was not through
            self._remarks += (
                Remark(page.requested_url, each) for page in receipt.completed for each in page.remarks[-1:]
            )
        for visit in receipt.unfinished:
            if visit.written is not None:
                self._waiting[_name(visit)] = Remark(visit.requested_url, visit.reason)
        for page in receipt.completed:
            self._waiting.pop(_name(page), None)
        for requisite in receipt.requisites:
            self._remarks += (Remark(requisite.url, sentence) for sentence in requisite.remarks)
        for outcome in receipt.outcomes:
            name = _name(outcome)
            self._remarks += (Remark(outcome.requested_url, sentence) for sentence in outcome.remarks)
            if outcome.outcome.has_response:
                if name not in self._answered:
                    self.answers.add(outcome, receipt.segment_id)
                self._answered.add(name)
                self._missing.pop(name, None)
                if outcome.outcome in INCOMPLETE:
                    why = outcome.failure or ""
                    self._incomplete.setdefault(name, IncompleteUrl(outcome.requested_url, outcome.outcome, why))
            elif name not in self._answered:
                self._missing[name] = _missing(outcome, key)  # of several tries the last one counts
        for requisite in receipt.requisites:
            self.requisites[requisite.outcome] += 1
            if not requisite.outcome.has_response and len(self._missing_requisites) < MOST_MISSING_REQUISITES:
                self._missing_requisites.append(requisite)


async def missing_urls(store: ObjectStore, job_id: str) -> AsyncIterator[MissingUrl]:
    """Every URL of a job that ended without a response, and why. A job without receipts gives nothing; CorruptError
    where one is damaged."""
    reader = MissingReader(store, job_id)
    await reader.advance()
    for damage in reader.unreadable.values():
        raise damage
    for missing in reader.missing():
        yield missing


async def requisites_of(store: ObjectStore, job_id: str, page_record: str) -> list[RequisiteOutcome]:
    """What was captured with a page, or why it was not; `page_record` is the record of its last answer. Reads all
    receipts of the job, since requisites may stand in a later part than their page."""
    found: list[RequisiteOutcome] = []
    for key in sorted([key async for key in store.list(keys.receipts(job_id))]):
        receipt = await asyncio.to_thread(parse, await store.get(key, limit=MAX_RECEIPT_BYTES), Receipt, key)
        found += (each for each in receipt.requisites if each.page_record == page_record)
    return found


async def spellings(store: ObjectStore, job: StoredJob) -> AsyncIterator[Spelling]:
    """Which spellings were not fetched themselves, since another one of the same resource was. In order of seeds."""
    if job.duplicates == 0:
        return
    async for seed in seeds_of(store, job):
        for asked in seed.also:
            yield Spelling(asked, seed.requested_url, seed.line)


def _name(outcome: UrlOutcome | UnfinishedVisit) -> int:
    """One visit of a resource in 8 bytes: a million of them collide once in some 37 million jobs (2^64 / 10^12 * 2)."""
    digest = hashlib.sha256(f"{outcome.visit}\n{outcome.normalized_url}".encode()).digest()
    return int.from_bytes(digest[:8])


def _written_off(url: MissingUrl) -> MissingUrl:
    return replace(url, outcome=Outcome.CANCELLED, retry_at=None)


def _missing(outcome: UrlOutcome, receipt_key: str) -> MissingUrl:
    last = outcome.final
    return MissingUrl(
        requested_url=outcome.requested_url,
        normalized_url=outcome.normalized_url,
        visit=outcome.visit,
        outcome=outcome.outcome,
        failure=outcome.failure or (last.failure if last is not None else None) or "",
        tries=outcome.tries,
        last_url=outcome.requested_url if last is None else last.location or last.url,
        receipt_key=receipt_key,
        retry_at=outcome.retry_at,
    )
