"""R083: which records an exchange gives, and what stands in them."""

from collections.abc import Callable

import pytest

from schemas.records.outcome import Outcome
from workers.archive.exchange_records import MAX_TARGET_URI_BYTES, ExchangeRecords, Unwritable, exchange_records
from workers.archive.message import PAYLOAD_DIGEST_EXCEPTIONS, stored_message
from workers.archive.octets import read_fields
from workers.archive.record import MAX_HEADER_BYTES, Record
from workers.archive.revisit import AsResponse, IdenticalPayload
from workers.exchange import Chunk, Exchange

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
WARCINFO = "urn:uuid:22222222-2222-4222-8222-222222222222"


def header(record: Record | None) -> list[tuple[str, str]]:
    assert record is not None
    lines = record.header.decode().split("\r\n")[1:-2]
    return [(name, value) for name, _, value in (line.partition(": ") for line in lines)]


def field(record: Record | None, name: str) -> list[str]:
    return [value for key, value in header(record) if key == name]


def notes(records: ExchangeRecords) -> list[tuple[str, str]]:
    assert records.metadata is not None
    assert records.metadata.block.inline is not None
    fields = read_fields(records.metadata.block.inline)
    assert fields is not None
    return list(fields)


def test_a_plain_exchange_gives_request_and_response(
    make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords], new_ids: Callable[[], str]
) -> None:
    records = to_records(
        make_exchange(
            protocols=("http/1.1", "tls/1.3"), cipher_suite="TLS_AES_128_GCM_SHA256", remote_ip="2001:db8::1"
        ),
        new_id=new_ids,
    )
    assert [record.type for record in records.all] == ["request", "response"]
    assert records.outcome is Outcome.CAPTURED
    assert records.request is not None
    assert records.response is not None
    assert [name for name, _ in header(records.response)] == [
        "WARC-Type",
        "WARC-Record-ID",
        "WARC-Date",
        "WARC-Target-URI",
        "WARC-Warcinfo-ID",
        "WARC-Concurrent-To",
        "WARC-IP-Address",
        "WARC-Protocol",
        "WARC-Protocol",
        "WARC-Cipher-Suite",
        "WARC-Payload-Digest",
        "WARC-Identified-Payload-Type",
        "WARC-Block-Digest",
        "Content-Type",
        "Content-Length",
    ]
    assert field(records.response, "WARC-Identified-Payload-Type") == ["text/html"]
    assert field(records.response, "WARC-Concurrent-To") == [f"<{records.request.id}>"]
    assert field(records.request, "WARC-Concurrent-To") == [f"<{records.response.id}>"]
    assert field(records.response, "WARC-Date") == field(records.request, "WARC-Date")
    assert field(records.response, "WARC-IP-Address") == ["2001:db8::1"]
    assert field(records.response, "Content-Type") == ["application/http; msgtype=response"]
    assert field(records.request, "Content-Type") == ["application/http; msgtype=request"]
    assert field(records.request, "WARC-Payload-Digest") == []


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 404 Art\xedculo no encontrado\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nSet-Cookie: \xb3\xd2\xda=1\r\nContent-Encoding : gzip\r\nno colon\r\nX:\x00\r\n\r\n",
        b"HTTP/1.1 302 \r\nLocation: /b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
    ],
)
def test_block_is_what_came(
    head: bytes, make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords]
) -> None:
    records = to_records(make_exchange(head, b"\x1f\x8bnot gzip"))
    assert records.response is not None
    assert records.response.block.inline == head + b"\x1f\x8bnot gzip"


def test_chunked_body_is_stored_without_its_framing(
    make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords]
) -> None:
    chunks = (Chunk(b"0000000A", 10), Chunk(b"0", 0))
    exchange = make_exchange(CHUNKED, b"0123456789", framing="chunked", chunks=chunks, trailer=b"\r\n")
    records = to_records(exchange)
    assert records.response is not None
    assert records.response.block.inline == (
        b"HTTP/1.1 200 OK\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n0123456789"
    )
    assert exchange.response is not None
    assert field(records.response, "WARC-Payload-Digest") == [f"sha256:{exchange.response.content.sha256}"]
    assert notes(records) == [
        ("outcome", "captured"),
        ("http-marked-line", "1"),
        ("http-chunk", "1 10 0000000A"),
        ("http-chunk", "1 0 0"),
    ]
    assert field(records.metadata, "WARC-Concurrent-To") == [f"<{records.response.id}>"]


