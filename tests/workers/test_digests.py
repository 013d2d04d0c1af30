"""Two digests at once: what is compiled gives what `hashlib` gives."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers import digests, native
from workers.digests import BLOCK, DefinedParted, Parted, parted

SIZES = st.integers(0, 200) | st.integers(0, 20_000)


def octets(size: int, seed: int) -> bytes:
    return (seed.to_bytes(7, "big") * (size // 7 + 1))[:size]


@settings(deadline=None)
@given(st.integers(0, 200), SIZES, st.integers(0, 2**32))
def test_a_payload_and_its_block_have_the_digests_of_the_definition(head: int, size: int, seed: int) -> None:
    first, data = octets(head, seed + 1), octets(size, seed)
    expected = hashlib.sha256(data).hexdigest(), hashlib.sha256(first + data).hexdigest()
    assert digests.pair(first, data) == digests.defined_pair(first, data) == expected


@settings(deadline=None)
@given(st.sampled_from([BLOCK, 2 * BLOCK, 10 * BLOCK, 100]), st.lists(SIZES, max_size=5), st.booleans())
def test_a_file_and_its_parts_have_their_digests(part_bytes: int, sizes: list[int], by_hashlib: bool) -> None:
    """However it came, and also where one write was taken back."""
    growing: Parted = DefinedParted(part_bytes) if by_hashlib else parted(part_bytes)
    whole = b""
    for seed, size in enumerate(sizes):
        growing.copy().update(octets(size, 99))
        growing.update(octets(size, seed))
        whole += octets(size, seed)
    assert growing.sha256 == hashlib.sha256(whole).hexdigest()
    pieces = [whole[at : at + part_bytes] for at in range(0, len(whole), part_bytes)]
    assert growing.parts == tuple(hashlib.sha256(piece).hexdigest() for piece in pieces)


def test_what_gives_wrong_values_is_not_used(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    if digests.kernel() is None:
        pytest.skip("nothing is compiled here, or the processor has no such instructions: python -m workers.native")
    monkeypatch.setattr(digests, "defined_pair", lambda head, data: ("0" * 64, "0" * 64))
    assert digests.kernel.__wrapped__() is None
    assert "wrong values" in caplog.text


def test_without_a_compiled_file_there_is_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "loaded", lambda file: None)
    assert digests.kernel.__wrapped__() is None
