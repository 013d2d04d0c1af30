"""Packed lines come back as they were, and equal lines are equal bytes."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers import packed
from workers.errors import CorruptError

LINES = st.lists(st.binary(min_size=1, max_size=80).filter(lambda line: b"\n" not in line), max_size=20)


@given(LINES)
def test_lines_come_back_as_they_were(lines: list[bytes]) -> None:
    assert packed.unpack(packed.pack(lines), "here") == lines
    assert packed.pack(lines) == packed.pack(list(lines))


@pytest.mark.parametrize(
    "data",
    [b"", b"no gzip", packed.pack([b"a"])[:-3], packed.pack([b"a"]) + b"x", packed.pack([b"a"]) * 2],
    ids=["empty", "plain", "torn", "tail", "two-members"],
)
def test_what_is_no_whole_member_is_corrupt_and_says_where(data: bytes) -> None:
    with pytest.raises(CorruptError) as caught:
        packed.unpack(data, "manifests/here")
    assert caught.value.where == "manifests/here"


def test_a_bomb_is_stopped_at_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "MAX_PLAIN_BYTES", 1000)
    with pytest.raises(CorruptError, match="too large"):
        packed.unpack(gzip.compress(bytes(5000), mtime=0), "here")