def test_keep_stores_the_wire_and_no_payload_digest(
    make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords]
) -> None:
    chunks = (Chunk(b"a;x", 10), Chunk(b"0", 0))
    exchange = make_exchange(CHUNKED, b"0123456789", framing="chunked", chunks=chunks, trailer=b"\r\n")
    records = to_records(exchange, framing="keep")
    assert records.response is not None
    assert records.response.block.inline == CHUNKED + b"a;x\r\n0123456789\r\n0\r\n\r\n"
    assert field(records.response, "WARC-Payload-Digest") == []
    assert records.metadata is None


def test_exceptions_from_the_payload_digest_are_those_of_the_list(make_exchange: Callable[..., Exchange]) -> None:
    """One exchange for each name on the list, and a block digest alone for each of them."""
    cases = {
        "http/0.9": make_exchange(b"", b"<html>", framing="close", status=None),
        "long-head": make_exchange(b"HTTP/1.1 200 OK\r\nA: " + b"x" * 40_000 + b"\r\n\r\n"),
        "unfinished-head": make_exchange(b"HTTP/1.1 200 OK\r\nA: b", b"body"),
        "leading-junk": make_exchange(b"\xef\xbb\xbfHTTP/1.1 200 OK\r\n\r\n"),
        "leading-blank-line": make_exchange(b"\r\nHTTP/1.1 200 OK\r\n\r\n"),
        "blank-line-in-head": make_exchange(b"HTTP/1.1 200 OK\r\n \r\nA: b\r\n\r\n"),
        "bare-line-feeds": make_exchange(b"HTTP/1.1 200 OK\nA: b\n\n"),
        "transfer-coding": make_exchange(CHUNKED, b"zz\r\nbroken", framing="malformed"),
        "scheme": make_exchange(url="HTTP://example.org/"),
    }
    assert set(cases) == set(PAYLOAD_DIGEST_EXCEPTIONS)
    for name, exchange in cases.items():
        message = stored_message(exchange)
        assert message is not None
        assert (message.exception, message.payload_sha256) == (name, None)


def test_a_transfer_coding_under_the_chunks_stays_and_is_an_exception(make_exchange: Callable[..., Exchange]) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
    message = stored_message(make_exchange(head, b"x", framing="chunked", chunks=(Chunk(b"1", 1), Chunk(b"0", 0))))
    assert message is not None
    assert message.exception == "transfer-coding"


@pytest.mark.parametrize("reason", ["length", "time", "disconnect"])
def test_a_body_that_was_cut_off_says_how(
    reason: str, make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords]
) -> None:
    records = to_records(make_exchange(truncated=reason, outcome=Outcome.TRUNCATED))
    assert field(records.response, "WARC-Truncated") == [reason]
    assert field(records.response, "WARC-Payload-Digest") != []


def test_identical_payload_revisit_holds_the_head_and_all_references(
    make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords], found: Callable[..., object]
) -> None:
    exchange = make_exchange()
    assert exchange.response is not None
    digest = exchange.response.content.sha256
    records = to_records(exchange, found(content_sha256=digest))
    assert records.response is not None
    assert (records.response.type, records.outcome) == ("revisit", Outcome.REVISIT)
    assert records.refers_to == "urn:uuid:11111111-1111-4111-8111-111111111111"
    assert records.response.block.inline == exchange.response.head
    expected = {
        "WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        "WARC-Refers-To": "<urn:uuid:11111111-1111-4111-8111-111111111111>",
        "WARC-Refers-To-Target-URI": "http://example.org/page",
        "WARC-Refers-To-Date": "2026-11-28T08:00:00.5Z",
        "WARC-Truncated": "length",
        "WARC-Payload-Digest": f"sha256:{digest}",
        "Content-Type": "application/http; msgtype=response",
    }
    assert {name: value for name, value in header(records.response) if name in expected} == expected


