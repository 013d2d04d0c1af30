"""What one run of one side gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deploy.bench.capture.timeline import Part


@dataclass(frozen=True, slots=True)
class Run:
    """`size`: bytes of WARC, 0 where nothing is written."""

    who: str
    pages: int
    seconds: float
    cpu_seconds: float
    size: int
    cpu_by_part: Mapping[str, float] = field(default_factory=dict)
    """CPU seconds of each part of our stack, of stores too, which are not in `cpu_seconds`."""
    timeline: tuple[Part, ...] = ()
    """Our receipts, as a timeline."""

    @property
    def pages_per_second(self) -> float:
        return self.pages / self.seconds

    @property
    def pages_per_cpu_second(self) -> float:
        return self.pages / self.cpu_seconds
