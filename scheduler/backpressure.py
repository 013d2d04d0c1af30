"""Whether captures have to wait for the stages behind them. Pure.

What is captured and not extracted yet lies safe in the store, but nobody can cite it; and work that piles up there
is work that somebody waits for. So new bulk batches are held while too much is behind, and let out again once a
quarter of that is gone, so that it does not change with every segment. Interactive batches always go out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

EASED: Final = 3 / 4


@dataclass(frozen=True, slots=True)
class Holding:
    """Whether bulk batches are held, and why, for people."""

    held: bool = False
    reason: str = ""


def hold(before: Holding, *, unextracted: int, most: int) -> Holding:
    """What to do now; `most` segments may wait to be extracted, 0: any number. `unextracted` need not be counted beyond
    `most`."""
    bound = most * EASED if before.held else most
    if most == 0 or unextracted < bound:
        return Holding()
    return Holding(
        True,
        f"no new bulk batches: {unextracted} segments or more wait to be extracted, {most} may; next: more extract "
        "workers, or raise CITEVAULT_EXTRACT_BACKLOG",
    )
