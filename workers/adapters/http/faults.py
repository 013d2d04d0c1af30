"""Faults of this machine, which must never be written down as the web's: no descriptors, no memory, no room on disk.

What is refused by a firewall of this machine, or has no route from it, is not among them: it concerns one place, would
be so again, and is told as what it is.
"""

from __future__ import annotations

import errno
import socket
import tempfile
from pathlib import Path

from workers.disk_faults import unkept
from workers.errors import RetryableError

_EXHAUSTED = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL, errno.EAGAIN, errno.ENOSPC}
)
_LOOK_UP_FAULTS = frozenset({socket.EAI_MEMORY, socket.EAI_SYSTEM})


def is_ours(error: BaseException | None) -> bool:
    """Whether an error that ended a connection says something of this machine rather than of the web."""
    if isinstance(error, socket.gaierror):
        return error.errno in _LOOK_UP_FAULTS
    if isinstance(error, OSError):
        return error.errno in _EXHAUSTED
    return error is not None


def not_connected(error: OSError) -> RetryableError:
    """What to raise where no connection could be opened, or no name looked up, for want of something here."""
    return RetryableError(
        f"this machine cannot open a connection: {error.strerror or error}",
        next_step="lower CITEVAULT_CAPTURE_CONNECTIONS, or raise the limit of open files (ulimit -n)",
    )


def not_held(error: BaseException, spool_dir: Path | None) -> BaseException:
    """What to raise where the bytes that came could not be held: RetryableError, or a fault of our own as it is."""
    if isinstance(error, MemoryError):
        return RetryableError("this machine has no memory for a response", next_step="run fewer workers on it")
    if isinstance(error, OSError):
        return unkept(error, "hold the response", str(spool_dir or tempfile.gettempdir()))
    return error


def look_for_descriptors() -> None:
    """Raise OSError where this process has no file descriptor left.

    The system's resolver needs some, and without them it says whatever it says of a name that does not exist.
    """
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
