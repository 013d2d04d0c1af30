"""One Zstandard frame per record, as the IIPC's draft for `.warc.zst` wants it, and reading such frames.

(Zstandard Compression for WARC Files 1.0, proposed.) Each frame says its content size and carries a
checksum. A dictionary frame is told apart and refused: we never write one, and a file that has one
cannot be read from the middle without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import zstandard

from workers.archive.inflate import MemberDamagedError

MAGIC = b"\x28\xb5\x2f\xfd"
DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"
LEVEL = 3
WINDOW_BYTES = 8 * 1024 * 1024
"""What every reader of the draft must take."""
FEED_BYTES = 256
"""A block of 4 bytes may stand for 128 KiB, and the library knows no limit of output: 256 / 4 x 128 KiB = 8 MiB."""


class FramePacker:
    """Packs records as frames, one at a time: its tables are made once, which a page would feel."""

    def __init__(self, level: int = LEVEL) -> None:
        self._squeeze = zstandard.ZstdCompressor(level=level, write_checksum=True, write_content_size=True)

    def pack(self, data: bytes) -> bytes:
        """A whole record as one frame."""
        return self._squeeze.compress(data)

    def pack_pieces(self, pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
        """A large record of this size as one frame, without holding it in memory."""
        frame = self._squeeze.compressobj(size=size)
        for piece in pieces:
            if out := frame.compress(piece):
                yield out
        yield frame.flush()


class Frame:
    """A frame that is read from `read`, after the bytes in `pending`."""

    def __init__(self, read: Callable[[int], bytes], pending: bytes = b"") -> None:
        self._read = read
        self._pending = pending
        self._taken = 0
        self.unused = b""
        """After the end: bytes that were read and belong to what follows."""

    @property
    def consumed(self) -> int:
        """Compressed bytes of this frame so far; after the end, its length."""
        return self._taken - len(self.unused)

    def pieces(self) -> Iterator[bytes]:
        """The content, at most about 8 MiB at once; ends after the checksum was verified."""
        decoder = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES).decompressobj()
        while not decoder.eof:
            data = self._pending or self._read(FEED_BYTES)
            data, self._pending = data[:FEED_BYTES], data[FEED_BYTES:]
            self._taken += len(data)
            if not data:
                raise MemberDamagedError("the zstd frame ends early", ends_early=True)
            if self._taken == len(data) and data.startswith(DICTIONARY_MAGIC):
                raise MemberDamagedError(
                    "a file with a dictionary, which its frames cannot be read without", ends_early=False
                )
            try:
                piece = decoder.decompress(data)
            except zstandard.ZstdError as error:
                raise MemberDamagedError(f"the zstd frame is damaged ({error})", ends_early=False) from error
            if piece:
                yield piece
        self._taken += len(self._pending)
        self.unused = decoder.unused_data + self._pending
