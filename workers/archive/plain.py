"""One record of an uncompressed WARC file, as if it were a member: its header says where it ends (WARC 1.1, 4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from workers.archive.inflate import READ_BYTES, MemberDamagedError

MAX_HEADER_BYTES = 64 * 1024
_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,18})[ \t]*\r\n", re.IGNORECASE)


class PlainRecord:
    """A record that is read from `read`, after the bytes in `pending`."""

    def __init__(self, read: Callable[[int], bytes], pending: bytes = b"") -> None:
        self._read = read
        self._pending = pending
        self.consumed = 0
        self.unused = b""
        """After the end: bytes that were read and belong to what follows."""

    def pieces(self) -> Iterator[bytes]:
        """The record's bytes. Without a length that can be read they end with the header, which then is the fault."""
        header = self._header()
        match = _LENGTH.search(header)
        end = header.find(_END)
        left = 0 if match is None or end < 0 else end + len(_END) + int(match.group(1)) + len(_END)
        data = header
        while True:
            taken, self.unused = (data, b"") if match is None else (data[:left], data[left:])
            left -= len(taken)
            self.consumed += len(taken)
            yield taken
            if left <= 0:
                return
            data = self._read(min(READ_BYTES, left))
            if not data:
                raise MemberDamagedError("the record ends early", ends_early=True)

    def _header(self) -> bytes:
        """The beginning of the record, at least to the end of its header where that has one within the limit."""
        data = self._pending
        while _END not in data and len(data) <= MAX_HEADER_BYTES:
            piece = self._read(READ_BYTES)
            if not piece:
                break
            data += piece
        return data
