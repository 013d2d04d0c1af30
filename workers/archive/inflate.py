"""Inflating one gzip member piece by piece, with its end and checksum verified (RFC 1952, 2.3)."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

READ_BYTES = 64 * 1024
_GZIP = 16 + zlib.MAX_WBITS


class MemberDamagedError(Exception):
    """The member cannot be inflated to its end."""

    def __init__(self, what: str, *, ends_early: bool) -> None:
        super().__init__(what)
        self.ends_early = ends_early


class Member:
    """A member that is read from `read`, after the bytes in `pending`."""

    def __init__(self, read: Callable[[int], bytes], pending: bytes = b"") -> None:
        self._read = read
        self._pending = pending
        self._taken = 0
        self.unused = b""
        """After the end: bytes that were read and belong to what follows."""

    @property
    def consumed(self) -> int:
        """Compressed bytes of this member so far; after the end, its length."""
        return self._taken - len(self.unused)

    def pieces(self) -> Iterator[bytes]:
        """The content, never more than 64 KiB at once; ends after the checksum was verified."""
        inflate = zlib.decompressobj(_GZIP)
        data = b""
        while not inflate.eof:
            if not data:
                data = self._pending or self._read(READ_BYTES)
                self._pending = b""
                self._taken += len(data)
                if not data:
                    raise MemberDamagedError("the gzip member ends early", ends_early=True)
            try:
                piece = inflate.decompress(data, READ_BYTES)
            except zlib.error as error:
                raise MemberDamagedError(f"the gzip member is damaged ({error})", ends_early=False) from error
            data = inflate.unconsumed_tail
            if piece:
                yield piece
        self.unused = inflate.unused_data
