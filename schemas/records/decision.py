"""The decision log: what a person decided, when and why. Appended, never changed (R070, X14, X34).

One object an entry, `decisions/<10 digits>.json`, numbered from 1 without gaps. What a later entry says of a
source, a group, an arbitration or a job takes the place of what an earlier one said; the earlier one stays readable.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from schemas.records.base import Id, Record, Sha256, ShortText, UtcTime
from schemas.records.claim import ClaimId
from schemas.records.outcome import Outcome
from schemas.records.snapshot import SnapshotId
from schemas.records.source import SourceId

ManualName = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,300}$")]
"""Name of a manual group; records show it as `manual:<name>`."""
Why = Annotated[str, StringConstraints(min_length=10, max_length=100_000)]


class GroupSources(Record):
    """These sources are one: a wire story and its copies, pages of one team. A group of one splits a source off."""

    kind: Literal["group"] = "group"
    name: ManualName
    source_ids: tuple[SourceId, ...] = Field(min_length=1)


class DissolveGroup(Record):
    """The manual group is no more; its sources are grouped by rule again."""

    kind: Literal["dissolve"] = "dissolve"
    name: ManualName


class EdgeName(Record):
    """A piece of evidence by what it quotes: evidence ids are given anew with each bundle."""

    snapshot_id: SnapshotId
    quote_sha256: Sha256
    """Of the UTF-8 bytes of the quote."""


class SetAside(Record):
    """Evidence that contradicts a claim of a report is set aside, for the stated reason."""

    kind: Literal["set_aside"] = "set_aside"
    report: Id
    claim_id: ClaimId
    claim_sha256: Sha256
    """Of the UTF-8 bytes of the claim's text: a claim that says something else has not been decided on."""
    evidence: tuple[EdgeName, ...] = Field(min_length=1)


class ControlJob(Record):
    """A job is paused, goes on, ends, or has its failures tried again."""

    kind: Literal["job"] = "job"
    job_id: Id
    action: Literal["pause", "resume", "cancel", "retry"]
    outcomes: tuple[Outcome, ...] = ()
    """For `retry`: URLs with one of these outcomes are meant."""


DecisionContent = Annotated[GroupSources | DissolveGroup | SetAside | ControlJob, Field(discriminator="kind")]


class Decision(Record):
    """One entry of the log."""

    schema_id: Literal["citevault/decision@1"] = Field(alias="schema")
    sequence: Annotated[int, Field(ge=1)]
    at: UtcTime
    by: Annotated[ShortText, StringConstraints(min_length=1)]
    why: Why
    decision: DecisionContent
