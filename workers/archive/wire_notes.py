"""What a record cannot hold of the wire, as fields of the `metadata` record beside it, and the way back.

The block of a `response` record begins with the final status line and holds the body without chunk
framing; a server-not-modified revisit holds nothing. Everything else that came over the wire stands
here, so that record, notes and payload give back the received bytes (`schemas/README.md, WARC`):

| field | value | given |
|---|---|---|
| `http-interim` | octets of one 1xx head | once each, in order |
| `http-not-modified-head` | octets of the 304's own head | server-not-modified revisits |
| `http-head-bytes` | where the head ends in the block, decimal | where a reader would find another end |
| `http-marked-line` | number of a line of the stored head, from 0, that carries `X-Archive-Orig-` | once each |
| `http-chunk` | `<count> <length> <octets of the size line>`: that many equal chunk lines in a row | in order |
| `http-trailer` | octets after the data of the last chunk | chunked, unless it is CRLF alone |
| `http-surplus` | octets after the end of the message | if any |

"Octets" are percent-encoded as `workers.archive.octets` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from workers.archive.http_head import unmark_transfer_encoding
from workers.archive.message import chunked_wire
from workers.archive.octets import decode_octets, encode_octets
from workers.exchange import Chunk, Spool
from workers.light import light

_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


@light
class WireNotes:
    """The wire beside the record."""

    interim: tuple[bytes, ...] = ()
    not_modified_head: bytes | None = None
    head_bytes: int | None = None
    marked_lines: tuple[int, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    trailer: bytes = b""
    surplus: bytes = b""

    def fields(self) -> list[tuple[str, str]]:
        """As fields of a metadata record; empty where the record alone says it all."""
        out = [("http-interim", encode_octets(head)) for head in self.interim]
        if self.not_modified_head is not None:
            out.append(("http-not-modified-head", encode_octets(self.not_modified_head)))
        if self.head_bytes is not None:
            out.append(("http-head-bytes", str(self.head_bytes)))
        out += [("http-marked-line", str(number)) for number in self.marked_lines]
        for chunk, equal in groupby(self.chunks):
            count = sum(1 for _ in equal)
            out.append(("http-chunk", f"{count} {chunk.length} {encode_octets(chunk.line)}"))
        if self.trailer != _usual_trailer(self.chunks):
            out.append(("http-trailer", encode_octets(self.trailer)))
        if self.surplus:
            out.append(("http-surplus", encode_octets(self.surplus)))
        return out


@light
class BadNotes:
    """A field of a metadata record that does not follow its form."""

    field: str
    what: str


def read_notes(fields: Iterable[tuple[str, str]], *, max_chunks: int = 10_000_000) -> WireNotes | BadNotes:
    """The notes in a metadata record's fields; other fields are passed over."""
    octets: dict[str, list[bytes]] = {}
    numbers: dict[str, list[int]] = {}
    chunks: list[Chunk] = []
    for name, value in fields:
        if name in ("http-interim", "http-not-modified-head", "http-trailer", "http-surplus"):
            data = decode_octets(value)
            if data is None:
                return BadNotes(name, "is not percent-encoded octets")
            octets.setdefault(name, []).append(data)
        elif name in ("http-head-bytes", "http-marked-line"):
            if not _NUMBER.fullmatch(value):
                return BadNotes(name, "is not a number")
            numbers.setdefault(name, []).append(int(value))
        elif name == "http-chunk":
            run = _read_run(value)
            if run is None or len(chunks) + run[0] > max_chunks:
                return BadNotes(name, f"is not `count length line`, or there are more than {max_chunks} chunks")
            chunks += [run[1]] * run[0]
    for single in ("http-not-modified-head", "http-trailer", "http-surplus", "http-head-bytes"):
        if len(octets.get(single, ())) > 1 or len(numbers.get(single, ())) > 1:
            return BadNotes(single, "stands there more than once")
    return WireNotes(
        interim=tuple(octets.get("http-interim", ())),
        not_modified_head=next(iter(octets.get("http-not-modified-head", ())), None),
        head_bytes=next(iter(numbers.get("http-head-bytes", ())), None),
        marked_lines=tuple(numbers.get("http-marked-line", ())),
        chunks=tuple(chunks),
        trailer=next(iter(octets.get("http-trailer", ())), _usual_trailer(chunks)),
        surplus=b"".join(octets.get("http-surplus", ())),
    )


def _usual_trailer(chunks: Sequence[Chunk]) -> bytes:
    """What ends a chunked body without trailer fields; nothing where there was no chunk line at all."""
    return b"\r\n" if chunks else b""


def _read_run(value: str) -> tuple[int, Chunk] | None:
    words = value.split(" ")
    if len(words) != 3 or not _NUMBER.fullmatch(words[0]) or not _NUMBER.fullmatch(words[1]):
        return None
    line = decode_octets(words[2])
    return None if line is None else (int(words[0]), Chunk(line, int(words[1])))


def rebuild_wire(head: bytes, content: Spool, notes: WireNotes) -> Iterator[bytes] | BadNotes:
    """Everything the server sent, byte for byte, the 1xx heads first.

    `head` and `content`: the stored head and what follows it in the block of a `response` record; for a
    revisit, its own head (empty for server-not-modified) and the payload of the original (empty for a
    304, which has none).
    """
    if notes.not_modified_head is not None:
        original_head: bytes | None = notes.not_modified_head
    else:
        original_head = unmark_transfer_encoding(head, notes.marked_lines)
    if original_head is None:
        return BadNotes("http-marked-line", "names a line that carries no mark")
    return _wire(original_head, content, notes)


def _wire(head: bytes, content: Spool, notes: WireNotes) -> Iterator[bytes]:
    yield from notes.interim
    yield head
    if notes.chunks or notes.trailer:
        yield from chunked_wire(content, notes.chunks, notes.trailer)
    else:
        yield from content.chunks()
    yield notes.surplus
