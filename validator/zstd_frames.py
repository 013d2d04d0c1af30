"""Where the frames of a zstd stream end, so that what follows the last of them can be left out (RFC 8878, 3.1).

FastWARC's reader takes bytes that are no frame for an error, and accepts any window up to 128 MiB. Only headers
are read here; the decoder checks the rest.
"""

from __future__ import annotations

import io
from typing import BinaryIO, Final

MAX_WINDOW: Final = 8 * 1024 * 1024
"""RFC 9659: what `Content-Encoding: zstd` may ask for."""
_MAGIC: Final = 0xFD2FB528
_SKIPPABLE: Final = range(0x184D2A50, 0x184D2A60)
_DICTIONARY_BYTES: Final = (0, 1, 2, 4)
_SIZE_BYTES: Final = (0, 2, 4, 8)
_RLE, _RESERVED = 1, 3


def frames_size(stream: BinaryIO) -> int:
    """Bytes from where the seekable `stream` stands to the end of its last frame; it is left anywhere.

    Raises EOFError for a frame that is cut off, OSError for one that cannot be or that asks for too much.
    """
    start = stream.tell()
    end = stream.seek(0, io.SEEK_END)
    stream.seek(start)
    size = 0
    while (after := _after_frame(stream)) is not None:
        if after > end:
            raise EOFError
        size = after - start
        stream.seek(after)
    if not size:
        raise OSError("no zstd frame")
    return size


def _after_frame(stream: BinaryIO) -> int | None:
    """Where the frame that begins here ends; None where none begins."""
    magic = stream.read(4)
    number = int.from_bytes(magic, "little") if len(magic) == 4 else 0
    if number in _SKIPPABLE:
        length = _number(stream, 4)
        return stream.tell() + length
    if number != _MAGIC:
        return None
    flags = _number(stream, 1)
    _check_window(stream, flags)
    last = False
    while not last:
        header = _number(stream, 3)
        last, kind, length = bool(header & 1), header >> 1 & 3, header >> 3
        if kind == _RESERVED:
            raise OSError("a zstd block of a reserved type")
        stream.seek(1 if kind == _RLE else length, io.SEEK_CUR)
    return stream.tell() + (4 if flags & 0x04 else 0)


def _check_window(stream: BinaryIO, flags: int) -> None:
    """Read the rest of a frame header (RFC 8878, 3.1.1.1)."""
    single_segment = bool(flags & 0x20)
    window = None if single_segment else _number(stream, 1)
    _number(stream, _DICTIONARY_BYTES[flags & 3])
    size_bytes = _SIZE_BYTES[flags >> 6] or int(single_segment)
    size = _number(stream, size_bytes) + (256 if size_bytes == 2 else 0)
    if window is not None:
        base = 1 << (10 + (window >> 3))
        size = base + base // 8 * (window & 7)
    if size > MAX_WINDOW:
        raise OSError("a window larger than RFC 9659 allows")


def _number(stream: BinaryIO, size: int) -> int:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return int.from_bytes(data, "little")
