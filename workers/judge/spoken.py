"""What a person says of an edge, as it is handed in: one by one, or as JSON lines. Pure; a fault names its line."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from schemas.judging import HIDING, MIN_WHY, gives_reason, says_something
from schemas.reading import DocumentError, read_document
from schemas.records.base import Record, Sha256, ShortText
from schemas.records.claim import EvidenceId, Support

MAX_WHY = 10_000
MAX_LINES = 100_000


@dataclass(frozen=True, slots=True)
class Spoken:
    """One judgement that is to be kept."""

    evidence_id: str
    support: Support
    why: str
    by: str | None = None
    inputs_sha256: str | None = None
    """What it was made of, where the person's tool remembers."""


@dataclass(frozen=True, slots=True)
class SpokenWrongly:
    """Why nothing of it is kept."""

    line: int | None
    what: str

    def __str__(self) -> str:
        return self.what if self.line is None else f"line {self.line}: {self.what}; nothing was kept"


class _Line(Record):
    evidence_id: EvidenceId
    support: Support
    why: str = Field(max_length=MAX_WHY)
    by: ShortText | None = None
    inputs_sha256: Sha256 | None = None


def check_spoken(evidence_id: str, support: str, why: str) -> list[Spoken] | SpokenWrongly:
    """One judgement."""
    if support not in set(Support):
        return SpokenWrongly(None, f"support is one of {', '.join(Support)}")
    fault = _why(why)
    return SpokenWrongly(None, fault) if fault else [Spoken(evidence_id, Support(support), why.strip())]


def read_spoken(data: bytes) -> list[Spoken] | SpokenWrongly:
    """All lines, or the first fault. A judgement outside of the four values is a fault like any other (C37)."""
    found: list[Spoken] = []
    lines: dict[tuple[str, str | None], int] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        if number > MAX_LINES:
            return SpokenWrongly(number, f"more than {MAX_LINES} lines; hand them in as several files")
        read = read_document(line, _Line)
        if isinstance(read, DocumentError):
            return SpokenWrongly(number, str(read))
        fault = _why(read.why) or (check_name(read.by) if read.by is not None else "")
        if fault:
            return SpokenWrongly(number, fault)
        said = (read.evidence_id, read.by)
        if said in lines:
            return SpokenWrongly(number, f"{read.evidence_id} is judged in line {lines[said]} too; give one of them")
        lines[said] = number
        found.append(Spoken(read.evidence_id, read.support, read.why.strip(), read.by, read.inputs_sha256))
    return found or SpokenWrongly(None, "the file has no line")


def check_name(by: str) -> str:
    """What is wrong with a name; empty: nothing."""
    if not says_something(by):
        return "by is empty; name who judges"
    return "by has a control character; type the name" if HIDING.search(by) else ""


def _why(why: str) -> str:
    if not gives_reason(why):
        return f"why: name the words that decide; {MIN_WHY} characters at least, kept for good"
    if HIDING.search(why):
        return "why: it has a control character, which nobody would see; leave it out"
    if len(why) > MAX_WHY:
        return f"why: {MAX_WHY} characters at most"
    return ""
