"""One HTTP exchange, as it went over the wire: the value that capture makes and archive writes down.

It lies outside both stages, since stages do not import each other. Nothing in it is re-serialised:
`head`, `interim` and `content` are the received bytes. Two things only are ever taken away from the
wire form, and both are kept beside the record so that the wire bytes can be rebuilt
(`schemas/README.md, WARC`): the chunked transfer coding of a well-formed body, and 1xx heads.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import IO, Literal

from schemas.records.outcome import Outcome
from workers.digests import pair
from workers.light import light

SPOOL_MEMORY_BYTES = 1024 * 1024  # what one body may hold in memory before it goes to a temporary file
READ_BYTES = 64 * 1024
MOST_PIECES = 16  # of a body in memory; a usual page comes in one to three

Truncation = Literal["length", "time", "disconnect"]
"""Values of `WARC-Truncated` (WARC 1.1, 5.13) that a fetch can cause."""

Framing = Literal["length", "chunked", "close", "none", "malformed"]
"""How the end of the message content was found; `malformed`: content is everything after the head, as it came."""


class Spool:
    """Bytes that are written once, and read any number of times.

    Small bodies stay in memory, and are hashed when their digest is asked for; larger ones go to an unlinked temporary
    file, so that a worker's memory does not grow with the size of a body, and are hashed on the way in. `folder` is
    where that file goes; without it, where the system keeps temporary files.
    """

    def __init__(self, data: bytes = b"", *, folder: Path | None = None) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._pieces: list[bytes | bytearray] = []
        """What is in memory: the pieces as they came, or all of them in one where there are many."""
        self._closed = False
        self._digest = hashlib.sha256()
        """Of what is in the file."""
        self._sha256: str | None = None
        """Of what is in memory, where it was asked for."""
        self.size = 0
        if data:
            self.write(data)

    def write(self, data: bytes) -> None:
        """Append bytes."""
        if self._file is None and self.size + len(data) > SPOOL_MEMORY_BYTES:
            self._roll_over()
        if self._file is not None:
            self._file.seek(0, 2)
            self._file.write(data)
            self._digest.update(data)
        else:
            self._keep(data)
            self._sha256 = None
        self.size += len(data)

    @property
    def sha256(self) -> str:
        """SHA-256 of everything written so far, 64 lower-case hex."""
        if self._file is not None:
            return self._digest.hexdigest()
        if self._sha256 is None:
            self._sha256 = hashlib.sha256(self._in_memory()).hexdigest()
        return self._sha256

    def sha256_after(self, head: bytes) -> str | None:
        """The same of a head and everything after it; both digests are made at once. None where it is in a file, and
        must be read for that."""
        if self._file is not None:
            return None
        self._sha256, after = pair(head, self._in_memory())
        return after

    def chunks(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """The bytes of `[start, end)` in pieces of at most 64 KiB."""
        position = start
        stop = self.size if end is None else min(end, self.size)
        held = self._in_memory() if self._file is None else b""
        while position < stop:
            length = min(READ_BYTES, stop - position)
            piece = held[position : position + length] if self._file is None else self._read_file(position, length)
            if not piece:
                return
            position += len(piece)
            yield piece

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """The bytes of `[start, end)` at once; for heads and small bodies."""
        if self._file is None:
            held = self._in_memory()
            return held if start == 0 and (end is None or end >= self.size) else held[start:end]
        return b"".join(self.chunks(start, end))

    def close(self) -> None:
        """Give back the memory or the temporary file."""
        self._pieces, self._closed = [], True
        if self._file is not None:
            self._file.close()

    def _keep(self, data: bytes) -> None:
        """Keep a piece without copying it. Many small ones are gathered, since each costs more than its bytes."""
        if self._pieces and isinstance(self._pieces[-1], bytearray):
            self._pieces[-1] += data
        elif len(self._pieces) < MOST_PIECES:
            self._pieces.append(data)
        else:
            self._pieces = [bytearray(b"".join((*self._pieces, data)))]

    def _in_memory(self) -> bytes:
        """All that is held, as one immutable piece from now on."""
        if self._closed:
            raise ValueError("the spool was given back")
        if len(self._pieces) != 1 or isinstance(self._pieces[0], bytearray):
            self._pieces = [b"".join(self._pieces)]
        return bytes(self._pieces[0])

    def _read_file(self, position: int, length: int) -> bytes:
        if self._file is None:
            return b""
        self._file.seek(position)
        return self._file.read(length)

    def _roll_over(self) -> None:
        """Move from memory to an unlinked temporary file."""
        rolled: IO[bytes] = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 (it lives as long as the spool)
        held = b"".join(self._pieces)
        rolled.write(held)
        self._digest.update(held)
        self._pieces, self._file = [], rolled


NewSpool = Callable[[], Spool]
"""Makes an empty spool for one body."""


@light
class Chunk:
    """One chunk line of a chunked body as it stood on the wire: its raw size line (without CRLF) and data length."""

    line: bytes
    length: int


@light
class Response:
    """A received response. `head` ends with its empty line; it is empty for HTTP/0.9."""

    head: bytes
    content: Spool
    framing: Framing
    status: int | None
    headers: tuple[tuple[bytes, bytes], ...] = ()
    """Leniently parsed field lines, order, case and duplicates kept; values stripped of outer blanks."""
    interim: tuple[bytes, ...] = ()
    """1xx heads that came before, each with its empty line."""
    chunks: tuple[Chunk, ...] = ()
    """The chunk lines that were taken away from a well-formed chunked body, the last one of length 0 included."""
    trailer: bytes = b""
    """The trailer section after the last chunk as received, its final CRLF included."""
    surplus: bytes = b""
    """Bytes that arrived after the end of the message; at most 64 KiB are kept."""
    named: Mapping[bytes, bytes] | None = field(default=None, compare=False)
    """What `headers` says, by names in lower case, where the head has nothing odd in it: each line is a name, a colon
    and a value, and fields that must be alone are. Of those that may come again the first one. None: look there."""

    def header(self, name: str) -> str | None:
        """First value of a field, decoded as Latin-1, or None where the field is absent."""
        wanted = name.lower().encode("ascii")
        if self.named is not None:
            found = self.named.get(wanted)
            return None if found is None else found.decode("latin-1")
        for key, value in self.headers:
            if len(key) == len(wanted) and key.lower() == wanted:
                return value.decode("latin-1")
        return None


@light
class Exchange:
    """One attempt at one URL: what was sent, and what came back or why nothing did.

    `outcome` is `captured`, `truncated` or `malformed` where there is a response; otherwise one of
    the failures of `Outcome`, with `response` None. `failure` is a sentence for a person: why there is no
    response, or why it is cut off or of doubtful extent.
    """

    url: str
    started_at: str
    """UTC, `YYYY-MM-DDTHH:MM:SS.ffffffZ`: when the request was sent (the WARC-Date of its records)."""
    outcome: Outcome
    request: bytes = b""
    """Request head as sent; empty if no connection was made."""
    response: Response | None = None
    truncated: Truncation | None = None
    failure: str | None = None
    remote_ip: str | None = None
    protocols: tuple[str, ...] = ()
    """WARC-Protocol values, such as `http/1.1` and `tls/1.3`."""
    cipher_suite: str | None = None
    seconds_to_first_byte: float | None = None
    seconds_total: float | None = None
    purpose: Literal["page", "robots", "requisite"] = "page"
    notes: tuple[str, ...] = field(default_factory=tuple)
    """Remarks for the metadata record, such as `certificate not verified`."""
    via: str | None = None
    """For a requisite: the document or sheet that names it."""
    hops_from_seed: str = ""
    """For a requisite: how it was reached from its page, one letter a hop (`E` embedded, `R` redirected)."""
    outlinks: tuple[str, ...] = ()
    """For a page, a sheet or a frame: what it needs, as `<URL> E <place>`."""
