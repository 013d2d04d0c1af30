"""Independence groups: distinct groups count, never URLs (R070, R071, X31, X34)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from schemas.records.base import Record, ShortText, UtcTime
from schemas.records.source import SourceId

GroupName = Annotated[str, StringConstraints(pattern=r"^(manual|cluster|site|unknown)(:[!-~]{1,300})?$")]


class IndependenceReason(StrEnum):
    """Strongest reason first; the order names the reason, it never splits."""

    MANUAL = "manual"
    CLUSTER = "cluster"
    SITE = "site"
    OWN = "own"
    UNKNOWN = "unknown"


class IndependenceGroup(Record):
    """Sources that count as one. `by`, `at`, `why` are filled for manual groups (R070), else tell the rule."""

    group: GroupName
    source_ids: tuple[SourceId, ...] = Field(min_length=1)
    reason: IndependenceReason
    by: ShortText
    at: UtcTime | None
    why: ShortText
