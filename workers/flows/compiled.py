"""Whether fingerprints are made by compiled code here, for those who tell a person: the doctor, and a worker's log."""

from __future__ import annotations

from dataclasses import dataclass

from workers.dedup.native import kernel

WITHOUT = "fingerprints are made without compiled code: the same values, some four times as slowly"
COMPILE = "install a C compiler (Debian: gcc and libc6-dev), run `python -m workers.native`, start again"


@dataclass(frozen=True, slots=True)
class Uncompiled:
    """What it costs, and what to do."""

    what: str = WITHOUT
    next_step: str = COMPILE


def uncompiled() -> Uncompiled | None:
    """None: compiled code is there, and gives the right values."""
    return Uncompiled() if kernel() is None else None
