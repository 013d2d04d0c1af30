"""A peer that ended before it had answered: which one, how, and what it said last. What was measured of it means
nothing, and what its silence would look like elsewhere (an empty answer, no JSON) tells nobody why."""

from __future__ import annotations

import subprocess
from typing import IO, Final

LAST_LINES: Final = 5
LAST_BYTES: Final = 4096
WAIT_SECONDS: Final = 10.0


class PeerEndedError(Exception):
    """Its message is all that there is to say."""


def ended(who: str, process: subprocess.Popen[str], said: IO[bytes] | None = None) -> PeerEndedError:
    """To be raised. `said`: a file with what it wrote to stderr; None: that went to the terminal."""
    try:
        code: int | None = process.wait(WAIT_SECONDS)
    except subprocess.TimeoutExpired:
        code = None
    how = "closed its output and goes on" if code is None else f"ended with exit code {code}"
    if code is not None and code < 0:
        how = f"was ended by signal {-code}"
    if said is None:
        return PeerEndedError(f"{who} {how} before it had answered")
    lines = _last_lines(said)
    return PeerEndedError(f"{who} {how} before it had answered; its last words: {lines or 'none'}")


def _last_lines(said: IO[bytes]) -> str:
    size = said.seek(0, 2)
    said.seek(max(0, size - LAST_BYTES))
    lines = said.read().decode("utf-8", "replace").strip().split("\n")
    return "\n  ".join(["", *lines[-LAST_LINES:]]).rstrip()
