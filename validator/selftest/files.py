"""Files in memory, where a check would have a folder."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from schemas.findings import FindingKind
from validator.paths import is_safe_name
from validator.place import Unavailable


class Files:
    """Files in memory as a `Place`."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def open(self, name: str, max_bytes: int) -> BinaryIO | Unavailable:
        if not is_safe_name(name):
            return Unavailable(FindingKind.FILE_UNSAFE_PATH, "")
        data = self._files.get(name)
        if data is None:
            return Unavailable(FindingKind.FILE_MISSING, "")
        if len(data) > max_bytes:
            return Unavailable(FindingKind.FILE_TOO_LARGE, f"At most {max_bytes} bytes are read.")
        return io.BytesIO(data)

    def open_range(self, name: str, offset: int, length: int, max_bytes: int) -> BinaryIO | Unavailable:
        opened = self.open(name, len(self._files.get(name, b"")))
        return opened if isinstance(opened, Unavailable) else io.BytesIO(opened.read()[offset : offset + length])

    def names(self, prefix: str) -> Iterator[str] | Unavailable:
        return iter(sorted(name for name in self._files if name.startswith(prefix)))
