"""Names below the root of a directory store: given durably, and to one writer at a time over all processes."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from workers.adapters.object_key import checked
from workers.errors import CitevaultError, ObjectMissingError, PermanentError, RetryableError

LOCK = ".lock"  # no key begins with a dot


class DirectoryNames:
    """Keys as files; a key's segments are its folders."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, key: str) -> Path:
        """Where the object lies."""
        return self.root / checked(key)

    def open(self, key: str) -> BinaryIO:
        """The object's bytes. ObjectMissingError where it is none; else OSError."""
        path = self.path(key)
        if path.is_dir():
            raise ObjectMissingError("no such object", where=key)
        return path.open("rb")

    def publish(self, key: str, name_it: Callable[[Path], object]) -> None:
        """Make the folders durable from the root down, then the name."""
        target = self.path(key)
        missing = [parent for parent in target.parents if self.root in parent.parents and not parent.is_dir()]
        for parent in reversed(missing):
            parent.mkdir(exist_ok=True)
            sync_folder(parent.parent)
        name_it(target)
        sync_folder(target.parent)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One writer of changes at a time, over all processes."""
        with locked_file(self.root / LOCK):
            yield


@contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """Hold the lock on a file, which is made where it is not there."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def digest_of(path: Path) -> bytes:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def disk_errors(key: str) -> Iterator[None]:
    """The file system's errors become ours."""
    try:
        yield
    except OSError as foreign:
        raise _translated(foreign, key) from foreign


def _translated(foreign: OSError, key: str) -> CitevaultError:
    match foreign.errno:
        case errno.ENOENT:
            return ObjectMissingError("no such object", where=key)
        case errno.ENOSPC | errno.EDQUOT:
            return RetryableError("the disk is full", where=key, next_step="make room, then try again")
        case errno.ENOTDIR | errno.EISDIR | errno.EEXIST | errno.ENOTEMPTY:
            return PermanentError(
                "another key is a path prefix of this one", where=key, next_step="build keys with schemas.keys only"
            )
        case errno.EACCES | errno.EROFS | errno.EPERM:
            return PermanentError(f"the store cannot be used: {foreign.strerror}", where=key)
        case _:
            return RetryableError(f"the file system says: {foreign.strerror or foreign}", where=key)
