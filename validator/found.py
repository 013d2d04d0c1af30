"""What a run has seen so far: findings in the order of looking, and how much was looked at.

The one place that turns an observation into a `Finding`; values from the input are cut and escaped
here, so that a report neither echoes a document nor steers a terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from schemas.findings import FindingKind
from schemas.records.finding import Finding, Severity
from validator.limits import LIMITS

MAX_SHOWN: Final = 200


def shown(value: object) -> str:
    """A value from the input as it may stand in a report: one line, printable, short."""
    text = "none" if value is None else str(value)
    if len(text) <= MAX_SHOWN and text.isprintable():
        return text
    cut = text[:MAX_SHOWN]
    clean = "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode("ascii") for c in cut)
    return clean + ("…" if len(text) > MAX_SHOWN else "")


class Found:
    """Collects findings. Of one code only so many are kept; all of them count for the exit."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.checked: Counter[str] = Counter()
        self.failed = False
        self.inconclusive = False
        self._per_code: Counter[str] = Counter()

    def add(
        self,
        kind: FindingKind,
        *,
        pointer: str = "",
        path: str | None = None,
        ids: Iterable[str] = (),
        expected: object = None,
        actual: object = None,
        detail: str = "",
        severity: Severity | None = None,
        next_step: str | None = None,
    ) -> None:
        """Record one finding. `detail` and `next_step` are ours; `expected` and `actual` may come from the input."""
        level = severity or kind.severity
        self.failed = self.failed or level is Severity.ERROR
        self.inconclusive = self.inconclusive or kind.inconclusive
        self._per_code[kind.code] += 1
        if self._per_code[kind.code] > LIMITS.findings_per_code:
            self.checked["findings not listed"] += 1
            return
        self.findings.append(
            Finding(
                code=kind.code,
                severity=level,
                inconclusive=kind.inconclusive,
                pointer=pointer[:4096],
                path=None if path is None else shown(path),
                ids=tuple(shown(i) for i in ids)[:20],
                message=kind.description + (f" {detail}" if detail else ""),
                expected=None if expected is None else shown(expected),
                actual=None if actual is None else shown(actual),
                next_step=next_step or kind.next_step,
            )
        )

    def looked_at(self, what: str, count: int = 1) -> None:
        """Count things looked at, so that a pass over nothing shows."""
        self.checked[what] += count

    @property
    def exit_code(self) -> int:
        """1 outranks 3 (`schemas/README.md, Findings and exits`)."""
        return 1 if self.failed else 3 if self.inconclusive else 0
