"""What could not be read out of a committed segment, when the rest of it was extracted."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.records.base import Id, LongText, ParameterId, Record, Url, UtcTime


class UnreadAnswer(Record):
    """One URL whose answer is in the archive, and not what was written there."""

    requested_url: Url
    error: LongText
    """Names the record, its place and what to do."""


class UnreadAnswers(Record):
    """`parked/answers/<job>/<extractor>/<segment>.json`: URLs that were captured and have no snapshot."""

    schema_id: Literal["citevault/unread-answers@1"] = Field(alias="schema")
    job_id: Id
    segment_id: Id
    extractor: ParameterId
    found_at: UtcTime
    answers: tuple[UnreadAnswer, ...]
