"""What became of a URL. An HTTP status is a field of a capture, never an outcome (`scheduler/README.md, Outcomes`)."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from schemas.records.base import Count, Id, Record, RecordId, Sha256, ShortText, Url, UtcTime


class Outcome(StrEnum):
    """The one vocabulary that CLI, API, metrics and receipts share."""

    CAPTURED = "captured"
    REVISIT = "revisit"
    NOT_MODIFIED = "not_modified"
    TRUNCATED = "truncated"
    MALFORMED = "malformed"
    ROBOTS_DENIED = "robots_denied"
    ROBOTS_UNREACHABLE = "robots_unreachable"
    GUARD_DENIED = "guard_denied"
    DNS_FAILED = "dns_failed"
    CONNECT_FAILED = "connect_failed"
    TLS_FAILED = "tls_failed"
    TIMEOUT = "timeout"
    EMPTY_REPLY = "empty_reply"
    REDIRECT_LIMIT = "redirect_limit"
    OUT_OF_SCOPE = "out_of_scope"
    BUDGET_SPENT = "budget_spent"
    CANCELLED = "cancelled"
    PARKED = "parked"

    @property
    def has_response(self) -> bool:
        """Whether the server answered, so that a response or revisit record stands for it."""
        return self in WITH_RESPONSE


WITH_RESPONSE = frozenset(
    {
        Outcome.CAPTURED,
        Outcome.REVISIT,
        Outcome.NOT_MODIFIED,
        Outcome.TRUNCATED,
        Outcome.MALFORMED,
        Outcome.REDIRECT_LIMIT,
    }
)

RecordType = Literal["warcinfo", "request", "response", "revisit", "metadata", "conversion", "resource"]


class RecordLocation(Record):
    """Where one WARC record's gzip member lies in the file that the surrounding document names."""

    record_id: RecordId
    type: RecordType
    offset: Count
    length: Count


class Representation(Record):
    """The content of a whole 200 of a URL: which record a 304 confirms, and for how long it has stood unseen."""

    record_id: RecordId | None
    """The `response` record of this very URL, never a revisit; None: its head would be another one's, or a revisit may
    not refer to it. Then nothing is asked."""
    retrieved_at: UtcTime | None
    """Its WARC-Date."""
    content_sha256: Sha256
    content_bytes: Count
    content_type: ShortText | None = None
    received_at: UtcTime
    """When this content last came in full."""
    confirmed: Count = 0
    """How many 304 in a row have stood for it since."""


class Revalidation(Record):
    """What the next request for this URL can ask with (RFC 9110, 8.8 and 13.1). With neither validator: it had some
    before, and has none any more."""

    etag: ShortText | None = None
    """Verbatim, quotes and `W/` included (R082)."""
    last_modified: ShortText | None = None
    distrusted: bool = False
    """The server was seen to change content under these validators, or to answer them wrongly: they are not sent."""
    representation: Representation | None = None
    """What they belong to; None: the hop's own response."""


class Hop(Record):
    """One HTTP exchange on the way from the requested URL to its answer, with the records that hold it."""

    url: Url
    outcome: Outcome
    http_status: int | None = None
    retrieved_at: UtcTime
    content_sha256: Sha256 | None = None
    content_bytes: Count = 0
    content_type: ShortText | None = None
    location: Url | None = None
    """Target of a redirect, resolved; None where the answer is no redirect."""
    records: tuple[RecordLocation, ...] = ()
    reusable: bool = False
    """Whether later revisits may refer to this hop's response: whole, with a payload and its digest."""
    refers_to: RecordId | None = None
    """For a revisit: the response record that holds the payload."""
    revalidation: Revalidation | None = None
    """None where the answer says nothing about how to ask again."""
    failure: ShortText | None = None

    def record(self, *types: str) -> RecordLocation | None:
        """The first record of one of these types, or None."""
        for record in self.records:
            if record.type in types:
                return record
        return None


class UrlOutcome(Record):
    """What became of one URL of a batch. Hops are in the order in which they were fetched."""

    requested_url: Url
    normalized_url: Url
    visit: Count
    outcome: Outcome
    tries: Count = 1
    """How often it was tried, this time included."""
    calls: Count = 0
    """How often somebody had asked for another try of the job's failures when this one began."""
    retry_at: UtcTime | None = None
    """Not before then it is tried again, and this is not its last outcome; None: it is."""
    hops: tuple[Hop, ...] = ()
    failure: ShortText | None = None
    """Why there is no response, or why it is cut off or in doubt, in a sentence; None where it is whole."""
    remarks: tuple[ShortText, ...] = ()
    """What a person should know of a server that answered wrongly on the way, in sentences."""
    job_id: Id | None = None
    depth: Count = 0
    """Links between a seed and this URL, by the way on which it was queued."""
    via: tuple[Url, ...] = ()
    """Redirects that led to the first of these hops and were fetched for an earlier receipt, which has them as
    `unfinished`."""

    @property
    def final(self) -> Hop | None:
        """The last hop, if any exchange took place."""
        return self.hops[-1] if self.hops else None


class WrittenPage(Record):
    """A page that is archived, and whose requisites are not: its job was stopped between the two."""

    outcome: Outcome
    batches: tuple[Id, ...]
    """Batches whose receipts hold the page and those of its requisites that were had, the page's own first."""


class UnfinishedVisit(Record):
    """What a URL had received when its next host could not be asked in time: archived, and nobody's outcome yet. The
    visit goes on in another batch, under another receipt."""

    requested_url: Url
    normalized_url: Url
    visit: Count
    tries: Count = 0
    """As they were before this one."""
    depth: Count = 0
    hops: tuple[Hop, ...]
    via: tuple[Url, ...] = ()
    """Redirects that were fetched for still earlier receipts."""
    resumes_at: Url
    """Where the last hop leads; of a page that is `written`, its own address."""
    reason: ShortText
    written: WrittenPage | None = None
    """Where the page itself was received, and only what it needs is left."""

    @property
    def way(self) -> tuple[str, ...]:
        """All redirects so far, in order."""
        return (*self.via, *(hop.url for hop in self.hops if hop.location is not None))
