"""The receipt: the commit point of a capture. What no receipt names is garbage.

(`deploy/protocol.md, Order of writes`)"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.records.base import Count, Id, Record, Sha256, ShortText, Url, UtcTime
from schemas.records.job import CollectionName, Lane
from schemas.records.outcome import Hop, RecordLocation, UnfinishedVisit, UrlOutcome
from schemas.records.requisite import RequisiteOutcome


class StoredFile(Record):
    """An object that the receipt confirms. `entries`: WARC records or CDXJ lines."""

    key: ShortText
    bytes: Count
    sha256: Sha256
    entries: Count


class Token(Record):
    """Fencing token of a lease: (epoch, counter), compared in that order."""

    epoch: Count
    counter: Count


class Receipt(Record):
    """One per segment. Its key has no attempt in it, so the store lets one of two workers win."""

    schema_id: Literal["citevault/receipt@1"] = Field(alias="schema")
    job_id: Id
    collection: CollectionName
    lane: Lane
    batch_id: Id
    part: Count
    segment_id: Id
    attempt: Id
    token: Token
    worker: ShortText
    opened_at: UtcTime
    committed_at: UtcTime
    warc: StoredFile | None
    """None where no URL of the part made a record."""
    cdxj: StoredFile | None
    warcinfo: RecordLocation | None
    outcomes: tuple[UrlOutcome, ...]
    robots: tuple[Hop, ...] = ()
    """robots.txt captures made on the way; they are records too, but no URL of the job."""
    unfinished: tuple[UnfinishedVisit, ...] = ()
    """What was received for URLs that have no outcome yet."""
    requisites: tuple[RequisiteOutcome, ...] = ()
    """What pages of this batch need to look as they did; records like any other, but no URLs of the job."""
    pending: tuple[Url, ...] = ()
    """Normalized URLs among `outcomes` whose requisites were still being fetched when this part was closed. Their visit
    is over when a later part names them under `completed`."""
    completed: tuple[UrlOutcome, ...] = ()
    """Pages that an earlier part had as `pending`. Without hops, which stand there."""
    follow_depth: Count = 0
    """How many links deep the job goes; 0: the links of its pages are not looked at."""
    last: bool = False
    """Whether the batch ends with this part."""

    @property
    def ended(self) -> tuple[UrlOutcome, ...]:
        """The URLs whose visit is over with this part."""
        if not self.pending:
            return self.outcomes + self.completed
        pending = set(self.pending)
        return (*(each for each in self.outcomes if each.normalized_url not in pending), *self.completed)
