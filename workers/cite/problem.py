"""What is wrong with a draft: values, all of them at once, each with its place and the next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from schemas.pointer import pointer

ProblemCode = Literal[
    "draft.empty",
    "draft.duplicate-claim",
    "draft.claim-twice",
    "draft.bad-place",
    "draft.unknown-claim",
    "draft.duplicate-evidence",
    "draft.bad-url",
    "draft.not-archived",
    "draft.not-citeable",
    "draft.unknown-snapshot",
    "draft.taken-down",
    "draft.not-published",
    "draft.extracted-anew",
    "draft.quote-too-short",
    "draft.quote-not-found",
    "draft.quote-in-older-snapshot",
    "draft.quote-ambiguous",
    "draft.quote-elsewhere",
    "draft.quote-too-loose",
    "draft.locator-differs",
    "draft.bad-arbitration",
    "draft.too-large",
    "draft.withholds-nothing",
    "groups.conflict",
    "output.not-a-bundle",
]


@dataclass(frozen=True, slots=True)
class DraftProblem:
    """One reason why no bundle can be made of a draft. `pointer` is a JSON Pointer into the draft."""

    code: ProblemCode
    pointer: str
    message: str
    next_step: str
    details: tuple[str, ...] = ()
    """Places with their surroundings, or passages that are like the quote; each one line for a person."""

    def __str__(self) -> str:
        where = f" at {self.pointer}" if self.pointer else ""
        return "\n".join([f"{self.message}{where}; next: {self.next_step}", *(f"  {line}" for line in self.details)])


def evidence_pointer(index: int, *more: str) -> str:
    """Pointer to a piece of evidence of the draft, or to a field of it."""
    return pointer(["evidence", index, *more])
