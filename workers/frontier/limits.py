"""Times and sizes of the lease protocol."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FrontierLimits:
    """Times and sizes of the lease protocol."""

    lease_seconds: float = 60.0
    """A worker sends a heartbeat every quarter of it, and stops its work before it ends."""
    unclaimed_seconds: float = 60.0
    """A released batch that no worker took for so long is sent again: its message was lost, or the queue is long."""
    done_seconds: int = 3600
    """How long an ended batch is remembered, so that a late message is told `done` rather than `unknown`."""
    urls_per_host: int = 50
    """In one batch: at the slowest usual pace of 2 s that is 100 s, well below the 300 s a task may take."""

    aside_seconds: float = 60.0
    longest_aside_seconds: float = 3600.0
    """How long a batch waits before it is looked at again whether its objects can be read: twice as long each time."""

    permit_seconds: float = 60.0
    """Of a host asked from outside, and of a slot on an address. Kept by the holder; else it comes free."""
    strikes_seconds: float = 48 * 3600.0
    """How long it is remembered that a host was busy: above the longest rest of one, 24 h."""

    @property
    def unclaimed_ms(self) -> int:
        """`unclaimed_seconds` in the unit of the scripts."""
        return round(self.unclaimed_seconds * 1000)

    @property
    def aside_ms(self) -> tuple[int, int]:
        """The first pause of a batch that is set aside, and the longest."""
        return round(self.aside_seconds * 1000), round(self.longest_aside_seconds * 1000)
