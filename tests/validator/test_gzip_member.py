"""A member that is inflated at once is one that zlib takes, to its last byte, with the same bytes in it."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from validator.gzip_member import EMPTY, plain_of

MOST = 200_000
PAGE = b"".join(b"<p>a page with a line of its own, number %d</p>\r\n" % number for number in range(1500))


def packed(data: bytes, level: int = 6) -> bytes:
    gzip = zlib.compressobj(level, zlib.DEFLATED, 31)
    return gzip.compress(data) + gzip.flush()


def by_zlib(member: bytes) -> bytes | None:
    """What the one member holds that is all there is."""
    gzip = zlib.decompressobj(31)
    try:
        plain = gzip.decompress(member)
    except zlib.error:
        return None
    return plain if gzip.eof and not gzip.unused_data else None


@given(data=st.binary(min_size=1, max_size=5000), level=st.integers(0, 9))
def test_whole_members_come_out_as_they_went_in(data: bytes, level: int) -> None:
    assert plain_of(packed(data, level), MOST) == data


def test_a_member_of_a_usual_page_does_too() -> None:
    assert plain_of(packed(PAGE), MOST) == PAGE


@pytest.mark.parametrize(
    "member",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(EMPTY, id="a member that holds nothing"),
        pytest.param(packed(PAGE)[:-8], id="no trailer"),
        pytest.param(packed(PAGE)[:-3], id="a trailer that is cut off"),
        pytest.param(packed(PAGE) + b"\0" * 20, id="zeros behind it"),
        pytest.param(packed(PAGE) + packed(PAGE)[-8:], id="its trailer twice"),
        pytest.param(packed(PAGE) + packed(PAGE), id="two members"),
        pytest.param(packed(PAGE) + EMPTY, id="an empty member behind it"),
        pytest.param(EMPTY + packed(PAGE), id="an empty member before it"),
        pytest.param(packed(PAGE, 0)[:-8] + EMPTY, id="an empty member in the place of its trailer"),
        pytest.param(b"WARC/1.1\r\n", id="no gzip"),
    ],
)
def test_nothing_is_said_of_what_is_not_one_whole_member(member: bytes) -> None:
    assert plain_of(member, MOST) is None


@pytest.mark.parametrize("extra", [-1, 0])
def test_no_more_is_inflated_than_may_be(extra: int) -> None:
    bomb = packed(b"\0" * 50_000_000)

    assert plain_of(bomb, MOST) is None
    assert plain_of(packed(PAGE), len(PAGE) + extra) == (None if extra else PAGE)


@given(at=st.integers(0, 400), bit=st.integers(0, 7), cut=st.integers(0, 30), behind=st.binary(max_size=30))
@example(at=3, bit=5, cut=0, behind=b"")
def test_what_it_accepts_of_a_damaged_member_zlib_accepts(at: int, bit: int, cut: int, behind: bytes) -> None:
    member = bytearray(packed(PAGE[:2000]))
    if at < len(member):
        member[at] ^= 1 << bit
    damaged = bytes(member[: len(member) - cut]) + behind

    found = plain_of(damaged, MOST)

    assert found is None or found == by_zlib(damaged)
