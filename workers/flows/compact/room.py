"""Room on this machine's disk: a file is held there while it is made, and while it is verified."""

from __future__ import annotations

from typing import Final

from workers.errors import PermanentError
from workers.flows.compact.ports import CompactPorts

SPARE_BYTES: Final = 256 * 1024 * 1024
"""Beside the file, for its index and for others."""


def require_room(size: int, ports: CompactPorts) -> None:
    """PermanentError where a file of so many bytes cannot be held."""
    free, wanted = ports.free_bytes(), size + SPARE_BYTES
    if free < wanted:
        raise PermanentError(
            f"a file of {size} bytes needs {wanted} bytes of room, and {free} are free",
            where=str(ports.folder),
            next_step="make room, give another CITEVAULT_SPOOL_DIR, or lower CITEVAULT_COMPACT_BYTES",
        )
