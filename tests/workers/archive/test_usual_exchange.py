"""R083: the short way to the records of a usual exchange is the general way, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from schemas.records.outcome import Outcome
from workers.archive import exchange_records as general
from workers.archive.exchange_records import ExchangeRecords, exchange_records
from workers.archive.message import stored_message
from workers.archive.record import Record, target_uri
from workers.archive.revisit import AsResponse
from workers.archive.usual_exchange import usual_records
from workers.capture.head import parse_head
from workers.exchange import Chunk, Exchange, Response, Spool

WARCINFO = "urn:uuid:22222222-2222-4222-8222-222222222222"

HEADS = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
        b"HTTP/1.0 404 Not Found\r\nSERVER: x\r\ncontent-type:\ttext/plain \r\nContent-Encoding: gzip\r\n\r\n",
        b"HTTP/1.1 200 \r\nContent-Type: \xe9\r\nContent-Encoding:identity\r\n\r\n",
        b"HTTP/1.1 999 \xe9\r\nSet-Cookie: a\r\nset-cookie: b\r\nContent-Type:\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: a\r\nContent-Type: b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type : a\r\n\r\n",
        b"HTTP/1.1 abc\r\nContent-Type: \xe9\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-",
        b"http/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n",
        b"HTTP/1.1 200 OK\r\nA: " + b"a" * 40_000 + b"\r\n\r\n",
    ]
)
CONTENTS = st.sampled_from([b"", b"<p>Hello</p>", b"\x89PNG\r\n\x1a\n", b"\x1f\x8b\x08", b"\0\1"]) | st.binary()
URLS = st.sampled_from(["http://example.org/a?b", "https://ex\xe4mple.org/\n", "http://e.org/\ud800", "http://e.org/%"])
TEXTS = st.sampled_from([None, "127.0.0.1", "TLS_AES", "", "a\r\nb", "\xe4"])
PROTOCOLS = st.sampled_from([(), ("http/1.1",), ("http/1.1", "tls/1.3"), ("h\n",)])


@st.composite
def exchanges(draw: st.DrawFn) -> Exchange:
    head = draw(HEADS)
    parsed = parse_head(head)
    return Exchange(
        url=draw(URLS),
        started_at="2026-11-29T12:00:00.250001Z",
        outcome=draw(st.sampled_from([Outcome.CAPTURED, Outcome.MALFORMED])),
        request=b"GET / HTTP/1.1\r\n\r\n",
        response=Response(
            head=head,
            content=Spool(draw(CONTENTS)),
            framing=draw(st.sampled_from(["length", "close", "none", "malformed"])),
            status=parsed.status,
            headers=parsed.fields,
            named=parsed.named,
        ),
        remote_ip=draw(TEXTS),
        protocols=draw(PROTOCOLS),
        cipher_suite=draw(TEXTS),
        seconds_total=draw(st.sampled_from([None, 0.25])),
        purpose=draw(st.sampled_from(["page", "robots", "requisite"])),
    )


@given(exchanges())
def test_the_short_way_gives_what_the_general_way_gives(exchange: Exchange) -> None:
    message = stored_message(exchange)
    assert message is not None
    url = target_uri(exchange.url)
    assert message == stored_message(looked_through(exchange))
    short = usual_records(exchange, message, url, warcinfo_id=WARCINFO, new_id=ids())
    assume(short is not None)
    assert short is not None
    assert told(short) == told(by_the_general_way(exchange).all)


@pytest.mark.parametrize(
    "odd",
    [
        {"framing": "chunked", "chunks": (Chunk(b"0", 0),)},
        {"interim": (b"HTTP/1.1 103 Early Hints\r\n\r\n",)},
        {"surplus": b"more"},
        {"head": b"HTTP/1.1 200 OK\n\n"},
        {"head": b"ICY 200 OK\r\n\r\n"},
        {"head": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"},
        {"head": b""},
        {"request": b""},
        {"truncated": "length"},
        {"failure": "the server closed the connection"},
        {"notes": ("certificate not verified",)},
        {"via": "http://example.org/page"},
        {"outlinks": ("http://example.org/b E img",)},
        {"remote_ip": "a\nb"},
    ],
    ids=str,
)
def test_what_two_records_cannot_hold_goes_the_general_way(
    make_exchange: Callable[..., Exchange], odd: dict[str, object]
) -> None:
    exchange = make_exchange(**odd)
    message = stored_message(exchange)
    assert message is not None
    assert usual_records(exchange, message, exchange.url, warcinfo_id=WARCINFO, new_id=ids()) is None


def test_a_usual_page_goes_the_short_way(make_exchange: Callable[..., Exchange]) -> None:
    exchange = make_exchange(protocols=("http/1.1", "tls/1.3"), cipher_suite="TLS_AES_128_GCM_SHA256")
    message = stored_message(exchange)
    assert message is not None
    short = usual_records(exchange, message, exchange.url, warcinfo_id=WARCINFO, new_id=ids())
    assert short is not None
    written = exchange_records(exchange, AsResponse("new"), warcinfo_id=WARCINFO, message=message, new_id=ids())
    assert isinstance(written, ExchangeRecords)
    assert told(written.all) == told(short) == told(by_the_general_way(exchange).all)
    assert (written.outcome, written.refers_to) == (Outcome.CAPTURED, None)


def looked_through(exchange: Exchange) -> Exchange:
    """The same, with a head of which it is not known that there is nothing odd in it."""
    assert exchange.response is not None
    return replace(exchange, response=replace(exchange.response, named=None))


def by_the_general_way(exchange: Exchange) -> ExchangeRecords:
    exchange = looked_through(exchange)
    message, url = stored_message(exchange), target_uri(exchange.url)
    assert exchange.response is not None
    assert message is not None
    return general.answer_records(exchange, exchange.response, message, AsResponse("new"), url, WARCINFO, ids())


def ids() -> Callable[[], str]:
    numbers = count()
    return lambda: f"urn:uuid:00000000-0000-4000-8000-{next(numbers):012d}"


def told(records: tuple[Record, ...]) -> list[tuple[object, ...]]:
    return [(record.id, record.type, record.data(), record.size, record.index) for record in records]
