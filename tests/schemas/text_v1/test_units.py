"""Offsets in other units: whoever hands one in says what it counts (C17)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.text_v1.units import OffsetUnit, from_code_points, to_code_points

THINKING = "🤔🤔🤔🤔:thinking"


def test_four_emoji_are_four_code_points_eight_code_units_and_sixteen_bytes() -> None:
    counted = [from_code_points(THINKING, 4, unit) for unit in OffsetUnit]
    assert counted == [4, 8, 16]
    assert [to_code_points(THINKING, offset, unit) for offset, unit in zip(counted, OffsetUnit, strict=True)] == [4] * 3


@pytest.mark.parametrize(
    ("offset", "unit"),
    [
        (7, OffsetUnit.UTF16),
        (1, OffsetUnit.UTF8),
        (-1, OffsetUnit.UTF8),
        (99, OffsetUnit.UTF16),
        (14, "unicode_code_point"),
    ],
)
def test_an_offset_within_a_character_or_outside_is_refused(offset: int, unit: OffsetUnit) -> None:
    assert to_code_points(THINKING, offset, OffsetUnit(unit)) is None


def test_a_place_outside_of_the_text_has_no_other_unit() -> None:
    with pytest.raises(ValueError, match="no place 14"):
        from_code_points(THINKING, 14, OffsetUnit.UTF8)


@given(st.text(max_size=40), st.sampled_from(OffsetUnit), st.data())
def test_there_and_back_is_the_same_place(text: str, unit: OffsetUnit, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    assert to_code_points(text, from_code_points(text, place, unit), unit) == place
