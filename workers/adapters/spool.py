"""Where a process keeps files before they are stored: a folder of its own, since what a dead process left is garbage.

What no receipt names is fetched again, so a folder whose process is gone may be removed by anybody.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")


def own_spool(root: Path) -> Path:
    """The folder of this process. Folders of processes that are gone are removed on the way."""
    root.mkdir(parents=True, exist_ok=True)
    own = root / _name(os.getpid())
    if not own.is_dir():
        _remove_leftovers(root)
        own.mkdir(exist_ok=True)
    return own


def _name(process: int) -> str:
    """Process id and start time: an id that the system gave out again is another process."""
    return f"{process}-{_started(process)}"


def _started(process: int) -> str:
    """Start time in clock ticks since boot, with the boot's id; `0` where the system does not tell."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
        boot = _BOOT.read_text(encoding="ascii").strip()[:8]
    except OSError:
        return "0"
    return f"{stat.rpartition(')')[2].split()[19]}-{boot}"


def _remove_leftovers(root: Path) -> None:
    for folder in root.iterdir():
        process = folder.name.partition("-")[0]
        if folder.is_dir() and process.isdecimal() and folder.name != _name(int(process)) and not _alive(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _alive(folder: Path) -> bool:
    """Where start times are not told, a process with this id counts as the folder's owner."""
    if not folder.name.endswith("-0"):
        return False
    try:
        os.kill(int(folder.name.partition("-")[0]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
