"""Content codings: labels that lie, streams that stop, and bombs. A record keeps the coded bytes, whatever they are;
what the text reader makes of them is told by `reader`."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator

import brotli

from deploy.hostile.bombs import BOMBS, GIB, MIB
from deploy.hostile.case import Answer, Case, sends


def page(about: str) -> bytes:
    """A page that no other case sends."""
    return (
        f"<!doctype html><title>{about}</title><article><h1>{about}</h1><p>"
        + "The sluice at the upper mill was opened on the first of May, and the water fell by two hands. " * 6
        + "</p></article>"
    ).encode()


def gzipped(about: str) -> bytes:
    """The same in gzip."""
    return gzip.compress(page(about), mtime=0)


def coded(coding: bytes, body: bytes, status: bytes = b"200 OK") -> Answer:
    """A page under this `Content-Encoding`, with the right length."""
    head = b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n"
    return sends(head % (status, coding, len(body)), body)


def bomb(coding: str, decoded_bytes: int) -> Answer:
    """A page that is this much larger than it looks, delimited by the end of the connection."""

    def answer(_: str) -> Iterator[bytes]:
        yield f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {coding}\r\n\r\n".encode()
        yield from BOMBS[coding](decoded_bytes // MIB)

    return answer


def bomb_in_gzip(decoded_bytes: int) -> Callable[[str], Iterator[bytes]]:
    """A bomb that is compressed again: 10 GiB in some 30 kB."""

    def answer(_: str) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip, gzip\r\n\r\n"
        outer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
        for piece in BOMBS["gzip"](decoded_bytes // MIB):
            yield outer.compress(piece)
        yield outer.flush()

    return answer


def _bombs() -> Iterator[Case]:
    for coding in BOMBS:
        for size, said in ((10 * MIB, "10 MiB"), (10 * GIB, "10 GiB")):
            outgrows = size == 10 * GIB and coding != "br"  # brotli has 130 kB for it, and 500 times that is less
            yield Case(
                name=f"{coding} bomb of {said}",
                answer=bomb(coding, size),
                outcome="captured",
                framing="close",
                ends="close",
                reader="content-coding.too-large" if outgrows else "content-coding.ratio",
            )


CODINGS = (
    Case(
        name="gzip label on plain text",
        answer=sends(
            b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"
        ),
        outcome="captured",
        status=302,
        content=b"hello",
    ),
    Case(name="gzip", answer=coded(b"gzip", gzipped("one")), outcome="captured", content=gzipped("one")),
    Case(name="gzip in capitals", answer=coded(b"GZIP", gzipped("two")), outcome="captured", content=gzipped("two")),
    Case(
        name="gzip label on a plain page",
        answer=coded(b"gzip", page("three")),
        outcome="captured",
        content=page("three"),
        reader="content-coding.broken",
    ),
    Case(
        name="gzip that stops early, under the right length",
        answer=coded(b"gzip", gzipped("four")[:-20]),
        outcome="captured",
        reader="content-coding.truncated",
    ),
    Case(
        name="gzip with a wrong checksum",
        answer=coded(b"gzip", gzipped("five")[:-8] + bytes(4) + gzipped("five")[-4:]),
        outcome="captured",
        reader="content-coding.broken",
    ),
    Case(name="gzip with bytes after its end", answer=coded(b"gzip", gzipped("six") + b"\0\0more"), outcome="captured"),
    Case(name="gzip of nothing, no bytes at all", answer=coded(b"gzip", b""), outcome="captured"),
    Case(name="gzip in two members", answer=coded(b"gzip", gzipped("seven") + gzipped("seven")), outcome="captured"),
    Case(
        name="gzip within gzip",
        answer=coded(b"gzip, gzip", gzip.compress(gzipped("eight"), mtime=0)),
        outcome="captured",
    ),
    Case(name="deflate with its wrapper", answer=coded(b"deflate", zlib.compress(page("nine"))), outcome="captured"),
    Case(
        name="deflate without its wrapper",
        answer=coded(b"deflate", zlib.compress(page("ten"))[2:-4]),
        outcome="captured",
    ),
    Case(
        name="br label on gzip",
        answer=coded(b"br", gzipped("eleven")),
        outcome="captured",
        reader="content-coding.broken",
    ),
    Case(name="br that nobody asked for", answer=coded(b"br", brotli.compress(page("twelve"))), outcome="captured"),
    Case(
        name="coding that nobody knows",
        answer=coded(b"sluice", page("thirteen")),
        outcome="captured",
        reader="content-coding.unknown-coding",
    ),
    Case(
        name="ten codings",
        answer=coded(b", ".join([b"gzip"] * 10), gzipped("fourteen")),
        outcome="captured",
        reader="content-coding.too-many-codings",
    ),
    *_bombs(),
    Case(
        name="gzip bomb of 10 GiB in gzip",
        answer=bomb_in_gzip(10 * GIB),
        outcome="captured",
        framing="close",
        ends="close",
        reader="content-coding.ratio",
    ),
)
