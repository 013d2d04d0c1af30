"""A response as it will stand in a record, and whether a payload digest may be written for it.

`strip` (the default) stores a well-formed chunked body without its chunk framing, so that the payload
that readers find is the payload that WARC 1.1, 6.3.2 means. `keep` stores what came over the wire.
Malformed responses are stored as they came under both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Literal

from workers.archive.http_head import MAX_HEAD_BYTES, mark_transfer_encoding, readers_disagree, transfer_codings
from workers.exchange import Chunk, Exchange, Response, Spool
from workers.light import light

TransferFraming = Literal["strip", "keep"]

PAYLOAD_DIGEST_EXCEPTIONS: dict[str, str] = {
    "http/0.9": "there is no head, and readers take the body for one",
    "long-head": "the head is longer than 32 KiB, which FastWARC does not read",
    "unfinished-head": "the head has no end, yet bytes follow it",
    "leading-junk": "bytes stand before the status line, which browsers pass over and not every reader does",
    "leading-blank-line": "readers take the blank line before the status line for the end of the head",
    "blank-line-in-head": "readers disagree whether a line without visible characters ends the head",
    "bare-line-feeds": "the head does not end with CRLF CRLF, the only end that FastWARC knows",
    "transfer-coding": "the block still carries a transfer coding, which readers do or do not remove",
    "scheme": "the target URI does not begin with http: or https: in lower case, so readers look for no head",
}
"""The one list of responses that get a block digest only (`schemas/README.md, Digests`): name and reason."""


@light
class StoredMessage:
    """What a `response` record of this exchange holds."""

    head: bytes
    marked_lines: tuple[int, ...]
    """Lines of `head` that carry the `X-Archive-Orig-` mark."""
    wire: bool
    """Whether the block is head and wire bytes (`keep`), not head and content."""
    exception: str | None
    """A key of `PAYLOAD_DIGEST_EXCEPTIONS`, or None."""
    payload_sha256: str | None
    """SHA-256 of the message content; None where there is an exception."""
    payload_bytes: int
    block_sha256: str | None = field(default=None, compare=False)
    """SHA-256 of `head` and the content after it, where it is at hand."""


def stored_message(exchange: Exchange, transfer_framing: TransferFraming = "strip") -> StoredMessage | None:
    """How the response of an exchange is stored; None where nothing came back."""
    response = exchange.response
    if response is None:
        return None
    content = response.content
    if is_plain(exchange.url, response):
        block = content.sha256_after(response.head)
        return StoredMessage(response.head, (), False, None, content.sha256, content.size, block)
    chunked = response.framing == "chunked"
    wire = chunked and transfer_framing == "keep"
    head, marked_lines = mark_transfer_encoding(response.head) if chunked and not wire else (response.head, ())
    exception = _exception(exchange.url, response, head, wire)
    return StoredMessage(head, marked_lines, wire, exception, None if exception else content.sha256, content.size)


def is_plain(url: str, response: Response) -> bool:
    """Whether the head has nothing odd in it and the content no transfer coding, so that no exception can hold: what
    nearly every answer is, seen at a glance."""
    return (
        response.named is not None
        and b"transfer-encoding" not in response.named
        and response.framing != "chunked"
        and len(response.head) <= MAX_HEAD_BYTES
        and url.startswith(("http:", "https:"))
    )


def _exception(url: str, response: Response, head: bytes, wire: bool) -> str | None:
    if not url.startswith(("http:", "https:")):
        return "scheme"
    if disagreement := readers_disagree(head, response.content.size):
        return disagreement
    removed = {"chunked"} if response.framing == "chunked" and not wire else set()
    if set(transfer_codings(response.head)) - removed:
        return "transfer-coding"
    return None


def chunked_wire(content: Spool, chunks: tuple[Chunk, ...], trailer: bytes) -> Iterator[bytes]:
    """The chunked form of a content as it came (RFC 9112, 7.1).

    CRLF stands between chunks; whatever came after the data of the last one is in `trailer`. Of a body
    that was cut off, the last chunk has the length that arrived, so nothing is made up after it.
    """
    position = 0
    for number, chunk in enumerate(chunks):
        yield b"\r\n" + chunk.line + b"\r\n" if number else chunk.line + b"\r\n"
        yield from content.chunks(position, position + chunk.length)
        position += chunk.length
    yield trailer
