"""Where the head of an HTTP block ends, and the few fields of it that decoding needs.

The rule is the format's (section "WARC"): a block that begins with `HTTP/` or `ICY `, after leading
CR and LF, has a head, which ends with the first empty line; any other block is all payload. Where a
metadata record gives `http-head-bytes`, that is the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

MAX_HEAD: Final = 2 * 1024 * 1024
"""The archive accepts heads of up to 1 MiB; prefixes that it adds need some room."""
USUAL_HEAD: Final = 4 * 1024
"""So much is looked at first: nearly all heads end there, and space for the longest one costs more than to read it."""
_BEGINS = re.compile(rb"[\r\n]*(?:HTTP/|ICY )", re.IGNORECASE)
_EMPTY_LINE = re.compile(rb"\n\r?\n")
_STATUS = re.compile(rb"[\r\n]*(?:HTTP/[0-9.]+|ICY)[ \t]+([0-9]{3})(?![0-9])", re.IGNORECASE)
_HEAD_BYTES = re.compile(rb"^http-head-bytes:[ \t]*([0-9]{1,12})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HttpHead:
    """`size` bytes of the block are head, the rest is payload."""

    size: int
    status: int | None
    fields: Sequence[tuple[str, str]]

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.fields if key == name]


def declared_head_bytes(metadata_block: bytes) -> int | None:
    """`http-head-bytes` of a capture's metadata record."""
    match = _HEAD_BYTES.search(metadata_block)
    return int(match[1]) if match else None


def read_head(block: BinaryIO, block_bytes: int, declared: int | None = None) -> HttpHead | None:
    """The head of a block, which is left at the start of the payload. None: a head that is too long to be read."""
    block.seek(0)
    start = block.read(USUAL_HEAD)
    size = _end_of_head(start) if declared is None else min(declared, block_bytes)
    if size is None or size > len(start):
        start += block.read(MAX_HEAD + 1 - len(start))
        size = _end_of_head(start) if declared is None else size
    if size is None:
        size = block_bytes if _BEGINS.match(start) else 0
    if size > MAX_HEAD:
        return None
    block.seek(size)
    head = start[:size]
    status = _STATUS.match(head)
    return HttpHead(size, int(status[1]) if status else None, _fields(head))


def _end_of_head(start: bytes) -> int | None:
    """Where the head ends, by the beginning of its block; 0 where there is none, None where more must be seen."""
    begun = start.lstrip(b"\r\n")
    if len(begun) < len(b"HTTP/"):
        return None
    if _BEGINS.match(start) is None:
        return 0
    match = _EMPTY_LINE.search(start, len(start) - len(begun))
    return match.end() if match else None


def _fields(head: bytes) -> list[tuple[str, str]]:
    """Names in lower case. A line without colon, or a folded one, is read over or joined; nothing is refused."""
    out: list[tuple[str, str]] = []
    for line in head.split(b"\n")[1:]:
        text = line.rstrip(b"\r").decode("latin-1")
        if text[:1] in (" ", "\t") and out:
            out[-1] = (out[-1][0], f"{out[-1][1]} {text.strip()}")
            continue
        name, colon, value = text.partition(":")
        if colon:
            out.append((name.strip().lower(), value.strip(" \t")))
    return out
