"""One brotli stream (RFC 7932) out of bytes that may go on after it.

The library refuses a call that holds the end of a stream and more, and loses what the call gave. So where
a step fails, a new decoder takes what went before as it was and that step byte by byte.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

import brotli

STEP: Final = 4 * 1024


def brotli_pieces(stream: BinaryIO, piece_bytes: int) -> Iterator[bytes]:
    """What comes out, at most about `piece_bytes` at once. Raises EOFError or OSError as the stream is cut off or no
    such stream. The seekable `stream` is left anywhere."""
    start = stream.tell()
    whole_steps, given = 0, 0
    decoder = brotli.Decompressor()
    try:
        while not decoder.is_finished():
            step = stream.read(STEP)
            if not step:
                raise EOFError
            for piece in _fed(decoder, step, piece_bytes):
                given += len(piece)
                yield piece
            whole_steps += 1
        return
    except brotli.error:
        stream.seek(start)
    skip = given
    for piece in _once_more(stream, whole_steps, piece_bytes):
        rest = piece[skip:]
        skip -= len(piece) - len(rest)
        if rest:
            yield rest


def _once_more(stream: BinaryIO, whole_steps: int, piece_bytes: int) -> Iterator[bytes]:
    """The stream from its start, with small steps from the one that failed on."""
    decoder = brotli.Decompressor()
    try:
        for _ in range(whole_steps):
            yield from _fed(decoder, stream.read(STEP), piece_bytes)
        while not decoder.is_finished():
            byte = stream.read(1)
            if not byte:
                raise EOFError
            yield from _fed(decoder, byte, piece_bytes)
    except brotli.error as error:
        raise OSError("no brotli stream") from error


def _fed(decoder: brotli.Decompressor, data: bytes, piece_bytes: int) -> Iterator[bytes]:
    """All that comes out after `data`; a decoder that could take more may still hold output back."""
    piece = decoder.process(data, output_buffer_limit=piece_bytes)
    while piece or not decoder.can_accept_more_data():
        yield piece
        piece = b"" if decoder.is_finished() else decoder.process(b"", output_buffer_limit=piece_bytes)
