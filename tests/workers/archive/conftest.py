"""Exchanges to archive, and a segment to put them in."""

import gzip
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

import brotli
import pytest

from schemas.records.outcome import Hop, Outcome, UrlOutcome
from workers.archive.conversion import ConversionMethod, ConversionSource, conversion_records
from workers.archive.exchange_records import ExchangeRecords, exchange_records
from workers.archive.message import stored_message
from workers.archive.record import new_record_id
from workers.archive.resource import resource_record
from workers.archive.revisit import AsResponse, decide
from workers.archive.segment import ClosedSegment, Owner, SegmentWriter
from workers.archive.warcinfo import Warcinfo
from workers.capture.head import parse_head
from workers.exchange import Chunk, Exchange, Response, Spool

SEGMENT_ID = "20261129T120000Z-01KB7Q8ZJ4M8V3T0N5R6W9XCDE"
STARTED_AT = "2026-11-29T12:00:00.250001Z"
REQUEST = b"GET /page HTTP/1.1\r\nHost: example.org\r\nUser-Agent: Citevault/0 (+test)\r\n\r\n"


class MakeExchange(Protocol):
    def __call__(
        self,
        head: bytes = ...,
        content: bytes = ...,
        *,
        url: str = ...,
        framing: str = ...,
        status: int | None = ...,
        **more: object,
    ) -> Exchange: ...


def lenient_fields(head: bytes) -> tuple[tuple[bytes, bytes], ...]:
    pairs = (line.partition(b":") for line in head.split(b"\n")[1:])
    return tuple((name.strip(), value.strip()) for name, colon, value in pairs if colon)


@pytest.fixture(scope="session")
def make_exchange() -> Iterator[MakeExchange]:
    """An exchange with a response; named arguments that a Response has go there, the others to the Exchange."""
    spools: list[Spool] = []

    def make(
        head: bytes = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
        content: bytes = b"<p>Hello</p>",
        *,
        url: str = "http://example.org/page",
        framing: str = "length",
        status: int | None = 200,
        **more: object,
    ) -> Exchange:
        extras = {name: more.pop(name) for name in ("interim", "chunks", "trailer", "surplus") if name in more}
        spools.append(Spool(content))
        response = Response(
            head=head,
            content=spools[-1],
            framing=framing,  # type: ignore[arg-type]
            status=status,
            headers=lenient_fields(head),
            named=parse_head(head).named,
            **extras,  # type: ignore[arg-type]
        )
        values: dict[str, object] = {
            "started_at": STARTED_AT,
            "outcome": Outcome.CAPTURED,
            "request": REQUEST,
            "remote_ip": "127.0.0.1",
            "protocols": ("http/1.1",),
        }
        return Exchange(url=url, response=response, **{**values, **more})  # type: ignore[arg-type]

    yield make
    for spool in spools:
        spool.close()


@pytest.fixture(scope="session")
def new_ids() -> Callable[[], str]:
    """Record ids that are told apart at sight."""
    numbers = count(1)
    return lambda: f"urn:uuid:00000000-0000-4000-8000-{next(numbers):012d}"


@dataclass(frozen=True)
class Found:
    """What a revisit refers to."""

    record_id: str = "urn:uuid:11111111-1111-4111-8111-111111111111"
    target_uri: str = "http://example.org/page"
    date: str = "2026-11-28T08:00:00.5Z"
    content_sha256: str = ""


@pytest.fixture(scope="session")
def found() -> type[Found]:
    return Found


@pytest.fixture(scope="session")
def to_records() -> Callable[..., ExchangeRecords]:
    """All records of an exchange, with the decision that follows from `found`."""

    def make(exchange: Exchange, found: Found | None = None, framing: str = "strip", **more: object) -> ExchangeRecords:
        message = stored_message(exchange, framing)  # type: ignore[arg-type]
        assert message is not None
        records = exchange_records(
            exchange,
            decide(exchange, message, found),
            message=message,
            **{"warcinfo_id": "urn:uuid:22222222-2222-4222-8222-222222222222", **more},  # type: ignore[arg-type]
        )
        assert isinstance(records, ExchangeRecords)
        return records

    return make


@pytest.fixture
def open_segment(tmp_path: Path) -> Callable[[], SegmentWriter]:
    """Starts a segment in the test's own folder."""
    numbers = count(1)

    def start() -> SegmentWriter:
        warcinfo = Warcinfo(software="citevault/test", operator="tests", robots="obey")
        return SegmentWriter(tmp_path, SEGMENT_ID, f"a{next(numbers)}", warcinfo, created_at=STARTED_AT)

    return start


BATCH = Owner("job-01KB7Q8ZJ4M8V3T0N5R6W9XCDE", "b-01KB7Q8ZJ4M8V3T0N5R6W9XCDF")


