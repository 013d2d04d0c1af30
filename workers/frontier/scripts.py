"""The Lua sources, one file a verb, each behind the same epoch check. Read when first asked for."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final, Literal

Verb = Literal[
    "open_job", "admit", "close_intake", "release", "claim", "heartbeat", "commit", "reclaim", "restore",
    "take_permit", "give_back_permit", "keep_permits", "enter_address", "leave_address", "back_off", "defer",
    "wake", "offer", "found", "control", "controlled", "expire", "cancel", "isolate", "excuse", "relist",
    "set_aside",
]  # fmt: skip

SHARED: Final[dict[str, tuple[str, ...]]] = {"claim": ("left_in_batch",), "reclaim": ("left_in_batch",)}
"""Sources of functions that stand in front of a verb."""
HOST_STRIDE: Final = 4096
"""Places a host has in a batch: URL scores are host number times this plus position. Stands in the sources too."""
EPOCH_ERROR: Final = "EPOCH"
"""First word of the error that a script gives for a missing or different epoch."""
NO_JOB_ERROR: Final = "NOJOB"
"""First word of the error for URLs of a job that was never opened."""


@cache
def guarded(package: str, *names: str) -> str:
    """Lua sources of any package as one, with the epoch check in front of them: `KEYS[1]`, `ARGV[1]`."""
    check = files("workers.frontier").joinpath("lua", "epoch.lua").read_text("utf-8")
    return check + "".join(files(package).joinpath("lua", f"{name}.lua").read_text("utf-8") for name in names)


def source(verb: Verb) -> str:
    """The source of one verb of the frontier."""
    return guarded("workers.frontier", *SHARED.get(verb, ()), verb)
