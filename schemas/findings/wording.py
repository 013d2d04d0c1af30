"""What one kind of finding says: its code, usual severity, meaning, and what to do next."""

from __future__ import annotations

from typing import NamedTuple

from schemas.records.finding import Severity


class Wording(NamedTuple):
    """`inconclusive`: something could not be looked at, which is never the same as nothing being wrong."""

    code: str
    severity: Severity
    inconclusive: bool
    description: str
    next_step: str


def error(code: str, description: str, next_step: str, *, inconclusive: bool = False) -> Wording:
    """A kind that fails what is checked."""
    return Wording(code, Severity.ERROR, inconclusive, description, next_step)


def warning(code: str, description: str, next_step: str, *, inconclusive: bool = False) -> Wording:
    """A kind that a reader must know of, and that fails nothing by itself."""
    return Wording(code, Severity.WARNING, inconclusive, description, next_step)


def note(code: str, description: str, next_step: str, *, inconclusive: bool = False) -> Wording:
    """A kind that only tells."""
    return Wording(code, Severity.NOTE, inconclusive, description, next_step)
