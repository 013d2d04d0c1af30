"""A stretch of a file as a stream of its own, for clients that want to send one: read in pieces, never held whole."""

from __future__ import annotations

import io
import os
from pathlib import Path


class FileSpan(io.RawIOBase):
    """`size` bytes from `offset` on. Seekable, since a request that failed is sent again from its start."""

    def __init__(self, path: Path, offset: int, size: int) -> None:
        super().__init__()
        self._file = path.open("rb", buffering=0)
        self._offset = offset
        self._size = size
        self._at = 0

    def __len__(self) -> int:
        return self._size

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # what io.RawIOBase hands over
        wanted = min(len(buffer), self._size - self._at)
        if wanted <= 0:
            return 0
        self._file.seek(self._offset + self._at)
        got = self._file.readinto(memoryview(buffer)[:wanted]) or 0
        self._at += got
        return got

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        self._file.close()
        super().close()
