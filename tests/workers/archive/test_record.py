"""One record as bytes."""

import hashlib
import io
import uuid
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from workers.archive.gzip_member import compress
from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_member
from workers.archive.record import Block, build, new_record_id, serialise, target_uri
from workers.exchange import Spool

RECORD_ID = "urn:uuid:33333333-3333-4333-8333-333333333333"
DATE = "2026-11-29T12:00:00.250001Z"


def test_header_has_its_fields_in_a_fixed_order() -> None:
    record = build(
        "metadata",
        RECORD_ID,
        DATE,
        Block.of(b"a: b\r\n"),
        content_type="text/x",
        fields=[("WARC-Target-URI", "http://a/")],
    )
    digest = hashlib.sha256(b"a: b\r\n").hexdigest()
    assert record.header.decode() == (
        "WARC/1.1\r\n"
        "WARC-Type: metadata\r\n"
        "WARC-Record-ID: <urn:uuid:33333333-3333-4333-8333-333333333333>\r\n"
        "WARC-Date: 2026-11-29T12:00:00.250001Z\r\n"
        "WARC-Target-URI: http://a/\r\n"
        f"WARC-Block-Digest: sha256:{digest}\r\n"
        "Content-Type: text/x\r\n"
        "Content-Length: 6\r\n"
        "\r\n"
    )
    assert record.data() == record.header + b"a: b\r\n\r\n\r\n"


@given(st.lists(st.tuples(st.sampled_from(["WARC-IP-Address", "WARC-Protocol"]), st.text(max_size=60)), max_size=5))
def test_no_value_can_end_its_line(fields: list[tuple[str, str]]) -> None:
    header = serialise(fields)
    assert header.startswith(b"WARC/1.1\r\n")
    assert header.endswith(b"\r\n\r\n")
    body = header[len(b"WARC/1.1\r\n") : -2]
    assert body.count(b"\n") == body.count(b"\r\n") == body.count(b"\r") == len(fields)
    assert b"\x00" not in body


@given(st.text(max_size=100))
def test_target_uri_is_visible_ascii_and_stays_if_it_was(url: str) -> None:
    safe = target_uri(url)
    assert all(0x20 < ord(character) < 0x7F for character in safe)
    assert target_uri(safe) == safe


def test_target_uri_leaves_what_is_fit_for_the_wire() -> None:
    url = "http://example.org/a?|%zz&&[1]..'\"<>`{}^"
    assert target_uri(url) == url
    assert target_uri("http://example.org/a b\r\nX: y\\é") == "http://example.org/a%20b%0D%0AX:%20y\\%C3%A9"


def test_record_ids_are_random_uuids() -> None:
    ids = {new_record_id() for _ in range(100)}
    assert len(ids) == 100
    for value in ids:
        parsed = uuid.UUID(value)
        assert (parsed.urn, parsed.version, parsed.variant) == (value, 4, uuid.RFC_4122)


def test_large_block_is_streamed_and_equals_the_inline_one() -> None:
    head, content = b"HTTP/1.1 200 OK\r\n\r\n", b"0123456789abcdef" * 100_000
    spool = Spool(content)
    block = Block.of_message(head, spool)
    assert block.inline is None
    assert (block.size, block.sha256) == (len(head + content), Block.of(head + content).sha256)
    assert b"".join(block.pieces()) == head + content
    spool.close()


@given(st.binary(max_size=3000))
def test_what_is_written_is_read_back(block: bytes) -> None:
    record = build("metadata", RECORD_ID, DATE, Block.of(block), content_type="application/octet-stream")
    data = record.data()
    assert data is not None
    read = read_member(compress(data))
    assert isinstance(read, WarcRecord)
    assert (read.id, read.type, read.date, read.block.read()) == (RECORD_ID, "metadata", DATE, block)
    assert read.block_check == "verified"
    read.block.close()


def test_pieces_of_a_streamed_block_may_be_asked_for_twice() -> None:
    def pieces() -> Iterator[bytes]:
        yield from (b"ab", b"c")

    block = Block.streamed(pieces)
    record = build("metadata", RECORD_ID, DATE, block, content_type="text/plain")
    assert record.data() is None
    assert b"".join(record.pieces()) == b"".join(record.pieces())
    assert io.BytesIO(b"".join(record.pieces())).read().endswith(b"\r\n\r\nabc\r\n\r\n")
