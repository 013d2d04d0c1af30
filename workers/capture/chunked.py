"""Takes the chunked transfer coding (RFC 9112, 7.1) off a body while it arrives, and keeps what it takes.

Chunk lines are kept raw, so that the wire bytes can be put together again. A body whose chunks are
broken goes back to how it came: the content is then everything after the head. Strict where it matters
for that: only `size [; extension] CRLF data CRLF` is taken off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto

from workers.exchange import READ_BYTES, Chunk, NewSpool, Spool

MAX_LINE_BYTES = 16 * 1024  # a longer chunk line is none
MAX_CHUNKS = 1_000_000  # 8 MB of references: 512 MiB in chunks of 512 bytes
MAX_DISTINCT_LINES = 65_536  # equal lines share one object
MAX_DISTINCT_BYTES = 8 * 1024 * 1024

_LINE = re.compile(rb"[ \t]*0*([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\n]*)?\r\n")
_LINE_SO_FAR = re.compile(rb"[ \t]*[0-9A-Fa-f]*[ \t]*(?:;[^\n]*|\r)?")
_CRLF = b"\r\n"


class State(Enum):
    """What the next byte of the body belongs to; the last three are final."""

    LINE = auto()
    DATA = auto()
    AFTER_DATA = auto()
    TRAILER = auto()
    DONE = auto()
    BROKEN = auto()
    FULL = auto()


def wire_body(chunks: Sequence[Chunk], content: Spool, trailer: bytes) -> Iterator[bytes]:
    """The body as it went over the wire: the inverse of the reader below.

    Every chunk is its line, CRLF and data; CRLF follows the data of every chunk but the last, after
    which `trailer` holds whatever came, to the byte. In a complete body the last chunk is the empty one
    and the trailer ends with CRLF; in one that was cut off the last chunk has the length that arrived.
    """
    position = 0
    for number, chunk in enumerate(chunks):
        yield _CRLF + chunk.line + _CRLF if number else chunk.line + _CRLF
        yield from content.chunks(position, position + chunk.length)
        position += chunk.length
    yield trailer


class ChunkedReader:
    """Fed with the bytes after the head; `content` grows by what the chunks hold.

    With `keep` the content is the bytes as they came, and the chunks only tell where they end.
    """

    def __init__(
        self, *, keep: bool, max_content_bytes: int, max_trailer_bytes: int, new_spool: NewSpool = Spool
    ) -> None:
        self._new_spool = new_spool
        self.content = new_spool()
        self.state = State.LINE
        self.kept = keep
        self.too_many = False
        self._chunks: list[Chunk] = []
        self._distinct: dict[bytes, Chunk] = {}
        self._distinct_bytes = 0
        self._left = 0
        self._trailer = bytearray()
        self._line_start = 0
        self._held = b""
        self._max_content = max_content_bytes
        self._max_trailer = max_trailer_bytes

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """Chunk lines taken off so far; an unfinished last one with the length that arrived."""
        if self._left and self._chunks:
            last = self._chunks[-1]
            return (*self._chunks[:-1], Chunk(last.line, last.length - self._left))
        return tuple(self._chunks)

    @property
    def trailer(self) -> bytes:
        """What came after the data of the last chunk: the trailer section, or the torn end of a cut body."""
        if self.state is State.LINE and self._chunks:
            return _CRLF + self._held
        return bytes(self._trailer) + self._held

    def feed(self, data: bytes) -> bytes:
        """Take bytes; what lies beyond the end of the body is given back."""
        if self._held:
            data, self._held = self._held + data, b""
        position = 0
        while position < len(data):
            match self.state:
                case State.DATA:
                    position = self._data(data, position)
                case State.LINE:
                    whole = self._whole_chunks(data, position)
                    position = whole if whole > position else self._line(data, position)
                case State.AFTER_DATA:
                    position = self._after_data(data, position)
                case State.TRAILER:
                    position = self._trailer_line(data, position)
                case State.DONE:
                    return data[position:]
                case State.BROKEN:
                    position += self._write(data[position:] if position else data)
                    break
                case State.FULL:
                    break
        return b""

    def finish(self) -> None:
        """No more bytes will come. A torn line is content where content is kept as it came, and where no
        chunk came before it, so that a short plain body is not taken for the beginning of one."""
        if self.kept:
            self._write(self._held)
            self._held = b""
        elif self.state is State.LINE and self._held and not self._chunks:
            self._break()
            self._held = b""

    def keep(self) -> None:
        """From now on the content is the bytes as they came, those that went before included."""
        if self.kept:
            return
        content = self._new_spool()
        gathered = bytearray()
        for piece in wire_body(self.chunks, self.content, self.trailer):
            gathered += piece
            if len(gathered) >= READ_BYTES:
                content.write(bytes(gathered))
                gathered.clear()
        content.write(bytes(gathered))
        self.content.close()
        self.content = content
        self.kept = True
        self._chunks.clear()
        self._distinct.clear()
        self._trailer.clear()
        self._line_start = 0

    def _break(self) -> None:
        self.keep()
        self.state = State.BROKEN

    def _write(self, piece: bytes) -> int:
        room = max(0, self._max_content - self.content.size)
        if len(piece) > room:
            piece = piece[:room]
            self.state = State.FULL
        self.content.write(piece)
        return len(piece)

    def _data(self, data: bytes, position: int) -> int:
        stop = min(position + self._left, len(data))
        written = self._write(data if stop - position == len(data) else data[position:stop])
        self._left -= written
        if not self._left:
            self.state = State.AFTER_DATA
        return position + written

    def _after_data(self, data: bytes, position: int) -> int:
        if data.startswith(_CRLF, position):
            self.state = State.LINE
            if self.kept:
                self._write(_CRLF)
            return position + 2
        if len(data) - position == 1 and data[position] == _CRLF[0]:
            return self._hold(data, position)
        self._break()
        return position

    def _whole_chunks(self, data: bytes, position: int) -> int:
        """Take all chunks that are there as a whole, with one write for all of them: a body of tiny chunks would
        otherwise hold up everybody else. What is left is for the steps below."""
        start = position
        room = self._max_content - self.content.size
        pieces: list[bytes] = []
        while found := _LINE.match(data, position, position + MAX_LINE_BYTES):
            size = int(found.group(1), 16)
            begin = found.end()
            end = begin + size
            room -= end + len(_CRLF) - position if self.kept else size
            if not size or room < 0 or not data.startswith(_CRLF, end):
                break
            if not self.kept:
                if not self._note(data[position : begin - len(_CRLF)], size):
                    break
                pieces.append(data[begin:end])
            position = end + len(_CRLF)
        if position > start:
            self._write(data[start:position] if self.kept else b"".join(pieces))
        return position

    def _line(self, data: bytes, position: int) -> int:
        end = data.find(b"\n", position, position + MAX_LINE_BYTES) + 1
        if not end:
            if len(data) - position < MAX_LINE_BYTES and _LINE_SO_FAR.fullmatch(data, position):
                return self._hold(data, position)
            self._break()
            return position
        found = _LINE.fullmatch(data, position, end)
        if found is None:
            self._break()
            return position
        size = int(found.group(1), 16)
        if self.kept:
            self._write(data[position:end])
        elif not self._note(data[position : end - 2], size):
            self.too_many = True
            self.keep()
            self._write(data[position:end])
        if self.state is State.LINE:
            self._left = size
            self.state = State.DATA if size else State.TRAILER
        return end

    def _note(self, line: bytes, size: int) -> bool:
        """Remember a chunk line; False if that would take too much memory."""
        chunk = self._distinct.get(line)
        if chunk is None:
            self._distinct_bytes += len(line)
            if len(self._distinct) >= MAX_DISTINCT_LINES or self._distinct_bytes > MAX_DISTINCT_BYTES:
                return False
            chunk = self._distinct[line] = Chunk(line, size)
        if len(self._chunks) >= MAX_CHUNKS:
            return False
        self._chunks.append(chunk)
        return True

    def _trailer_line(self, data: bytes, position: int) -> int:
        """Trailer fields up to the empty line; here a bare LF ends a line too, since all bytes are kept."""
        end = data.find(b"\n", position) + 1 or len(data)
        if self.kept:
            self._write(data[position:end])
        if self.state is State.FULL:
            return end
        self._trailer += data[position:end]
        if len(self._trailer) > self._max_trailer:
            self.state = State.FULL
        elif self._trailer.endswith(b"\n"):
            if bytes(self._trailer[self._line_start :]) in (b"\r\n", b"\n"):
                self.state = State.DONE
            self._line_start = len(self._trailer)
        return end

    def _hold(self, data: bytes, position: int) -> int:
        self._held = data[position:]
        return len(data)
