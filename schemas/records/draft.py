"""The draft: what a report writer hands in. The builder finds the rest (`schemas/README.md, Draft`)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.records.base import Count, Id, Record, ShortText, Url
from schemas.records.claim import (
    MAX_PARTS,
    Arbitration,
    ClaimId,
    ClaimText,
    ClaimType,
    Importance,
    Locator,
    Place,
    QuoteText,
    Support,
)
from schemas.records.snapshot import SnapshotId
from schemas.text_v1.units import OffsetUnit


class DraftClaim(Record):
    id: ClaimId
    text: ClaimText
    importance: Importance
    claim_type: ClaimType = ClaimType.OTHER
    place: Place | None = None


class DraftEvidence(Record):
    """Names its page by `url` (the newest citeable snapshot of that resource) or by `snapshot_id`, and its passage by
    `quote`, or by `quotes`: parts that follow each other there with something left out between them."""

    claim_id: ClaimId
    url: Url | None = None
    snapshot_id: SnapshotId | None = None
    quote: QuoteText | None = None
    quotes: Annotated[tuple[QuoteText, ...], Field(min_length=2, max_length=MAX_PARTS)] | None = None
    prefix: ShortText = ""
    """What stands right before the passage; it tells several places apart, and where it stands nowhere, none fits."""
    suffix: ShortText = ""
    quote_start: Count | None = None
    """Where the passage begins, in the draft's `offset_unit`; it is checked, and never believed against the text."""
    support: Support
    locator: Locator | None = None

    @model_validator(mode="after")
    def _names_one_page(self) -> DraftEvidence:
        if (self.url is None) == (self.snapshot_id is None):
            raise ValueError("give exactly one of url and snapshot_id")
        if (self.quote is None) == (self.quotes is None):
            raise ValueError("give exactly one of quote and quotes")
        return self

    @property
    def parts(self) -> tuple[str, ...]:
        """The passage's parts, in order; one, where nothing is left out."""
        return self.quotes or (self.quote or "",)


class Draft(Record):
    schema_id: Literal["citevault/draft@1"] | None = Field(alias="schema", default=None)
    id: Id = "report"
    offset_unit: OffsetUnit = OffsetUnit.CODE_POINT
    """What each `quote_start` counts."""
    claims: tuple[DraftClaim, ...] = Field(min_length=1)
    evidence: tuple[DraftEvidence, ...]
    arbitrations: tuple[Arbitration, ...] = ()
