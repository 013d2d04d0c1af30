"""Claims, the edges that bind them to spans of snapshots, and who judged those edges."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from schemas.records.base import Count, Id, LongText, ParameterId, Record, Sha256, ShortText, UtcTime
from schemas.records.snapshot import SnapshotId
from schemas.records.source import SourceId

ClaimId = Annotated[str, StringConstraints(pattern=r"^c-[0-9]{2,9}$")]
EvidenceId = Annotated[str, StringConstraints(pattern=r"^ev-[0-9]{2,9}$")]
JudgementId = Annotated[str, StringConstraints(pattern=r"^j-[0-9]{2,9}$")]
ClaimText = Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
QuoteText = Annotated[str, StringConstraints(min_length=1, max_length=1_000_000)]


class Importance(StrEnum):
    """A typo is an error, never `ordinary` (X17)."""

    CRITICAL = "critical"
    ORDINARY = "ordinary"


class Support(StrEnum):
    """What an edge says of its claim (R073)."""

    FULL = "full"
    PARTIAL = "partial"
    NO_SUPPORT = "no_support"
    CONTRADICTS = "contradicts"


class Verdict(StrEnum):
    """What all edges together say of a claim: derived, never asserted (X15, X16)."""

    CONFLICTED = "conflicted"
    SUPPORTED = "supported"
    SINGLE_SOURCE = "single-source"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"
    UNCITED = "uncited"


class ClaimType(StrEnum):
    """Kind of assertion, for the tier matrix (R064-R069)."""

    SPECIFICATION = "specification"
    POLICY = "policy"
    PRICE = "price"
    METHOD = "method"
    RESULT = "result"
    STATEMENT = "statement"
    BACKGROUND = "background"
    COMPARISON = "comparison"
    OTHER = "other"


class MatchLevel(StrEnum):
    """How a quote was found. `fuzzy` is for diagnostics and never stands in a bundle."""

    EXACT = "exact"
    NFC = "nfc"
    PRESENTATION = "presentation"
    DEHYPHEN = "dehyphen"
    WHITESPACE = "whitespace"


class Place(Record):
    """Where the claim stands in the report: half-open code-point span of a document."""

    document: ShortText
    start: Count
    end: Count


class Claim(Record):
    """One indivisible assertion of the report (R007)."""

    id: ClaimId
    text: ClaimText
    importance: Importance
    claim_type: ClaimType = ClaimType.OTHER
    status: Verdict
    place: Place | None = None


class Locator(Record):
    """Where a person looks: section, page or paragraph."""

    heading: ShortText | None = None
    paragraph: Count | None = None
    page: Count | None = None
    note: ShortText | None = None


LEFT_OUT = " [\u2026] "
MAX_PARTS = 20
MAX_GAP = 1_000
"""Code points that may be left out between two parts of a quote."""


class QuotePart(Record):
    """A part of a quote that leaves something out: its own half-open span, and the words there."""

    start: Count
    end: Count
    quote: QuoteText


class Evidence(Record):
    """Which span of which snapshot bears on which claim, and how (R008, R010, R011)."""

    id: EvidenceId
    claim_id: ClaimId
    source_id: SourceId
    snapshot_id: SnapshotId
    support: Support
    quote: QuoteText
    quote_start: Count
    quote_end: Count
    parts: Annotated[tuple[QuotePart, ...], Field(max_length=MAX_PARTS, exclude_if=lambda parts: not parts)] = ()
    """Of a quote that leaves something out: what it quotes, in order; what stands between them is in `quote` and is
    not quoted. None where all of it is."""
    prefix: ShortText
    suffix: ShortText
    match_level: MatchLevel
    locator: Locator | None = None
    independence_group: ShortText
    checked_at: UtcTime
    checker_version: ParameterId
    judgement_id: JudgementId

    @property
    def shown_quote(self) -> str:
        """The words that are quoted, as a reader is shown them: what is left out is marked."""
        return LEFT_OUT.join(part.quote for part in self.parts) or self.quote

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where the words that are quoted stand: of a quote in parts each of them, without what is left out."""
        return [(part.start, part.end) for part in self.parts] or [(self.quote_start, self.quote_end)]


class Judgement(Record):
    """One checker's word on one edge. Appended, never overwritten (R097)."""

    id: JudgementId
    claim_id: ClaimId
    evidence_id: EvidenceId
    support: Support
    checker_version: ParameterId
    rationale: LongText
    inputs_sha256: Sha256
    """SHA-256 of the RFC 8785 bytes of `{claim_text, quote, prefix, suffix, text_sha256}`; other inputs mean stale."""
    judged_at: UtcTime
    by: ShortText


class Arbitration(Record):
    """A person's decision about contradicting evidence: the only thing that downgrades a conflict (X14)."""

    id: Id
    claim_id: ClaimId
    evidence_ids: tuple[EvidenceId, ...] = Field(min_length=1)
    """The contradicting edges that are set aside."""
    by: ShortText
    at: UtcTime
    why: Annotated[str, StringConstraints(min_length=10, max_length=100_000)]
    resolution: Literal["set_aside"] = "set_aside"
