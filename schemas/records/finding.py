"""A finding: what the validator saw, as a value. "Could not look" never reads like "nothing wrong"."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from schemas.records.base import Count, Record, Sha256, ShortText
from schemas.records.claim import ClaimId, Importance, Verdict


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(Record):
    """One thing seen. `inconclusive`: it could not be looked at, so the exit is 3 unless an error makes it 1."""

    code: Annotated[str, StringConstraints(pattern=r"^[a-z]+\.[a-z0-9-]+$")]
    severity: Severity
    inconclusive: bool = False
    pointer: ShortText
    """JSON Pointer (RFC 6901) into the checked document, or empty for the whole."""
    path: ShortText | None = None
    """File or object that it is about, relative to the input."""
    ids: tuple[ShortText, ...] = ()
    message: ShortText
    expected: ShortText | None = None
    actual: ShortText | None = None
    next_step: ShortText


class ClaimVerdict(Record):
    """The derived verdict of one claim, with what it rests on."""

    claim_id: ClaimId
    importance: Importance
    verdict: Verdict
    groups: tuple[ShortText, ...]
    """Distinct independence groups with full support that counts."""
    required: Count
    contradicted_by: tuple[ShortText, ...] = ()
    """Edges that contradict it, whatever became of them: a contradiction never vanishes (R075)."""
    set_aside: tuple[ShortText, ...] = ()
    """Those of them that an arbitration sets aside."""


class Report(Record):
    """What a validation says as a whole."""

    schema_id: Literal["citevault/validation-report@1"] = Field(alias="schema")
    subject: ShortText
    subject_sha256: Sha256 | None
    profile: Literal["paragraph", "claim", "strict"]
    deep: bool
    exit_code: Annotated[int, Field(ge=0, le=3)]
    verdicts: tuple[ClaimVerdict, ...] = ()
    coverage_ppm: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    """Share of claims with any valid citation; reported apart, it hides nothing (R096)."""
    coverage_critical_ppm: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    """The same of critical claims alone; null where there are none."""
    replayable_ppm: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    """Share of edges whose text is in the bundle (X24)."""
    checked: dict[str, Count] = Field(default_factory=dict)
    """How many things of each kind were looked at, so that an empty pass shows."""
    unchecked: tuple[ShortText, ...] = ()
    """Fields of the document that are its author's word, as JSON Pointers with `*` for any index: nothing looked at
    here shows them true."""
    archives_word: tuple[ShortText, ...] = ()
    """Fields that the signed log binds, as its archive read or judged them: nothing looked at here has read them in the
    payload. The same form."""
    findings: tuple[Finding, ...] = ()
