"""Segments on this machine before they are stored: `<spool>/<process>/<batch>/<segment>…`.

A process holds its folder by a lock on a file in it, which the system gives back when the process ends,
however it ends, also across containers that share the spool. So a folder whose lock can be had is left
over, and whoever takes a batch takes its files out of it by renaming them: two takers cannot both have one. A
process that gives up a batch moves its folder into one of the kind that nobody holds.
"""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from workers.adapters import disk
from workers.ports import LeftBatch

LOG = logging.getLogger(__name__)
LOCK = "lock"
LEFT = "left-"
SEGMENT_NAMES = (".warc.gz", ".warc.gz.open", ".warc.zst", ".warc.zst.open")


class SegmentSpool:
    """The spool as one process sees it. Close it to give its folder back."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._own = root / f"{os.getpid()}-{secrets.token_hex(4)}"
        self._lock = -1
        with suppress(OSError):  # `prove` says what is wrong, as long as it is
            root.mkdir(parents=True, exist_ok=True)
            self._hold()

    def folder(self, batch_id: str) -> Path:
        folder = self._own / batch_id
        folder.mkdir(exist_ok=True)
        return folder

    def take(self, batch_id: str) -> Sequence[Path]:
        for process in self._others():
            if (process / batch_id).is_dir() and _is_left(process):
                _move(process / batch_id, self.folder(batch_id))
                _remove_if_empty(process)
        return _segments(self._own / batch_id)

    def end(self, batch_id: str) -> None:
        folder = self._own / batch_id
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:  # it is not empty: somebody may go on with what lies there
            nobody = self._root / f"{LEFT}{secrets.token_hex(4)}"
            nobody.mkdir()
            folder.rename(nobody / batch_id)

    def left(self, *, at_least_seconds: float) -> Sequence[LeftBatch]:
        found = []
        for process in self._others():
            if not _is_left(process):
                continue
            _remove_if_empty(process)
            for folder in _folders(process):
                now, looked_at = time.time(), _written(folder)
                if now - looked_at < at_least_seconds:
                    continue
                written = max((_written(path) for path in _files(folder)), default=looked_at)
                found.append(LeftBatch(folder.name, tuple(_segments(folder)), now - written))
                _touch(folder)
        return found

    def drop(self, batch_id: str) -> None:
        for process in self._others():
            if (process / batch_id).is_dir() and _is_left(process):
                shutil.rmtree(process / batch_id, ignore_errors=True)
                _remove_if_empty(process)

    def prove(self) -> None:
        if not self._is_held():
            if self._lock >= 0:
                LOG.warning("the folder of this process was removed, and is made again where=%s", self._own)
            self._hold()
        disk.prove(self._own)

    def free_bytes(self) -> int:
        return shutil.disk_usage(self._root).free

    def close(self) -> None:
        """Give the folder back; what lies in it may be taken from now on."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
            with suppress(OSError):  # whoever comes next may remove it
                _remove_if_empty(self._own)

    def _is_held(self) -> bool:
        """Whether our lock is the one that others find in our folder. The spool may be removed under our feet."""
        try:
            return self._lock >= 0 and os.path.samestat((self._own / LOCK).stat(), os.fstat(self._lock))
        except OSError:
            return False

    def _hold(self) -> None:
        """Make our folder, or its lock alone where that is missing. The spool itself is left to people: it may be a
        file system of its own that is away."""
        there = self._own.is_dir()
        made = self._own if there else self._root / f".{self._own.name}"
        made.mkdir(exist_ok=True)
        lock = os.open(made / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not there:
                made.rename(self._own)  # nobody ever sees it without its lock
        except OSError:
            os.close(lock)
            raise
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = lock

    def _others(self) -> Iterator[Path]:
        """Folders of other processes, dead or alive; one that is just being made has a name with a dot."""
        return (folder for folder in _folders(self._root) if folder != self._own and not folder.name.startswith("."))


def _is_left(process: Path) -> bool:
    """Whether no process holds this folder."""
    if process.name.startswith(LEFT):
        return True
    try:
        lock = os.open(process / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True


def _move(source: Path, target: Path) -> None:
    """Move the files of a batch. What another process takes at the same time is its own."""
    for path in _files(source):
        try:
            path.rename(target / path.name)
        except FileNotFoundError:
            continue
    _rmdir(source)


def _remove_if_empty(process: Path) -> None:
    if not list(_folders(process)):
        (process / LOCK).unlink(missing_ok=True)
        _rmdir(process)


def _rmdir(folder: Path) -> None:
    """Remove a folder unless something lies in it, or somebody was quicker."""
    try:
        folder.rmdir()
    except OSError:
        return


def _folders(parent: Path) -> list[Path]:
    try:
        return sorted(Path(entry.path) for entry in os.scandir(parent) if entry.is_dir(follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(Path(entry.path) for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _segments(folder: Path) -> list[Path]:
    return [path for path in _files(folder) if path.name.endswith(SEGMENT_NAMES)]


def _touch(folder: Path) -> None:
    """Note on the folder that it was looked at."""
    try:
        os.utime(folder)
    except FileNotFoundError:
        return


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