class Journaled:
    """A segment with a journal, written as a capture does: visit by visit."""

    def __init__(
        self, writer: SegmentWriter, make_exchange: MakeExchange, to_records: Callable[..., ExchangeRecords]
    ) -> None:
        self._make_exchange = make_exchange
        self._to_records = to_records
        self.writer = writer
        self.visits: list[UrlOutcome] = []

    def visit(self, number: int, *, hops: int = 1, content: bytes | None = None) -> UrlOutcome:
        """Append the records of one URL, and note it."""
        made = []
        for hop in range(hops):
            url = f"http://example.org/{number}/{hop}"
            exchange = self._make_exchange(url=url, content=os.urandom(700) if content is None else content)
            records = self._to_records(exchange, warcinfo_id=self.writer.warcinfo_id)
            places = self.writer.append(records.all, 0.0)
            made.append(
                Hop(url=url, outcome=records.outcome, http_status=200, retrieved_at=STARTED_AT, records=tuple(places))
            )
        url = f"http://example.org/{number}/0"
        outcome = UrlOutcome(
            requested_url=url,
            normalized_url=url,
            visit=1,
            outcome=Outcome.CAPTURED,
            hops=tuple(made),
            job_id=BATCH.job_id,
        )
        self.writer.note(outcome)
        self.visits.append(outcome)
        return outcome

    def kill(self) -> Path:
        """What the end of the process does, at a moment when nothing is gathered; the file as it lies there."""
        self.writer._file.flush()
        self.writer._file.close()
        return self.writer.open_path


@pytest.fixture
def journaled(tmp_path: Path, make_exchange: MakeExchange, to_records: Callable[..., ExchangeRecords]) -> Journaled:
    """A segment with a journal, in a folder of its own."""
    (tmp_path / "batch").mkdir()
    info = Warcinfo(software="citevault/test")
    writer = SegmentWriter(tmp_path / "batch", SEGMENT_ID, "a1", info, created_at=STARTED_AT, owner=BATCH)
    return Journaled(writer, make_exchange, to_records)


@pytest.fixture
def make_visits(
    make_exchange: MakeExchange, to_records: Callable[..., ExchangeRecords]
) -> Callable[[SegmentWriter, int], list[UrlOutcome]]:
    """Appends so many visits to a segment."""

    def make(writer: SegmentWriter, count: int) -> list[UrlOutcome]:
        journaled = Journaled(writer, make_exchange, to_records)
        return [journaled.visit(number) for number in range(count)]

    return make


@pytest.fixture
def archive(
    open_segment: Callable[[], SegmentWriter], to_records: Callable[..., ExchangeRecords]
) -> Callable[..., ClosedSegment]:
    """Writes exchanges into a closed segment."""

    def write(*exchanges: Exchange, framing: str = "strip") -> ClosedSegment:
        segment = open_segment()
        for exchange in exchanges:
            segment.append(to_records(exchange, framing=framing, warcinfo_id=segment.warcinfo_id).all, 0.0)
        return segment.close()

    return write


@dataclass(frozen=True)
class Zoo:
    """One segment with every kind of record that we write."""

    segment: ClosedSegment
    without_payload_digest: frozenset[str]
    """Ids of response records that are on the list of exceptions."""
    exchanges: dict[str, Exchange]


