"""Kinds of input that broke other archivers, each held to the right value through the whole data plane."""

from __future__ import annotations

import hashlib
import io
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecord

from deploy.hostile.case import Case
from deploy.hostile.held import HeldExchange, HeldFile
from schemas.records.outcome import Outcome
from workers.archive.message import stored_message
from workers.archive.revisit import IdenticalPayload, decide
from workers.capture.message import ResponseScanner
from workers.capture.scan import End
from workers.exchange import Exchange
from workers.ports import Original

URL = "http://example.org/"


class Archive:
    """The visited server's cases, looked up by name."""

    def __init__(self, visited: Any) -> None:
        self._visited = visited
        self._cases: dict[str, Case] = {case.name: case for case in visited.cases}
        self._held = HeldFile(visited.run)
        self._records: dict[str, tuple[dict[str, str], bytes]] = {}
        for data in visited.run.files.values():
            for record in ArchiveIterator(io.BytesIO(data), parse_http=False):
                self._records[str(record.record_id).strip("<>")] = _copy(record)

    def case(self, name: str) -> Case:
        return self._cases[name]

    def outcome(self, name: str) -> Any:
        return self._visited.run.outcomes()[self._visited.urls[name]][0]

    def answers(self, name: str) -> list[HeldExchange]:
        return list(self._held.exchanges(self.outcome(name)))

    def record(self, name: str, number: int = 0) -> tuple[dict[str, str], bytes]:
        """Header and block of the response or revisit record of the case's answer of this number."""
        return self._records[self.answers(name)[number].record_id]

    def url(self, name: str) -> str:
        return str(self._visited.urls[name])


def _copy(record: WarcRecord) -> tuple[dict[str, str], bytes]:
    return dict(record.headers.items()), bytes(record.reader.read())


@pytest.fixture(scope="module")
def archive(visited: Any) -> Archive:
    return Archive(visited)


@pytest.mark.parametrize(
    "name",
    [
        "Chunked with a capital",
        "Transfer-Encoding sent twice",
        "chunk sizes in capitals with leading zeros",
        "chunk extensions and trailers",
    ],
)
def test_the_payload_digest_of_a_chunked_body_is_of_what_its_chunks_hold(archive: Archive, name: str) -> None:
    """Digest over chunk framing; capital `Chunked`; the header sent twice; sizes of eight digits."""
    header, block = archive.record(name)
    content = archive.answers(name)[0].content
    assert header["WARC-Payload-Digest"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
    assert block.endswith(b"\r\n\r\n" + content)
    assert b"0\r\n" not in content


@pytest.mark.parametrize(
    ("name", "octets"),
    [
        ("cookie with a name beyond ASCII", b"Set-Cookie: \xb3\xd2\xda=1\r\n"),
        ("reason phrase beyond ASCII", b"HTTP/1.1 404 Art\xedculo no encontrado\r\n"),
        ("header name beyond ASCII", b"X-Caf\xe9: 1\r\n"),
        ("Content-Encoding with a space before the colon", b"Content-Encoding : gzip\r\n"),
        (
            "Transfer-Encoding sent twice",
            b"Transfer-Encoding: chunked\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n",
        ),
        ("router that mixes CRLF and LF", b"HTTP/1.0 200 OK\r\nServer: router\n"),
    ],
)
def test_octets_of_a_head_stand_in_the_record_as_they_came(archive: Archive, name: str, octets: bytes) -> None:
    """Header names, cookies and reasons beyond ASCII; blanks before the colon; mixed line ends."""
    assert octets in archive.record(name)[1]


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("Content-Length too long", "disconnect"),
        ("chunks without an end", "disconnect"),
        ("endless body", "length"),
        ("one byte a second", "time"),
        ("gzip label with a space before the colon, closed within the body", "disconnect"),
    ],
)
def test_a_body_that_was_cut_off_says_so_and_keeps_what_came(archive: Archive, name: str, how: str) -> None:
    """Truncated without WARC-Truncated; a body thrown away since its length did not hold; no last chunk."""
    header, _ = archive.record(name)
    assert header["WARC-Truncated"] == how
    assert archive.answers(name)[0].content
    assert archive.outcome(name).outcome is Outcome.TRUNCATED


