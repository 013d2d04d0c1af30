"""The spool that holds a body: the same bytes, however they came and however many they are."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.exchange import READ_BYTES, SPOOL_MEMORY_BYTES, Spool


@given(st.lists(st.binary(max_size=40), max_size=60), st.integers(0, 200), st.integers(0, 200))
def test_a_spool_gives_back_what_was_written_in_whatever_pieces(pieces: list[bytes], start: int, end: int) -> None:
    spool = Spool()
    written = b""
    for piece in pieces:
        spool.write(piece)
        written += piece
        assert spool.read(0, len(written)) == written
    assert (spool.size, spool.sha256) == (len(written), hashlib.sha256(written).hexdigest())
    assert spool.read() == written
    assert spool.read(start, end) == written[start:end] == b"".join(spool.chunks(start, end))


@pytest.mark.parametrize("size", [SPOOL_MEMORY_BYTES - 1, SPOOL_MEMORY_BYTES, SPOOL_MEMORY_BYTES + 1])
def test_a_body_is_the_same_in_memory_and_on_disk(size: int, tmp_path: Path) -> None:
    body = random.Random(size).randbytes(size)
    spool = Spool(folder=tmp_path)
    for position in range(0, size, 100_000):
        spool.write(body[position : position + 100_000])
    assert spool.read() == body
    assert spool.read(5, size - 5) == body[5:-5]
    assert all(len(piece) <= READ_BYTES for piece in spool.chunks())
    spool.close()


def test_a_spool_that_was_given_back_is_no_empty_body() -> None:
    spool = Spool(b"body")
    spool.close()
    with pytest.raises(ValueError, match="given back"):
        spool.read()
