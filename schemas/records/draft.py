"""The draft: what a report writer hands in. The builder finds the rest (`schemas/README.md, Draft`)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from schemas.records.base import Id, Record, Url
from schemas.records.claim import (
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


class DraftClaim(Record):
    id: ClaimId
    text: ClaimText
    importance: Importance
    claim_type: ClaimType = ClaimType.OTHER
    place: Place | None = None


class DraftEvidence(Record):
    """Names its page by `url` (the newest citeable snapshot of that resource) or by `snapshot_id`."""

    claim_id: ClaimId
    url: Url | None = None
    snapshot_id: SnapshotId | None = None
    quote: QuoteText
    support: Support
    locator: Locator | None = None

    @model_validator(mode="after")
    def _names_one_page(self) -> DraftEvidence:
        if (self.url is None) == (self.snapshot_id is None):
            raise ValueError("give exactly one of url and snapshot_id")
        return self


class Draft(Record):
    schema_id: Literal["citevault/draft@1"] | None = Field(alias="schema", default=None)
    id: Id = "report"
    claims: tuple[DraftClaim, ...] = Field(min_length=1)
    evidence: tuple[DraftEvidence, ...]
    arbitrations: tuple[Arbitration, ...] = ()
