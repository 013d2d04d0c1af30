"""Reading one member: everything that FastWARC would let pass is refused, and what is right is measured."""

import gzip
import hashlib
import io
from contextlib import ExitStack

import pytest

from validator.warc import Broken, WarcRecord, read_member

BLOCK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello"


def plain(block: bytes = BLOCK, *, length: str | None = None, extra: str = "", end: bytes = b"\r\n\r\n") -> bytes:
    size = len(block) if length is None else length
    head = f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:x>\r\n{extra}Content-Length: {size}\r\n\r\n"
    return head.encode() + block + end


def read(data: bytes, length: int | None = None) -> WarcRecord | Broken:
    with ExitStack() as scratch:
        record = read_member(io.BytesIO(data), len(data) if length is None else length, scratch)
        if isinstance(record, WarcRecord):
            assert record.block.read() == BLOCK
        return record


def test_a_whole_record_is_measured_by_its_bytes() -> None:
    record = read(gzip.compress(plain()))
    assert isinstance(record, WarcRecord)
    assert record.block_sha256 == hashlib.sha256(BLOCK).hexdigest()
    assert (record.block_bytes, record.reference("warc-record-id")) == (len(BLOCK), "urn:uuid:x")


def test_a_field_that_stands_twice_says_nothing() -> None:
    record = read(gzip.compress(plain(extra="WARC-Refers-To: <a>\r\nwarc-refers-to: <b>\r\n")))
    assert isinstance(record, WarcRecord)
    assert record.one("WARC-Refers-To") is None
    assert record.all("WARC-Refers-To") == ["<a>", "<b>"]


GOOD = gzip.compress(plain())
BROKEN = {
    "cut off": GOOD[:-20],
    "without its trailer": GOOD[:-8],
    "with a wrong CRC": GOOD[:-8] + b"\0\0\0\0" + GOOD[-4:],
    "with a wrong size": GOOD[:-4] + b"\0\0\0\0",
    "with garbage behind it": GOOD + b"garbage",
    "with zeros behind it": GOOD + b"\0" * 8,
    "with another member behind it": GOOD + GOOD,
    "not compressed": plain(),
    "compressed twice": gzip.compress(GOOD),
    "two records in one member": gzip.compress(plain() + plain()),
    "nothing": b"",
    "an empty member": gzip.compress(b""),
    "no WARC": gzip.compress(b"hello"),
    "another version": gzip.compress(plain().replace(b"WARC/1.1", b"WARC/2.0")),
    "a header without end": gzip.compress(b"WARC/1.1\r\nWARC-Type: response\r\n"),
    "a header over 32 KiB": gzip.compress(plain(extra=f"X: {'x' * 40_000}\r\n")),
    "a length too short": gzip.compress(plain(length="3")),
    "a length too long": gzip.compress(plain(length="9999")),
    "a huge length": gzip.compress(plain(length="9" * 30)),
    "a length that is no number": gzip.compress(plain(length="many")),
    "a negative length": gzip.compress(plain(length="-5")),
    "no length": gzip.compress(plain().replace(b"Content-Length", b"Content-Lengsh")),
    "two lengths": gzip.compress(plain(extra="Content-Length: 48\r\n")),
    "another end": gzip.compress(plain(end=b"\n\n")),
    "no end": gzip.compress(plain(end=b"")),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_not_exactly_one_whole_record_is_broken(data: bytes) -> None:
    record = read(data)
    assert isinstance(record, Broken)
    assert not record.too_large


def test_a_member_is_not_longer_than_it_is_listed_to_be() -> None:
    assert isinstance(read(GOOD, len(GOOD) - 1), Broken)
    assert isinstance(read(GOOD, len(GOOD) + 1), Broken)


def test_every_cut_of_a_member_is_broken() -> None:
    for size in range(len(GOOD)):
        assert isinstance(read(GOOD[:size]), Broken), size


def test_a_bomb_stops_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    from validator import warc
    from validator.limits import Limits

    monkeypatch.setattr(warc, "LIMITS", Limits(record=1024 * 1024))
    record = read(gzip.compress(b"\0" * 50_000_000))
    assert record == Broken("more than 1048576 bytes", too_large=True)
