"""Strict reading: what was written comes back, what does not hold is named."""

import gzip
import hashlib
import io
import itertools
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.archive import zstd_frame
from workers.archive.gzip_member import compress
from workers.archive.parsing import CorruptRecord, ReadingLimits, WarcRecord
from workers.archive.reading import read_at, read_file, read_member
from workers.archive.segment import ClosedSegment
from workers.archive.stored_http import split_http
from workers.exchange import Exchange, Spool

GOOD = (
    b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:33333333-3333-4333-8333-333333333333>\r\n"
    b"WARC-Date: 2026-11-29T12:00:00Z\r\nWARC-Target-URI: http://example.org/\r\n"
    b"WARC-Payload-Digest: sha256:230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5\r\n"
    b"WARC-Block-Digest: sha256:f8b12ff3f0f0a2b6f0ed5ef26ed4bbafae9d3b4bb45a6a4f8e1f1f4a4e9e9d00\r\n"
    b"Content-Type: application/http; msgtype=response\r\nContent-Length: 23\r\n\r\n"
    b"HTTP/1.1 200 OK\r\n\r\nbody\r\n\r\n"
)


def fixed(data: bytes) -> bytes:
    """With the block digest that the block has."""
    head, _, rest = data.partition(b"\r\n\r\n")
    start = head.index(b"WARC-Block-Digest: sha256:") + len(b"WARC-Block-Digest: sha256:")
    digest = hashlib.sha256(rest[:-4]).hexdigest().encode()
    return data[:start] + digest + data[start + 64 :]


def fault(data: bytes, **limits: int) -> str:
    read = read_member(data, ReadingLimits(**limits))
    assert isinstance(read, CorruptRecord), read
    assert read.what
    return read.fault


def test_a_good_record_is_read_with_its_digests_verified() -> None:
    read = read_member(compress(fixed(GOOD)))
    assert isinstance(read, WarcRecord)
    assert (read.block_check, read.payload_check) == ("verified", "verified")
    assert read.header("warc-target-uri") == "http://example.org/"
    http = split_http(read.block)
    assert (http.head, http.payload(), http.payload_bytes) == (b"HTTP/1.1 200 OK\r\n\r\n", b"body", 4)
    read.block.close()


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda d: d.replace(b"WARC/1.1", b"WARC/9.9"), "version"),
        (lambda d: d.replace(b"WARC-Date:", b"WARC-Dato:"), "header"),
        (lambda d: d.replace(b"WARC-Date:", b"WARC Date:"), "header"),
        (lambda d: d.replace(b"WARC-Date: ", b"WARC-Date: 1\r\nWARC-Date: "), "header"),
        (lambda d: d.replace(b"WARC-Date: ", b"WARC-Date: \xff"), "header"),
        (lambda d: d.replace(b"Content-Type:", b" folded:"), "header"),
        (lambda d: d.replace(b"Length: 23", b"Length: -1"), "content-length"),
        (lambda d: d.replace(b"Length: 23", b"Length: 22"), "content-length"),
        (lambda d: d.replace(b"Length: 23", b"Length: 24"), "content-length"),
        (lambda d: d.replace(b"Length: 23", b"Length: " + b"9" * 18), "too-large"),
        (lambda d: d.replace(b"Length: 23", b"Length: " + b"9" * 4000), "content-length"),
        (lambda d: d.replace(b"\r\n\r\n", b"\r\n"), "header"),
        (lambda d: d + b"x", "content-length"),
        (lambda d: d[:-2], "content-length"),
        (lambda d: d.replace(b"body", b"bodY"), "block-digest"),
        (lambda d: fixed(d.replace(b"body", b"bodY")), "payload-digest"),
        (lambda d: d.replace(b"WARC-Date: ", b"X: " + b"x" * 70_000 + b"\r\nWARC-Date: "), "header"),
        (lambda d: b"", "header"),
    ],
)
def test_what_does_not_hold_is_named(edit: Callable[[bytes], bytes], expected: str) -> None:
    assert fault(compress(edit(fixed(GOOD)))) == expected


def test_damage_to_the_gzip_member_is_named() -> None:
    member = compress(fixed(GOOD))
    assert fault(member[:-1]) == "ends-early"
    assert fault(member[:40]) == "ends-early"
    assert fault(b"") == "ends-early"
    assert fault(b"no gzip at all") == "member-damaged"
    assert fault(member[:-8] + b"\x00\x00\x00\x00" + member[-4:]) == "member-damaged"
    assert fault(member + b"x") == "member-length"
    assert fault(member + member) == "member-length"


