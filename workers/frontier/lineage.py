"""Whether Redis may have forgotten writes that it had acknowledged, though it has the right epoch. Pure.

An emptied Redis has no epoch, and an old one another. What remains is one that is only older: a replica that took over
before it had heard everything, a copy that was brought back, a crash before the last second was written. Two things
tell it. Redis itself says where in the primary's history a replica was promoted; and a number that only grows, the
*pulse*, is remembered outside of Redis.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sighting:
    """Redis as it was at one moment."""

    promotion: str
    """Where this process took over from another (its history's id, and the offset there); empty: it never did, since it
    was started, nor did it load a snapshot of a primary."""
    noted: str | None
    """The promotion after which the state was last known to be whole, as noted in Redis; None: nobody noted one."""
    pulse: int = 0


def forgotten(seen: Sighting, remembered: int) -> str | None:
    """Why the state may lack writes, in words; None: nothing says so. `remembered`: the highest pulse of this epoch
    that anybody was told.

    A promotion alone is enough: replication is asynchronous, and nobody knows what was on its way. What was noted after
    an earlier promotion counts for that one only. Redis forgets its promotions when it is started again; that the
    state was whole before does not change by it.
    """
    if seen.noted is not None and seen.promotion not in ("", seen.noted):
        return "a replica took over, or a snapshot was loaded, and may lack the last writes"
    if seen.pulse < remembered:
        return f"Redis went back to an earlier state (pulse {seen.pulse} after {remembered})"
    return None
