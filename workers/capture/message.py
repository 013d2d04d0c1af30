"""Reads one response from the bytes of the wire, as they come, and loses none of them (RFC 9112).

`ResponseScanner` serves the live connection: it says when the message is over, and holds heads and
framing in memory but never the content. `split_wire` runs the same scanner over bytes at rest, so the
two cannot differ; `wire_bytes` is the inverse of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from workers.capture.anomaly import NEVER_REUSE, Anomaly
from workers.capture.chunked import ChunkedReader, State, wire_body
from workers.capture.framing import How, Plan, plan_content
from workers.capture.head import BLANKS, END_OF_HEAD, Head, begins_head, may_be_head, parse_head, usual_head
from workers.capture.limits import FetchLimits
from workers.capture.scan import End, Progress, Scan, truncation
from workers.exchange import Framing, NewSpool, Response, Spool

MAX_SURPLUS_BYTES = 64 * 1024  # more than that, and the length was wrong: all of it is content

_NO_HEAD = Head(None, None, (), ())
_UNTIL_CLOSE = Plan("close")

_FRAMINGS: dict[How, Framing] = {
    "none": "none",
    "length": "length",
    "chunked": "chunked",
    "close": "close",
    "uncertain": "malformed",
}
_PROGRESS: dict[How, Progress] = {
    "none": Progress.COMPLETE,
    "length": Progress.CONTENT,
    "chunked": Progress.CONTENT,
    "close": Progress.UNTIL_CLOSE,
    "uncertain": Progress.UNCERTAIN,
}


class ResponseScanner:
    """Fed with the bytes of one connection from the first byte of a response on."""

    def __init__(self, method: str = "GET", limits: FetchLimits | None = None, *, new_spool: NewSpool = Spool) -> None:
        self.progress = Progress.HEAD
        self.received = 0
        self._method = method
        self._limits = limits or FetchLimits()
        self._new_spool = new_spool
        self._buffer = bytearray()
        self._searched = 0
        self._interim: list[bytes] = []
        self._interim_bytes = 0
        self._head = b""
        self._parsed = _NO_HEAD
        self._plan = _UNTIL_CLOSE
        self._content: Spool | None = None
        self._chunked: ChunkedReader | None = None
        self._left = 0
        self._surplus = bytearray()
        self._found: set[Anomaly] = set()

    @property
    def reusable(self) -> bool:
        """Whether another request may go over this connection."""
        return (
            self.progress is Progress.COMPLETE
            and self._plan.keeps_alive
            and not self._surplus
            and NEVER_REUSE.isdisjoint(self._found)
        )

    def feed(self, data: bytes) -> Progress:
        """Take the next bytes of the connection."""
        if not data:
            return self.progress
        self.received += len(data)
        match self.progress:
            case Progress.HEAD:
                if self._buffer:
                    self._buffer += data
                    self._take_heads(self._buffer)
                elif not self._take_usual(data):
                    self._take_heads(data)
            case Progress.COMPLETE:
                self._take_surplus(data)
            case Progress.LIMIT:
                pass
            case _:
                self._take_content(data)
        return self.progress

    def finish(self, end: End) -> Scan:
        """The message as it stands; no more bytes will come."""
        if self.progress is Progress.HEAD:
            self._end_in_head()
        chunked = self._chunked
        if chunked is None:
            content = self._content or self._new_spool()
            framing = _FRAMINGS[self._plan.how]
        else:
            self._end_chunks(chunked)
            content = chunked.content
            framing = "malformed" if chunked.kept else "chunked"
            if chunked.too_many:
                self._found.add(Anomaly.CHUNKS_TOO_MANY)
        response = Response(
            head=self._head,
            content=content,
            framing=framing,
            status=self._parsed.status,
            headers=self._parsed.fields,
            interim=tuple(self._interim),
            chunks=chunked.chunks if chunked else (),
            trailer=chunked.trailer if chunked and not chunked.kept else b"",
            surplus=bytes(self._surplus),
            named=self._parsed.named,
        )
        return Scan(response, truncation(self.progress, end), tuple(sorted(self._found)) if self._found else ())

    def discard(self) -> None:
        """Give back what is held of a message that nobody will finish."""
        content = self._chunked.content if self._chunked is not None else self._content
        if content is not None:
            with suppress(OSError):  # a full disk also refuses the last flush
                content.close()

    # --- head ---------------------------------------------------------------------------------

    def _take_usual(self, received: bytes) -> bool:
        """Cut off a final head that has come in one go and has nothing odd; False where that is not so."""
        usual = usual_head(received)
        if usual is None:
            return False
        parsed, end = usual
        if _is_interim(parsed.status) or end + self._interim_bytes > self._limits.max_head_bytes:
            return False
        self._head, self._parsed = received[:end], parsed
        self._start_content(received[end:])
        return True

    def _take_heads(self, received: bytes | bytearray) -> None:
        """Cut off 1xx heads and the final one; what follows is content."""
        position = 0
        while True:
            if not may_be_head(received, position):
                self._start_headless(bytes(received[position:]))
                return
            end = self._end_of_head(received, position)
            if not end:
                self._wait_for_head(received, position)
                return
            head = bytes(received[position:end])
            position = end
            parsed = parse_head(head)
            if _is_interim(parsed.status):
                self._interim.append(head)
                self._interim_bytes += len(head)
                continue
            self._head = head
            self._parsed = parsed
            self._found.update(parsed.anomalies)
            self._start_content(bytes(received[position:]))
            return

    def _end_of_head(self, received: bytes | bytearray, position: int) -> int:
        """Where the head that starts at `position` ends, or 0 if it is not all there, or too long."""
        start = position + self._searched
        if not self._searched:
            blanks = BLANKS.match(received, position)
            start = blanks.end() if blanks else position
        found = END_OF_HEAD.search(received, start)
        if found is None:
            self._searched = max(0, len(received) - position - 2) if start < len(received) - 2 else 0
            return 0
        self._searched = 0
        end = found.end()
        return end if end - position + self._interim_bytes <= self._limits.max_head_bytes else 0

    def _wait_for_head(self, received: bytes | bytearray, position: int) -> None:
        room = self._limits.max_head_bytes - self._interim_bytes
        if len(received) - position > room:
            self._head = bytes(received[position : position + room])
            self._buffer.clear()
            self._read_unfinished()
            self._plan = Plan("none")
            self.progress = Progress.LIMIT
        elif received is not self._buffer:
            self._buffer += received[position:]
        else:
            del self._buffer[:position]

    def _read_unfinished(self) -> None:
        self._parsed = parse_head(self._head)
        self._found.update(self._parsed.anomalies)
        self._found.add(Anomaly.UNFINISHED_HEAD)

    def _end_in_head(self) -> None:
        """The bytes ended before a final head did: the torn head is the head, or the last 1xx one is."""
        if self._buffer and not begins_head(bytes(self._buffer[:64]).lstrip(b"\r\n\t ")):
            # Too few bytes to tell that no status line stands in them: they are content.
            self._start_headless(bytes(self._buffer))
            return
        if self._buffer:
            self._head = bytes(self._buffer)
            self._buffer.clear()
            self._read_unfinished()
        elif self._interim:
            self._head = self._interim.pop()
            self._parsed = parse_head(self._head)
            self._found.update(self._parsed.anomalies)
        self._plan = Plan("none")

    def _start_headless(self, rest: bytes) -> None:
        self._buffer.clear()
        self._found.add(Anomaly.NO_STATUS_LINE)
        self.progress = Progress.UNTIL_CLOSE
        self._content = self._new_spool()
        self._take_content(rest)

    # --- content ------------------------------------------------------------------------------

    def _start_content(self, rest: bytes) -> None:
        self._buffer.clear()
        plan = self._plan = plan_content(self._parsed, self._method)
        self._found.update(plan.anomalies)
        self._left = plan.length
        if plan.how == "chunked":
            self._chunked = ChunkedReader(
                keep=plan.keep_coding,
                max_content_bytes=self._limits.max_body_bytes,
                max_trailer_bytes=self._limits.max_head_bytes,
                new_spool=self._new_spool,
            )
        else:
            self._content = self._new_spool()
        self.progress = Progress.COMPLETE if plan.how == "length" and not plan.length else _PROGRESS[plan.how]
        if not rest:
            return
        if self.progress is Progress.COMPLETE:
            self._take_surplus(rest)
        else:
            self._take_content(rest)

    def _take_content(self, data: bytes) -> None:
        if self._chunked is not None:
            self._take_chunks(self._chunked, data)
            return
        content = self._content
        if content is None:
            return
        rest = b""
        if self.progress is Progress.CONTENT:
            if len(data) >= self._left:
                data, rest = (data, b"") if len(data) == self._left else (data[: self._left], data[self._left :])
                self.progress = Progress.COMPLETE
            self._left -= len(data)
        room = self._limits.max_body_bytes - content.size
        if len(data) > room:
            data = data[:room]
            self.progress = Progress.LIMIT
            rest = b""
        content.write(data)
        if rest:
            self._take_surplus(rest)

    def _take_chunks(self, chunked: ChunkedReader, data: bytes) -> None:
        rest = chunked.feed(data)
        if chunked.state is State.DONE:
            self.progress = Progress.COMPLETE
        elif chunked.state is State.FULL:
            self.progress = Progress.LIMIT
        elif chunked.state is State.BROKEN:
            self._found.add(Anomaly.CHUNKS_BROKEN)
            self.progress = Progress.UNCERTAIN
        if rest:
            self._take_surplus(rest)

    def _end_chunks(self, chunked: ChunkedReader) -> None:
        chunked.finish()
        if chunked.state is State.FULL:
            self.progress = Progress.LIMIT
        if chunked.state is State.BROKEN and self.progress is Progress.CONTENT:
            self._found.add(Anomaly.CHUNKS_BROKEN)
            self.progress = Progress.UNCERTAIN

    def _take_surplus(self, data: bytes) -> None:
        """Bytes after the end. Few are kept beside the content; many mean that the end was none."""
        self._found.add(Anomaly.SURPLUS)
        self._surplus += data
        if len(self._surplus) <= MAX_SURPLUS_BYTES:
            return
        rest = bytes(self._surplus)
        self._surplus.clear()
        if self._chunked is not None:
            self._chunked.keep()
            self._content, self._chunked = self._chunked.content, None
        self._plan = Plan("uncertain", anomalies=self._plan.anomalies)
        self.progress = Progress.UNCERTAIN
        self._take_content(rest)


def _is_interim(status: int | None) -> bool:
    """Whether another head follows; after a 101 comes something else."""
    return status is not None and 100 <= status < 200 and status != 101


def split_wire(wire: Spool, *, closed: bool, method: str = "GET", limits: FetchLimits | None = None) -> Response:
    """The response in bytes at rest; `closed` says whether the server closed the connection after them."""
    return scan_wire(wire, closed=closed, method=method, limits=limits).response


def scan_wire(wire: Spool, *, closed: bool, method: str = "GET", limits: FetchLimits | None = None) -> Scan:
    """Like `split_wire`, with what was odd and whether the message is whole."""
    scanner = ResponseScanner(method, limits)
    for piece in wire.chunks():
        scanner.feed(piece)
    return scanner.finish(End.CLOSED if closed else End.SILENT)


def wire_bytes(response: Response) -> Iterator[bytes]:
    """The bytes that were received, in order: the inverse of reading them."""
    yield from response.interim
    yield response.head
    if response.framing == "chunked":
        yield from wire_body(response.chunks, response.content, response.trailer)
    else:
        yield from response.content.chunks()
    yield response.surplus
