"""The two halves of a stored HTTP message: the head as stored, and the payload after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workers.archive.http_head import find_head_end
from workers.exchange import Spool

MAX_HTTP_HEAD_BYTES = 1024 * 1024 + 64 * 1024  # the capture's limit for heads, and room for the mark


@dataclass(frozen=True, slots=True)
class StoredHttp:
    """A stored HTTP message: its head as stored, and where its payload lies in the block."""

    head: bytes
    block: Spool
    start: int

    @property
    def payload_bytes(self) -> int:
        """Size of the payload."""
        return self.block.size - self.start

    def payload(self) -> bytes:
        """The payload at once; for bodies that fit memory."""
        return self.block.read(self.start)

    def payload_chunks(self) -> Iterator[bytes]:
        """The payload in pieces of at most 64 KiB."""
        return self.block.chunks(self.start)

    def header(self, name: str) -> str | None:
        """First value of a field of the head, decoded as Latin-1, without outer blanks; None where absent."""
        wanted = name.lower().encode("ascii")
        for line in self.head.split(b"\n")[1:]:
            key, colon, value = line.partition(b":")
            if colon and key.strip().lower() == wanted:
                return value.strip().decode("latin-1")
        return None


def split_http(block: Spool, head_bytes: int | None = None) -> StoredHttp:
    """Head and payload of the block of a response, request or identical-payload revisit.

    `head_bytes`: the field `http-head-bytes` of the metadata record beside it, where there is one.
    """
    beginning = block.read(0, MAX_HTTP_HEAD_BYTES)
    end = find_head_end(beginning) if head_bytes is None else min(head_bytes, block.size)
    return StoredHttp(block.read(0, end), block, end)
