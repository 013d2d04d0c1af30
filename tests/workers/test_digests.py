"""Two digests at once: what is compiled gives what `hashlib` gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers import digests, native

SIZES = st.integers(0, 200) | st.integers(0, 20_000)


@settings(deadline=None)
@given(st.integers(0, 200), SIZES, st.integers(0, 2**32))
def test_a_payload_and_its_block_have_the_digests_of_the_definition(head: int, size: int, seed: int) -> None:
    data = (seed.to_bytes(8, "big") * (size // 8 + 1))[:size]
    first = (seed * 3).to_bytes(8, "big") * (head // 8 + 1)
    assert digests.pair(first[:head], data) == digests.defined(first[:head], data)


def test_what_gives_wrong_values_is_not_used(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    if digests._compiled() is None:
        pytest.skip("nothing is compiled here, or the processor has no such instructions: python -m workers.native")
    monkeypatch.setattr(digests, "defined", lambda head, data: ("0" * 64, "0" * 64))
    assert digests._compiled.__wrapped__() is None
    assert "wrong values" in caplog.text


def test_without_a_compiled_file_there_is_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "loaded", lambda file: None)
    assert digests._compiled.__wrapped__() is None
