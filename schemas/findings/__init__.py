"""Findings as values: `FindingKind` is the table of all, `wording` what one says, the other files its families."""

from schemas.findings.kinds import FindingKind

__all__ = ["FindingKind"]
