"""Response or revisit."""

from collections.abc import Callable

import pytest

from schemas.records.outcome import Outcome
from workers.archive.message import stored_message
from workers.archive.revisit import AsResponse, Decision, IdenticalPayload, NotModified, decide, outcome_of
from workers.exchange import Chunk, Exchange

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def decision(exchange: Exchange, found: object) -> Decision:
    message = stored_message(exchange)
    assert message is not None
    return decide(exchange, message, found)  # type: ignore[arg-type]


def original_of(exchange: Exchange, found: Callable[..., object]) -> object:
    assert exchange.response is not None
    return found(content_sha256=exchange.response.content.sha256)


def test_the_same_payload_again_is_a_revisit(
    make_exchange: Callable[..., Exchange], found: Callable[..., object]
) -> None:
    exchange = make_exchange(OK)
    verdict = decision(exchange, original_of(exchange, found))
    assert isinstance(verdict, IdenticalPayload)
    assert outcome_of(exchange, verdict) is Outcome.REVISIT


def test_a_304_is_a_revisit_of_what_was_asked_about(
    make_exchange: Callable[..., Exchange], found: Callable[..., object]
) -> None:
    exchange = make_exchange(b"HTTP/1.1 304 Not Modified\r\n\r\n", b"", framing="none", status=304)
    verdict = decision(exchange, found(content_sha256="a" * 64))
    assert isinstance(verdict, NotModified)
    assert outcome_of(exchange, verdict) is Outcome.NOT_MODIFIED


def test_what_is_no_revisit_is_stored_in_full(
    make_exchange: Callable[..., Exchange], found: Callable[..., object]
) -> None:
    plain = make_exchange(OK)
    cases = {
        "nothing is known": (plain, None),
        "another payload": (plain, found(content_sha256="a" * 64)),
        "an empty payload": (empty := make_exchange(OK, b""), original_of(empty, found)),
        "a body that was cut off": (
            cut := make_exchange(OK, truncated="length", outcome=Outcome.TRUNCATED),
            original_of(cut, found),
        ),
        "no payload digest": (odd := make_exchange(b"HTTP/1.1 200 OK\n\n"), original_of(odd, found)),
        "a 304 with a body": (
            full := make_exchange(b"HTTP/1.1 304 Not Modified\r\n\r\n", b"x", status=304),
            original_of(full, found),
        ),
        "a 304 that nobody asked for": (
            make_exchange(b"HTTP/1.1 304 Not Modified\r\n\r\n", b"", framing="none", status=304),
            None,
        ),
    }
    for name, (exchange, original) in cases.items():
        verdict = decision(exchange, original)
        assert isinstance(verdict, AsResponse), name
        assert outcome_of(exchange, verdict) is exchange.outcome


@pytest.mark.parametrize("sizes", [(5, 6), (11,), (1,) * 11])
def test_chunk_sizes_do_not_change_the_payload(make_exchange: Callable[..., Exchange], sizes: tuple[int, ...]) -> None:
    """The same bytes in other chunks have the same digest, so the second capture is a revisit."""
    chunks = (*(Chunk(f"{size:x}".encode(), size) for size in sizes), Chunk(b"0", 0))
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunked = make_exchange(head, b"hello world", framing="chunked", chunks=chunks, trailer=b"\r\n")
    plain = make_exchange(OK, b"hello world")
    first, second = stored_message(chunked), stored_message(plain)
    assert first is not None
    assert second is not None
    assert first.payload_sha256 == second.payload_sha256 is not None