@pytest.fixture
def zoo(
    open_segment: Callable[[], SegmentWriter],
    make_exchange: MakeExchange,
    to_records: Callable[..., ExchangeRecords],
) -> Zoo:
    """Plain, chunked, coded, odd and malformed responses, both revisits, a failure, a resource."""
    html = b"<p>Hello, archive</p>" * 40
    chunks = (Chunk(b"0000000A;x=y", 10), Chunk(f"{len(html) - 10:X}".encode(), len(html) - 10), Chunk(b"0", 0))
    te = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nContent-Type: text/html\r\nServer: t\r\n\r\n"
    ok = b"HTTP/1.1 200 OK\r\n%s\r\n\r\n"
    site = "http://example.org/"
    exchanges = {
        "plain": make_exchange(ok % b"Content-Type: text/html; charset=utf-8", html, url=site + "plain?b=2&a=1"),
        "chunked": make_exchange(te, html, framing="chunked", chunks=chunks, trailer=b"X: y\r\n\r\n", url=site + "c"),
        "gzip": make_exchange(ok % b"Content-Encoding: gzip\r\nContent-Type: text/html", gzip.compress(html, mtime=0)),
        "brotli": make_exchange(ok % b"Content-Encoding: br\r\nContent-Type: text/html", brotli.compress(html)),
        "not gzip": make_exchange(ok % b"Content-Encoding: gzip", b"plain after all"),
        "empty 404": make_exchange(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", b"", status=404),
        "redirect": make_exchange(
            b"HTTP/1.1 302 \r\nLocation: /plain\r\n\r\n", b"", status=302, url="https://www.Example.org/R"
        ),
        "latin-1": make_exchange(b"HTTP/1.1 404 Art\xedculo\r\nSet-Cookie: \xb3\xda=1\r\n\r\n", html, status=404),
        "odd head": make_exchange(ok % b"no colon\r\nSpace : b\r\nA: b\r\n fold\r\nN: \x00", html, url=site + "%zz|x"),
        "odd type": make_exchange(
            ok % b"Content-Type:  Text/HTML ; x\r\nContent-type: b/c", html, url="http://[2001:db8::1]:81/"
        ),
        "empty type": make_exchange(ok % b"Content-Type:", b"x", url=site + "empty-type"),
        "999": make_exchange(b"HTTP/1.1 999 Odd\r\n\r\n", b"x", status=999),
        "icy": make_exchange(b"ICY 200 OK\r\n\r\n", b"mp3"),
        "too long": make_exchange(ok % b"Content-Length: 5000", html, truncated="length", outcome=Outcome.TRUNCATED),
        "too slow": make_exchange(ok % b"Content-Length: 5000", html, truncated="time", outcome=Outcome.TRUNCATED),
        "cut off": make_exchange(ok % b"Content-Length: 5000", html, truncated="disconnect", outcome=Outcome.TRUNCATED),
        "early hints": make_exchange(interim=(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",), surplus=b"more"),
        "large": make_exchange(ok % b"Content-Type: application/pdf", os.urandom(1_500_000), url=site + "l.pdf"),
        "http/0.9": make_exchange(b"", b"<html>old</html>\r\n\r\nx", framing="close", status=None, url=site + "09"),
        "line feeds": make_exchange(b"HTTP/1.0 200 OK\nContent-Type: text/x\n\n", html, url=site + "lf"),
        "leading blank": make_exchange(b"\r\nHTTP/1.1 200 OK\r\n\r\n", html, url=site + "blank"),
        "long head": make_exchange(ok % (b"A: " + b"x" * 50_000), html, url=site + "long"),
        "broken chunks": make_exchange(te, b"zz\r\nbroken", framing="malformed", url=site + "broken"),
    }
    exchanges = {
        name: replace(exchange, url=f"{site}{quote(name)}") if exchange.url == f"{site}page" else exchange
        for name, exchange in exchanges.items()
    }
    segment = open_segment()
    excepted = set()
    for exchange in exchanges.values():
        records = to_records(exchange, warcinfo_id=segment.warcinfo_id)
        segment.append(records.all, 0.0)
        message = stored_message(exchange)
        assert message is not None
        assert records.response is not None
        if message.exception:
            excepted.add(records.response.id)
        if exchange is exchanges["plain"]:
            plain = records.response.id
    original = Found(plain, exchanges["plain"].url, STARTED_AT, exchanges["plain"].response.content.sha256)  # type: ignore[union-attr]
    later = {"url": exchanges["plain"].url, "started_at": "2026-11-30T12:00:00.5Z"}
    again = make_exchange(te, html, framing="chunked", chunks=chunks, trailer=b"\r\n", **later)
    unchanged = make_exchange(
        b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n',
        b"",
        framing="none",
        status=304,
        url=exchanges["plain"].url,
        started_at="2026-12-01T12:00:00.5Z",
    )
    for exchange in (again, unchanged):
        records = to_records(exchange, original, warcinfo_id=segment.warcinfo_id)
        assert records.response is not None
        assert records.response.type == "revisit"
        segment.append(records.all, 0.0)
    failed = Exchange(
        url="http://no.example/", started_at=STARTED_AT, outcome=Outcome.DNS_FAILED, failure="no address for no.example"
    )
    failure = exchange_records(failed, AsResponse("failed"), warcinfo_id=segment.warcinfo_id)
    assert isinstance(failure, ExchangeRecords)
    picture = resource_record(
        b"\x89PNG",
        "urn:screenshot:http://example.org/",
        "image/png; x=y",
        record_id=new_record_id(),
        date=STARTED_AT,
        warcinfo_id=segment.warcinfo_id,
        concurrent_to=plain,
    )
    text = conversion_records(
        b"Hello\n",
        ConversionSource(plain, exchanges["plain"].url, None),
        ConversionMethod("trafilatura@2.3.1+01234567", "text-v1"),
        converted_at=STARTED_AT,
        warcinfo_id=segment.warcinfo_id,
    )
    segment.append((*failure.all, picture, *text.all), 0.0)
    return Zoo(segment.close(), frozenset(excepted), exchanges)
