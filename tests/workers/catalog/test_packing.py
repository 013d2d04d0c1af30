"""Ids as few bytes, and back."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.catalog.packing import (
    milliseconds,
    pack_original,
    pack_record,
    pack_snapshot,
    unpack_original,
    unpack_record,
    unpack_snapshot,
)
from workers.ports import Original


def hex_of(length: int) -> st.SearchStrategy[str]:
    return st.text("0123456789abcdef", min_size=length, max_size=length)


@given(hex_of(12), st.from_regex(r"[0-9]{8}T[0-9]{6}", fullmatch=True), hex_of(8))
def test_a_snapshot_id_is_given_back_as_it_was(source: str, stamp: str, record: str):
    snapshot_id = f"snap-{source}-{stamp}Z-{record}"
    assert len(pack_snapshot(snapshot_id)) == 16
    assert unpack_snapshot(pack_snapshot(snapshot_id)) == snapshot_id


@pytest.mark.parametrize(
    "other",
    [
        "",
        "snap",
        "snip-000000000000-20261129T100000Z-00000000",
        "snap-00000000000-20261129T100000Z-00000000",
        "snap-00000000000G-20261129T100000Z-00000000",
        "snap-000000000000-2026-11-29-00000000",
        "snap-000000000000-99999999999999T999999Z-00000000",
        "snap-AAAAAAAAAAAA-20261129T100000Z-00000000",
        "snap-000000000000-20261129T10000éZ-00000000",
    ],
)
def test_what_is_no_snapshot_id_is_refused(other: str):
    with pytest.raises(ValueError, match="not a snapshot id"):
        pack_snapshot(other)


@given(st.uuids(), st.text(st.characters(exclude_categories=["Cs"])))
def test_an_original_is_given_back_as_it_was(record: UUID, url: str):
    original = Original(f"urn:uuid:{record}", url, "2026-11-29T10:00:00Z", "ab" * 32)
    assert unpack_original(pack_original(original), "ab" * 32) == original
    assert unpack_record(pack_record(original.record_id)) == original.record_id


def test_a_record_id_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="urn:uuid"):
        pack_record("http://a.test/1")


@pytest.mark.parametrize(
    ("utc", "expected"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:01.5Z", 1500),
        ("1970-01-01T00:00:00.123456789Z", 123),
        ("2026-11-29T10:00:00.007000Z", 1795946400007),
    ],
)
def test_times_are_milliseconds(utc: str, expected: int):
    assert milliseconds(utc) == expected