def test_the_address_in_a_record_is_the_one_that_was_connected_to(archive: Archive) -> None:
    """A constant instead of an address."""
    assert archive.record("plain response with a length")[0]["WARC-IP-Address"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("status of one digit", 0),
        ("status 999", 999),
        ("status without reason", 200),
        ("empty reason after a space", 302),
    ],
)
def test_the_status_is_the_one_that_was_sent(archive: Archive, name: str, status: int) -> None:
    """Status 0 in place of the true one; a reason that is empty."""
    assert archive.outcome(name).hops[0].http_status == status


def test_a_404_without_a_body_is_a_capture_and_not_tried_again(archive: Archive) -> None:
    """Taken for a crash, and never in the WARC."""
    outcome = archive.outcome("404 with an empty body")
    assert (outcome.outcome, len(outcome.hops), outcome.tries) == (Outcome.CAPTURED, 1, 1)
    assert archive.record("404 with an empty body")[1].startswith(b"HTTP/1.1 404 Not Found\r\n")


@pytest.mark.parametrize("name", ["redirect to itself", "one redirect more than are followed"])
def test_every_answer_of_a_redirect_chain_is_archived_the_one_at_the_limit_too(archive: Archive, name: str) -> None:
    answers = archive.answers(name)
    assert len(answers) == archive.case(name).exchanges == 21
    assert len({answer.record_id for answer in answers}) == 21
    assert "more than 20 redirects" in archive.outcome(name).failure


@pytest.mark.parametrize(
    "name", ["header of 10 kB", "header of 100 kB", "2,000 headers", "20,000 headers", "cookie of 300 kB"]
)
def test_a_large_head_costs_nothing_of_the_message(archive: Archive, name: str) -> None:
    """Lost above 8,190 bytes, or above a number of fields."""
    assert archive.answers(name)[0].wire == archive.case(name).wire()
    assert archive.outcome(name).outcome is Outcome.CAPTURED


def test_a_label_of_a_coding_on_a_body_that_has_none_is_stored_as_it_came(archive: Archive) -> None:
    """`Content-Encoding: gzip` on a redirect's plain body."""
    (first, *_) = archive.answers("gzip label on plain text")
    assert first.wire == archive.case("gzip label on plain text").wire()
    assert len(first.content) == 5


def test_a_revisit_is_of_an_http_response_and_says_that_its_payload_was_left_out(archive: Archive) -> None:
    """`message/http` as content type; an empty revisit of a coded body taken for an error."""
    header, block = archive.record("redirect to itself with a body", 20)
    assert header["WARC-Type"] == "revisit"
    assert header["Content-Type"] == "application/http; msgtype=response"
    assert header["WARC-Truncated"] == "length"
    assert block.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("name", ["parameters out of alphabetical order", "parameters that are encoded oddly"])
def test_the_address_in_a_record_is_the_one_that_was_asked_for(archive: Archive, name: str) -> None:
    """A normaliser that put parameters in another order: the target URI is what the server was asked, byte for byte."""
    header, _ = archive.record(name, -1)
    location = archive.case(name).wire().split(b"Location: ?")[1].split(b"\r\n")[0].decode()
    assert header["WARC-Target-URI"] == f"{archive.url(name)}?{location}"


def test_the_same_content_in_other_chunks_is_the_same_payload_and_a_revisit() -> None:
    """A digest that depended on chunk sizes: the second capture was stored in full."""
    exchanges = [
        chunked_exchange(b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"),
        chunked_exchange(b"b\r\nhello world\r\n0\r\n\r\n"),
    ]
    first, second = (stored_message(exchange) for exchange in exchanges)
    assert first is not None
    assert second is not None
    assert first.payload_sha256 == second.payload_sha256 == hashlib.sha256(b"hello world").hexdigest()
    original = Original(
        record_id="urn:uuid:1", target_uri=URL, date="2026-11-29T12:00:00Z", content_sha256=first.payload_sha256
    )
    assert isinstance(decide(exchanges[1], second, original), IdenticalPayload)
    for exchange in exchanges:
        assert exchange.response is not None
        exchange.response.content.close()


def chunked_exchange(body: bytes) -> Exchange:
    scanner = ResponseScanner()
    scanner.feed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
    response = scanner.finish(End.CLOSED).response
    return Exchange(url=URL, started_at="2026-11-29T12:00:00Z", outcome=Outcome.CAPTURED, response=response)
