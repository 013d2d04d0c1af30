"""A folder as a stranger hands it over (X29): names are relative, files are regular, nothing leads outside.

A symbolic link is followed only to see where it ends; outside the folder is refused, and what is
opened is checked once more by its descriptor, so that a pipe or device blocks nothing.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from schemas.findings import FindingKind
from validator.place import Unavailable

MAX_NAME_CHARACTERS = 1024


def is_safe_name(name: str) -> bool:
    """Relative, `/` between segments, none of them empty, `.` or `..`; no backslash, no control character."""
    return (
        0 < len(name) <= MAX_NAME_CHARACTERS
        and name.isprintable()
        and "\\" not in name
        and all(part not in ("", ".", "..") for part in name.split("/"))
    )


@dataclass(frozen=True, slots=True)
class Folder:
    """A directory as a `Place`. `root` is resolved."""

    root: Path

    @classmethod
    def at(cls, path: Path) -> Folder:
        """Raises OSError where the path cannot be resolved."""
        return cls(path.resolve(strict=True))

    def open(self, name: str, max_bytes: int) -> BinaryIO | Unavailable:
        opened = self._open(name)
        if isinstance(opened, Unavailable):
            return opened
        stream, size = opened
        if size > max_bytes:
            stream.close()
            return Unavailable(FindingKind.FILE_TOO_LARGE, f"It has {size} bytes, at most {max_bytes} are read.")
        return stream

    def open_range(self, name: str, offset: int, length: int, max_bytes: int) -> BinaryIO | Unavailable:
        if length > max_bytes:
            return Unavailable(
                FindingKind.FILE_TOO_LARGE, f"The part has {length} bytes, at most {max_bytes} are read."
            )
        opened = self._open(name)
        if isinstance(opened, Unavailable):
            return opened
        stream, size = opened
        start = min(offset, size)
        stream.seek(start)
        return io.BufferedReader(_Part(stream, min(length, size - start)))

    def names(self, prefix: str) -> Iterator[str] | Unavailable:
        start = self.root / prefix
        if (prefix and not is_safe_name(prefix.rstrip("/"))) or not start.is_dir():
            return iter(())
        return self._walk(start)

    def _walk(self, start: Path) -> Iterator[str]:
        for folder, folders, files in os.walk(start, followlinks=False):
            folders.sort()
            # A link to a folder is not followed, but it is there.
            for file in sorted([*files, *(name for name in folders if Path(folder, name).is_symlink())]):
                yield (Path(folder) / file).relative_to(self.root).as_posix()

    def _open(self, name: str) -> tuple[BinaryIO, int] | Unavailable:
        if not is_safe_name(name):
            return Unavailable(FindingKind.FILE_UNSAFE_PATH, "")
        try:
            path = (self.root / name).resolve(strict=True)
            if not path.is_relative_to(self.root):
                return Unavailable(FindingKind.FILE_UNSAFE_PATH, "A link leads out of the folder.")
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return Unavailable(FindingKind.FILE_MISSING, "")
        except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a loop of links, in Python 3.11 and 3.12
            reason = error.strerror if isinstance(error, OSError) else "a loop of links"
            return Unavailable(FindingKind.FILE_UNREADABLE, reason or "")
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            return Unavailable(FindingKind.FILE_NOT_REGULAR, "")
        return os.fdopen(descriptor, "rb"), status.st_size


class _Part(io.RawIOBase):
    """The next `left` bytes of a stream, as a stream of its own that closes it."""

    def __init__(self, stream: BinaryIO, left: int) -> None:
        self._stream = stream
        self._left = left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(min(len(buffer), self._left))
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