@given(st.binary(max_size=400))
def test_any_bytes_give_a_value(data: bytes) -> None:
    packed = (data, compress(data), compress(b"WARC/1.1\r\n" + data), zstd_frame.FramePacker().pack(data))
    begun = (
        b"\x1f\x8b\x08" + data,
        zstd_frame.MAGIC + data,
        zstd_frame.DICTIONARY_MAGIC + data,
        b"WARC/1.1\r\n" + data,
    )
    for candidate in (*packed, *begun):
        read = read_member(candidate)
        if isinstance(read, WarcRecord):
            read.block.close()


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
def test_one_changed_byte_is_never_taken_for_the_record(position: int, value: int) -> None:
    good = fixed(GOOD)
    changed = good[:position] + bytes([value]) + good[position + 1 :]
    read = read_member(compress(changed))
    if isinstance(read, WarcRecord):
        assert read.block.read() == b"HTTP/1.1 200 OK\r\n\r\nbody"
        read.block.close()


def test_a_bomb_ends_at_the_limit_without_filling_the_memory() -> None:
    header = GOOD.partition(b"\r\n\r\n")[0].replace(b"Content-Length: 23", b"Content-Length: 900000000")
    squeeze = zlib.compressobj(1, zlib.DEFLATED, 31)
    pieces = [squeeze.compress(header + b"\r\n\r\n")]
    pieces += [squeeze.compress(bytes(1_000_000)) for _ in range(60)]
    bomb = b"".join([*pieces, squeeze.flush()])
    tracemalloc.start()
    assert fault(bomb, max_block_bytes=10_000_000) == "too-large"
    assert fault(bomb, max_block_bytes=1_000_000_000) == "content-length"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8_000_000


def test_garbage_after_the_record_is_not_inflated_to_its_end() -> None:
    squeeze = zlib.compressobj(1, zlib.DEFLATED, 31)
    parts = [squeeze.compress(fixed(GOOD))] + [squeeze.compress(bytes(1_000_000)) for _ in range(40)]
    assert fault(b"".join([*parts, squeeze.flush()])) == "content-length"


def test_a_file_is_read_member_by_member(
    archive: Callable[..., ClosedSegment], make_exchange: Callable[..., Exchange]
) -> None:
    large = b"0123456789" * 300_000
    segment = archive(make_exchange(), make_exchange(content=large, url="http://example.org/large"))
    with segment.path.open("rb") as file:
        members = list(read_file(file))
        records = [member.record for member in members]
        assert all(isinstance(record, WarcRecord) for record in records)
        assert [record.type for record in records if isinstance(record, WarcRecord)] == [
            "warcinfo",
            "request",
            "response",
            "request",
            "response",
        ]
        assert members[0].offset == 0
        for before, after in itertools.pairwise(members):
            assert after.offset == before.offset + before.length
        assert members[-1].offset + members[-1].length == segment.size
        last = read_at(file, members[-1].offset, members[-1].length)
        assert isinstance(last, WarcRecord)
        assert split_http(last.block).payload() == large
        wrong = read_at(file, members[2].offset, members[2].length - 1)
        assert isinstance(wrong, CorruptRecord)
        assert wrong.fault == "member-length"
    for record in (*records, last):
        assert isinstance(record, WarcRecord)
        record.block.close()


def test_reading_stops_at_the_first_fault(
    archive: Callable[..., ClosedSegment], make_exchange: Callable[..., Exchange]
) -> None:
    segment = archive(make_exchange(), make_exchange())
    data = bytearray(segment.path.read_bytes())
    with segment.path.open("rb") as file:
        members = list(read_file(file))
    third = members[2]
    data[third.offset + third.length // 2] ^= 0xFF
    found = list(read_file(io.BytesIO(data)))
    assert [isinstance(member.record, CorruptRecord) for member in found] == [False, False, True]
    assert found[2].offset == third.offset
    for member in [*members, *found]:
        if isinstance(member.record, WarcRecord):
            member.record.block.close()


def test_head_of_a_message_is_read_without_parsing_it_anew() -> None:
    block = Spool(b'HTTP/1.0 200 OK\nContent-Type:  text/html \nETag: "x"\netag: second\n\npayload')
    http = split_http(block)
    assert (http.header("content-type"), http.header("ETAG"), http.header("absent")) == ("text/html", '"x"', None)
    assert b"".join(http.payload_chunks()) == b"payload"
    assert split_http(block, head_bytes=0).payload_bytes == block.size
    block.close()


def test_own_writer_is_not_needed_for_the_members(tmp_path: Path) -> None:
    read = read_member(gzip.compress(fixed(GOOD), mtime=0))
    assert isinstance(read, WarcRecord)
    read.block.close()
