"""X14: whatever comes over a connection, in whatever pieces and cut off wherever, is put together again from the
archive's records: scanned, made into records, written as WARC, read by a library that did not write it, rebuilt."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Literal

import pytest
from fastwarc.warc import ArchiveIterator
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

from deploy.hostile.case import Case, sends
from deploy.hostile.server import hostile_server
from workers.adapters.http.fetcher import Fetcher
from workers.archive.exchange_records import ExchangeRecords, exchange_records
from workers.archive.gzip_member import compress_pieces
from workers.archive.message import TransferFraming, stored_message
from workers.archive.octets import read_fields
from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_file
from workers.archive.record import Record
from workers.archive.revisit import AsResponse, decide
from workers.archive.stored_http import split_http
from workers.archive.wire_notes import BadNotes, read_notes, rebuild_wire
from workers.capture.limits import FetchLimits
from workers.capture.message import ResponseScanner
from workers.capture.result import outcome_of, shortcoming
from workers.capture.scan import End
from workers.capture.transport import FetchRequest
from workers.exchange import Exchange, Spool

FRAMINGS: tuple[TransferFraming, ...] = ("strip", "keep")
WARCINFO = "urn:uuid:22222222-2222-4222-8222-222222222222"
STARTED_AT = "2026-11-29T12:00:00.250001Z"
REQUEST = b"GET /page HTTP/1.1\r\nHost: example.org\r\n\r\n"

octets = st.binary(max_size=12)
line_ends = st.sampled_from([b"\r\n", b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r", b"\r\r\n"])
STATUS_LINES = (
    *(b"HTTP/1.1 200 OK", b"HTTP/1.1 204 No Content", b"HTTP/1.1 304 Not Modified", b"HTTP/1.0 200 OK"),
    *(b"HTTP/1.1 101 Switch", b"HTTP/1.1 404 Art\xedculo", b"ICY 200", b"HTTP/2 200", b"HTTP/1.1 999", b"HTTP/1.1"),
    *(b"\xef\xbb\xbfHTTP/1.1 200 OK", b" \tHTTP/1.1 200 OK", b"\r\n\nHTTP/1.1 200 OK", b"<html>", b""),
)
FIELDS = (
    *(b"Transfer-Encoding: chunked", b"transfer-encoding : CHUNKED", b"Transfer-Encoding: gzip, chunked"),
    *(b"X-Archive-Orig-Transfer-Encoding: chunked", b"Transfer-Encoding:\r\n chunked", b"Content-Encoding: gzip"),
    *(b"Content-Length: 5", b"Content-Length: 0", b"Content-Length: 70000", b"Content-Length: x", b"no colon"),
    *(b"Connection: close", b"Connection: keep-alive", b"Set-Cookie: \xb3=1", b" folded", b" ", b": nameless"),
)
status_lines = st.one_of(st.sampled_from(STATUS_LINES), octets)
fields = st.one_of(st.sampled_from(FIELDS), octets)
sizes = st.integers(0, 20)


def chunk(size: int, zeros: str, extension: bytes, fault: bytes) -> bytes:
    """A chunk, well-formed unless `fault` stands where its line ends should."""
    return f"{zeros}{size:x}".encode() + extension + (fault or b"\r\n") + b"d" * size + (fault or b"\r\n")


chunks = st.builds(
    chunk,
    sizes,
    st.sampled_from(["", "0", "0000000"]),
    st.one_of(st.sampled_from([b"", b";x", b" ", b'; n="\xff"']), octets),
    st.sampled_from([b"", b"", b"", b"", b"\n", b"!"]),
)
trailers = st.one_of(st.sampled_from([b"\r\n", b"X: y\r\n\r\n", b"X: y\n\n", b""]), octets)
chunked_bodies = st.builds(
    lambda parts, last, trailer: b"".join(parts) + last + trailer,
    st.lists(chunks, max_size=5),
    st.sampled_from([b"0\r\n", b"000;end\r\n", b"", b"0"]),
    trailers,
)
bodies = st.one_of(chunked_bodies, octets, st.integers(0, 70_000).map(lambda size: b"b" * size))
heads = st.builds(
    lambda first, lines, end: first + end + b"".join(line + end for line in lines) + end,
    status_lines,
    st.lists(fields, max_size=5),
    line_ends,
)
interims = st.lists(
    st.sampled_from(
        [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n", b"HTTP/1.1 199\n\n"]
    ),
    max_size=3,
)
surplus = st.one_of(st.just(b""), octets, st.just(b"HTTP/1.1 200 OK\r\n\r\n"), st.just(b"s" * 70_000))


@st.composite
def wires(draw: st.DrawFn) -> bytes:
    """Everything that one server says: a message more or less, cut off anywhere."""
    said = b"".join(draw(interims)) + draw(heads) + draw(bodies) + draw(surplus)
    return said[: draw(st.integers(1, len(said)))] if said and draw(st.booleans()) else said


limits = st.builds(
    FetchLimits,
    max_body_bytes=st.sampled_from([7, 100, 1_000_000]),
    max_head_bytes=st.sampled_from([40, 200, 1_000_000]),
)


@contextmanager
def scanned(wire: bytes, piece: int, end: End, limit: FetchLimits) -> Iterator[Exchange]:
    """The exchange that the scanner makes of these bytes in pieces of this size."""
    scanner = ResponseScanner(limits=limit)
    for at in range(0, len(wire), piece):
        scanner.feed(wire[at : at + piece])
    scan = scanner.finish(end)
    exchange = Exchange(
        url="http://example.org/page",
        started_at=STARTED_AT,
        outcome=outcome_of(scan),
        request=REQUEST,
        response=scan.response,
        truncated=scan.truncated,
        failure=shortcoming(scan, end, limit),
        remote_ip="127.0.0.1",
        protocols=("http/1.1",),
        notes=tuple(anomaly.value for anomaly in scan.anomalies),
    )
    try:
        yield exchange
    finally:
        scan.response.content.close()


def written(records: Sequence[Record]) -> bytes:
    """A WARC file."""
    return b"".join(piece for record in records for piece in compress_pieces(record.pieces()))


def rebuilt(file: bytes, payload_of: Callable[[str], bytes] | None = None) -> bytes:
    """The wire bytes that the records of one exchange give back, as FastWARC reads them."""
    stored, beside = b"", b""
    kind = original = ""
    for record in ArchiveIterator(io.BytesIO(file), parse_http=False):
        assert record.verify_block_digest()
        block = record.reader.read()
        if record.headers["WARC-Type"] in ("response", "revisit"):
            stored, kind = block, record.headers["WARC-Type"]
            original = str(record.headers.get("WARC-Refers-To", "")).strip("<>")
        elif record.headers["WARC-Type"] == "metadata":
            beside = block
    noted = read_notes(read_fields(beside) or ())
    assert not isinstance(noted, BadNotes)
    block_spool = Spool(stored)
    message = split_http(block_spool, noted.head_bytes)
    content = Spool(payload_of(original) if kind == "revisit" and payload_of else message.payload())
    wire = rebuild_wire(message.head, content, noted)
    assert not isinstance(wire, BadNotes)
    try:
        return b"".join(wire)
    finally:
        block_spool.close()
        content.close()


def records_of(exchange: Exchange, framing: TransferFraming) -> ExchangeRecords:
    message = stored_message(exchange, framing)
    records = exchange_records(exchange, AsResponse("a test"), warcinfo_id=WARCINFO, message=message)
    assert isinstance(records, ExchangeRecords)
    return records


def reads_without_fault(file: bytes) -> bool:
    """Whether our own reader takes every record, block and payload digests checked."""
    found = [located.record for located in read_file(io.BytesIO(file))]
    for record in found:
        if isinstance(record, WarcRecord):
            record.block.close()
    return all(isinstance(record, WarcRecord) for record in found)


@pytest.mark.parametrize("framing", FRAMINGS)
@given(
    wire=wires(),
    piece=st.sampled_from([1, 2, 7, 1460, 100_000]),
    end=st.sampled_from(list(End)),
    limit=limits,
)
@settings(max_examples=250, deadline=None)
@example(
    wire=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n00000000",
    piece=1,
    end=End.CLOSED,
    limit=FetchLimits(max_body_bytes=7, max_head_bytes=200),
)
@example(wire=b"", piece=1, end=End.CLOSED, limit=FetchLimits())
@example(wire=b"\xef\xbb\xbfHTTP/1.1 200 OK\r\n\r\nhi", piece=1, end=End.CLOSED, limit=FetchLimits())
def test_the_records_of_any_response_give_back_what_came(
    framing: TransferFraming, wire: bytes, piece: int, end: End, limit: FetchLimits
) -> None:
    with scanned(wire, min(piece, max(1, len(wire))), end, limit) as exchange:
        file = written(records_of(exchange, framing).all)
        got = rebuilt(file)
        event(f"{exchange.outcome.value} {exchange.truncated or ''}")
        assert reads_without_fault(file)
        if exchange.truncated == "length":
            assert wire.startswith(got)
            assert len(got) >= min(limit.max_head_bytes, limit.max_body_bytes)
        else:
            assert got == wire


@given(wire=wires(), end=st.sampled_from(list(End)))
@settings(max_examples=150, deadline=None)
def test_a_revisit_gives_back_what_came_with_the_payload_of_its_original(wire: bytes, end: End) -> None:
    with scanned(wire, max(1, len(wire)), end, FetchLimits()) as exchange:
        message = stored_message(exchange)
        assert message is not None
        first = records_of(exchange, "strip")
        assert first.response is not None
        payload = exchange.response.content.read() if exchange.response is not None else b""
        found = _Original(first.response.id, exchange.url, STARTED_AT, message.payload_sha256 or "")
        decision = decide(exchange, message, found)
        again = exchange_records(exchange, decision, warcinfo_id=WARCINFO, message=message)
        assert isinstance(again, ExchangeRecords)
        event("response" if isinstance(decision, AsResponse) else "revisit")
        assert rebuilt(written(again.all), lambda _: payload if exchange.response.status != 304 else b"") == wire  # type: ignore[union-attr]


@dataclass(frozen=True)
class _Original:
    record_id: str
    target_uri: str
    date: str
    content_sha256: str


@pytest.mark.real
@given(said=st.lists(wires().filter(bool), min_size=8, max_size=8), ends=st.sampled_from(["close", "open"]))
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_fetched_over_a_socket_gives_back_what_was_sent(
    socket_enabled: None, said: list[bytes], ends: Literal["close", "open"]
) -> None:
    """The same from a real server, with the client's own patience at the end."""
    cases = [Case(name=f"case {number}", answer=sends(wire), outcome="", ends=ends) for number, wire in enumerate(said)]
    patience = FetchLimits(idle_seconds=0.4, total_seconds=20, linger_seconds=0.3, settle_seconds=0.2)

    async def fetch_all(urls: list[str]) -> list[Exchange]:
        async with Fetcher() as fetcher:
            opened = (ip_network("127.0.0.0/8"),)
            requests = [FetchRequest(url, (), allowed_networks=opened, limits=patience) for url in urls]
            return await asyncio.gather(*map(fetcher.fetch, requests))

    with hostile_server(cases) as server:
        exchanges = asyncio.run(fetch_all([server.url(case) for case in cases]))
    for exchange, wire in zip(exchanges, said, strict=True):
        assert exchange.response is not None, exchange.failure
        for framing in FRAMINGS:
            assert rebuilt(written(records_of(exchange, framing).all)) == wire
        exchange.response.content.close()
