"""Inner loops in C, where they were compiled: the same values several times as fast, and never needed.

`python -m workers.native` compiles each source beside it (`make install` does, where there is a C compiler). A file's
name carries the digest of its source, so that an old one is never taken for a new one; and whoever loads one asks it
for values that are known first. What the C does is defined in Python (`workers.digests`, `workers.dedup`).
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
SOURCES: Final = ("lanes.c", "sha256.c")
LOG = logging.getLogger(__name__)


def library_file(source: str) -> Path:
    """Where a compiled source belongs."""
    path = FOLDER / source
    return path.with_name(f"{path.stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}.so")


def loaded(file: Path) -> ctypes.CDLL | None:
    """None where nothing was compiled, or what was cannot be loaded here."""
    if not file.exists():
        return None
    try:
        return ctypes.CDLL(str(file))
    except OSError as error:
        LOG.warning("compiled code cannot be loaded file=%s error=%s", file, error)
        return None