def test_not_modified_revisit_is_empty_and_its_head_is_kept_beside_it(
    make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords], found: Callable[..., object]
) -> None:
    head = b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n'
    records = to_records(make_exchange(head, b"", framing="none", status=304), found(content_sha256="ab" * 32))
    assert records.outcome is Outcome.NOT_MODIFIED
    assert field(records.response, "WARC-Profile") == ["http://netpreserve.org/warc/1.1/revisit/server-not-modified"]
    assert field(records.response, "Content-Length") == ["0"]
    assert field(records.response, "WARC-Payload-Digest") == [f"sha256:{'ab' * 32}"]
    assert field(records.response, "WARC-Truncated") == []
    assert ("http-not-modified-head", 'HTTP/1.1%20304%20Not%20Modified%0D%0AETag:%20"x"%0D%0A%0D%0A') in notes(records)


def test_a_failure_gives_a_metadata_record_that_says_why(make_exchange: Callable[..., Exchange]) -> None:
    exchange = Exchange(
        url="http://example.org/",
        started_at="2026-11-29T12:00:00.250001Z",
        outcome=Outcome.EMPTY_REPLY,
        request=b"GET / HTTP/1.1\r\n\r\n",
        failure="The server closed the connection\r\nwithout an answer",
        remote_ip="127.0.0.1",
        seconds_total=0.1234,
    )
    assert stored_message(exchange) is None
    records = exchange_records(exchange, AsResponse("no response"), warcinfo_id=WARCINFO)
    assert isinstance(records, ExchangeRecords)
    assert [record.type for record in records.all] == ["metadata"]
    assert records.outcome is Outcome.EMPTY_REPLY
    assert field(records.metadata, "WARC-Target-URI") == ["http://example.org/"]
    assert notes(records) == [
        ("outcome", "empty_reply"),
        ("failure", "The server closed the connection without an answer"),
        ("fetchTimeMs", "123"),
        ("http-request", "GET%20/%20HTTP/1.1%0D%0A%0D%0A"),
    ]


def test_remarks_stand_in_the_metadata_record(
    make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords]
) -> None:
    records = to_records(make_exchange(notes=("certificate not verified",), purpose="robots"))
    assert notes(records) == [("outcome", "captured"), ("purpose", "robots"), ("note", "certificate not verified")]


def test_a_url_cannot_add_fields_to_the_header(
    make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords]
) -> None:
    records = to_records(make_exchange(url="http://example.org/\r\nWARC-Type: warcinfo", remote_ip="1\r\nX: y"))
    assert field(records.response, "WARC-Type") == ["response"]
    assert field(records.response, "WARC-Target-URI") == ["http://example.org/%0D%0AWARC-Type:%20warcinfo"]
    assert field(records.response, "WARC-IP-Address") == ["1%0D%0AX: y"]
    assert field(records.response, "X") == []


def test_a_url_too_long_for_a_header_is_refused_with_a_reason(make_exchange: Callable[..., Exchange]) -> None:
    exchange = make_exchange(url="http://example.org/" + "x" * MAX_TARGET_URI_BYTES)
    refused = exchange_records(exchange, AsResponse(""), warcinfo_id=WARCINFO)
    assert isinstance(refused, Unwritable)
    assert "shorter" in refused.why


def test_a_revisit_whose_two_addresses_do_not_fit_is_stored_in_full(
    make_exchange: Callable[..., Exchange], found: Callable[..., object]
) -> None:
    url = "http://example.org/" + "x" * 20_000
    exchange = make_exchange(url=url)
    assert exchange.response is not None
    original = found(content_sha256=exchange.response.content.sha256, target_uri=url)
    records = exchange_records(
        exchange,
        IdenticalPayload(original),
        warcinfo_id=WARCINFO,  # type: ignore[arg-type]
    )
    assert isinstance(records, ExchangeRecords)
    assert records.response is not None
    assert (records.response.type, records.outcome, records.refers_to) == ("response", Outcome.CAPTURED, None)
    assert all(len(record.header) <= MAX_HEADER_BYTES for record in records.all)


def test_a_request_without_an_answer_head_keeps_its_response_alone(
    make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords]
) -> None:
    records = to_records(make_exchange(request=b""))
    assert [record.type for record in records.all] == ["response"]
    assert field(records.response, "WARC-Concurrent-To") == []
