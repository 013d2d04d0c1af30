"""A file that only grows, by pieces that are written whole or not at all, and whose SHA-256 is known at its end, as are
those of the parts in which it goes up: they are of what was written, whatever the disk gives back later.

Small pieces are gathered and written together: one write of 256 KiB takes a third of the time of twenty-five of 10 KiB.
What is gathered is lost with the process, so nothing may be said of it anywhere before `flush` and `sync`. A write that
fails, as on a full disk, leaves the file as it was; what was gathered before stays gathered, for another try.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from workers.archive.file_parts import PART_BYTES
from workers.digests import parted

GATHERED_BYTES = 256 * 1024


class GrowingFile:
    """Bytes to be appended to a new file. Not safe for several threads, but for `sync`."""

    def __init__(self, path: Path, part_bytes: int = PART_BYTES) -> None:
        self._handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o644)
        self._digest = parted(part_bytes)
        self._written = 0
        self._gathered: list[bytes] = []
        self._gathered_bytes = 0

    @property
    def sha256(self) -> str:
        """Of all that was flushed, 64 lower-case hex."""
        return self._digest.sha256

    @property
    def part_digests(self) -> tuple[str, ...]:
        """The same of each part, the last one not full perhaps."""
        return self._digest.parts

    def add(self, piece: bytes) -> None:
        """Append a piece, now or with those that follow. OSError: it is no part of the file."""
        self._gathered.append(piece)
        self._gathered_bytes += len(piece)
        if self._gathered_bytes < GATHERED_BYTES:
            return
        try:
            self.flush()
        except OSError:
            self._gathered.pop()
            self._gathered_bytes -= len(piece)
            raise

    def flush(self) -> None:
        """Write what is gathered. OSError: it stays gathered, and nothing of it is in the file."""
        if self._gathered:
            self._write([b"".join(self._gathered)])
            self._gathered, self._gathered_bytes = [], 0

    def stream(self, pieces: Iterable[bytes]) -> None:
        """Append large pieces as they come, all of them or none, whatever is raised between them."""
        self.flush()
        self._write(pieces)

    def sync(self) -> None:
        """Make durable what was flushed."""
        os.fsync(self._handle)

    def close(self) -> None:
        """Close the file, without what is still gathered. Does nothing a second time."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def _write(self, pieces: Iterable[bytes]) -> None:
        digest, size, whole = self._digest.copy(), self._written, False
        try:
            for piece in pieces:
                written = os.write(self._handle, piece)
                while written < len(piece):  # a disk that is nearly full takes a part
                    written += os.write(self._handle, memoryview(piece)[written:])
                digest.update(piece)
                size += len(piece)
            whole = True
        finally:
            if not whole:
                os.ftruncate(self._handle, self._written)
        self._digest, self._written = digest, size
