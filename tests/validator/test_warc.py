"""Reading one member: everything that FastWARC would let pass is refused, and what is right is measured."""

import gzip
import hashlib
import io
import re
from contextlib import ExitStack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    "a lone LF in the head": gzip.compress(plain(extra="X: a\nContent-Length: 3\r\n")),
    "a lone CR in the head": gzip.compress(plain(extra="X: a\rContent-Length: 3\r\n")),
    "a head that ends for some with bare LFs": gzip.compress(plain(extra="X: a\n\nHTTP/1.1 200 OK\r\n")),
    "a line without colon": gzip.compress(plain(extra="nothing\r\n")),
    "a NUL in a name": gzip.compress(plain(extra="X\0: a\r\n")),
    "a NUL in a value": gzip.compress(plain(extra="X: a\0b\r\n")),
    "a blank before a colon": gzip.compress(plain(extra="X : a\r\n")),
    "a field without name": gzip.compress(plain(extra=": a\r\n")),
    "a folded field": gzip.compress(plain(extra="X: a\r\n b\r\n")),
    "a folded field with a colon": gzip.compress(plain(extra="X: a\r\n\tY: b\r\n")),
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


@pytest.mark.parametrize("stray", [b"\r", b"\n", b"\0"])
def test_a_stray_line_end_or_nul_anywhere_in_a_head_breaks_the_member(stray: bytes) -> None:
    data = plain()
    for at in range(data.index(b"\r\n\r\n") + 4):
        assert isinstance(read(gzip.compress(data[:at] + stray + data[at:])), Broken), at


LINES = ("X", "Y-1", "WARC-Refers-To", "Content-Length", ":", ": ", "a", "48", "3", " ", "\t", "\r\n", "\r\n", "é")
STRANGE = ("\r", "\n", "\0", "\x0b", "\x85", "\u2028", "\xa0", "\r\n\r\n", "WARC/1.1")
WHOLE_LINES = st.tuples(st.sampled_from(LINES[:3]), st.text("a:; \té", max_size=4)).map(lambda f: f"{f[0]}:{f[1]}\r\n")


@settings(deadline=None, max_examples=300)
@given(st.lists(WHOLE_LINES | st.sampled_from(LINES + STRANGE), max_size=8).map("".join))
def test_a_head_that_is_read_has_the_same_fields_line_by_line(extra: str) -> None:
    """Whatever splits the head at line ends, of whatever kind, and each line at its colon, finds the same fields."""
    data = plain(extra=extra)
    with ExitStack() as scratch:
        record = read_member(io.BytesIO(gzip.compress(data)), len(gzip.compress(data)), scratch)
    if isinstance(record, Broken):
        return
    head, _, rest = data.partition(b"\r\n\r\n")
    assert rest == BLOCK + b"\r\n\r\n"
    parted = [line.partition(b":") for line in re.split(rb"\r\n|\r|\n", head)[1:]]
    assert [(name.decode(), value.strip(b" \t\v\f").decode()) for name, _, value in parted] == list(record.fields)
