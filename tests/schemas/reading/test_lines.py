"""JSON Lines in bounded memory."""

import gzip
import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reading import DocumentError, DocumentProblem, Line, LineLimits, read_lines
from schemas.records.job import BadLine

P = DocumentProblem


def entry(number: int) -> bytes:
    return json.dumps({"line": number, "code": "bad-url", "message": "no"}).encode()


def lines(data: bytes, limits: LineLimits | None = None) -> list[Line[BadLine]]:
    return list(read_lines(io.BytesIO(data), BadLine, limits=limits or LineLimits()))


def codes(found: list[Line[BadLine]]) -> list[DocumentProblem | None]:
    return [line.value.code if isinstance(line.value, DocumentError) else None for line in found]


@pytest.mark.parametrize("end", [b"\n", b""])
@pytest.mark.parametrize("packed", [False, True])
def test_every_line_is_a_record_with_its_number_and_bytes(end: bytes, packed: bool) -> None:
    data = entry(1) + b"\n" + entry(2) + end
    found = lines(gzip.compress(data) if packed else data)
    assert [(line.number, line.data) for line in found] == [(1, entry(1)), (2, entry(2))]
    assert codes(found) == [None, None]


def test_a_bad_line_is_told_and_the_rest_is_read() -> None:
    found = lines(entry(1) + b"\n\n{\n" + b'{"line":1}\n' + entry(5) + b"\n")
    assert codes(found) == [None, P.EMPTY, P.NOT_JSON, P.MISSING_FIELD, None]
    assert [line.number for line in found] == [1, 2, 3, 4, 5]


def test_an_empty_file_has_no_lines() -> None:
    assert lines(b"") == lines(gzip.compress(b"")) == []


def test_gzip_members_follow_each_other() -> None:
    assert (
        codes(lines(gzip.compress(entry(1) + b"\n" + entry(2)[:5]) + gzip.compress(entry(2)[5:] + b"\n"))) == [None] * 2
    )


def test_a_cut_file_ends_with_an_error() -> None:
    packed = gzip.compress(b"\n".join(entry(n) for n in range(2000)))
    for length in (5, len(packed) // 2, len(packed) - 8, len(packed) - 1):
        found = lines(packed[:length])
        assert codes(found)[-1] is P.TRUNCATED
        assert found[-1].data == b""


def test_other_bytes_after_a_member_are_an_error() -> None:
    for tail in (b"\0" * 8, b"x", b"{}\n"):
        assert codes(lines(gzip.compress(entry(1) + b"\n") + tail)) == [None, P.NOT_GZIP]


def test_a_flipped_byte_is_an_error() -> None:
    packed = bytearray(gzip.compress(entry(1) + b"\n"))
    packed[-6] ^= 1  # the CRC
    assert P.NOT_GZIP in codes(lines(bytes(packed)))


def test_a_line_without_end_is_not_read_to_its_end() -> None:
    found = lines(gzip.compress(entry(1) + b"\n" + b" " * 10_000_000), LineLimits(max_line_bytes=1000))
    assert codes(found) == [None, P.TOO_LARGE]


def test_a_bomb_is_stopped_in_bounded_memory() -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    tracemalloc.start()
    found = lines(bomb, LineLimits(max_total_bytes=5_000_000, max_line_bytes=100_000_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert codes(found) == [P.TOO_LARGE]
    assert peak < 10_000_000
    small = gzip.compress(b"\n".join([b" "] * 50_000))
    assert codes(lines(small, LineLimits(max_total_bytes=10_000)))[-1] is P.TOO_LARGE


@given(st.lists(st.integers(0, 9), max_size=30), st.booleans())
def test_lines_come_out_as_they_went_in(numbers: list[int], packed: bool) -> None:
    data = b"".join(entry(number) + b"\n" for number in numbers)
    found = lines(gzip.compress(data) if packed else data)
    assert [line.value.line for line in found if isinstance(line.value, BadLine)] == numbers


@given(st.binary(max_size=100))
def test_no_bytes_raise(data: bytes) -> None:
    lines(data)
    lines(b"\x1f\x8b" + data)
