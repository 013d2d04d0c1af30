"""What one run of one side gave."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """`size`: bytes of WARC, 0 where nothing is written."""

    who: str
    pages: int
    seconds: float
    cpu_seconds: float
    size: int

    @property
    def pages_per_second(self) -> float:
        return self.pages / self.seconds

    @property
    def pages_per_cpu_second(self) -> float:
        return self.pages / self.cpu_seconds
