"""What to do about a disk of this machine that cannot keep something, by the error that the system gave."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Final

from workers.errors import UnkeptError

_LOOK: Final = "look for faults of the disk in the system's log (dmesg)"
_IN_THE_WAY: Final = "move away the file that is in the place of the folder {place}, and make the folder"
_FORBIDDEN: Final = "let the user that runs the workers write to {place} (chown, chmod)"
_DESCRIPTORS: Final = "raise the limit of open files (ulimit -n)"
ADVICE: Final[Mapping[int, str]] = {
    errno.ENOENT: "make the folder {place} where it is gone; workers make theirs in it again by themselves",
    errno.ENOTDIR: _IN_THE_WAY,
    errno.EEXIST: _IN_THE_WAY,
    errno.EROFS: _LOOK + ", and mount {place} for writing again",
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EDQUOT: "remove files of the user that runs the workers where {place} is, or raise its quota",
    errno.ENOSPC: "make room where {place} is: bytes (df) or files (df -i)",
    errno.EFBIG: "raise the limit on the size of a file (ulimit -f)",
    errno.EMFILE: _DESCRIPTORS,
    errno.ENFILE: _DESCRIPTORS,
    errno.EIO: _LOOK + ", and replace it",
}
"""`{place}`: the spool."""


def unkept(error: OSError, doing: str, place: str, *, where: str = "") -> UnkeptError:
    """The error to raise where what was to be done (`keep what was captured`) failed in a spool. `where`: the file, if
    that is of use to people."""
    advice = ADVICE.get(error.errno or 0, f"{_LOOK}, and see to {{place}}").format(place=place)
    return UnkeptError(
        f"this machine cannot {doing}: {error.strerror or error}",
        where=where or place,
        next_step=f"{advice}, or name another folder in CITEVAULT_SPOOL_DIR",
    )
