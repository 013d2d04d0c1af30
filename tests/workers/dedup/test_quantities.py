from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.dedup.quantities import common_and_all, quantities

TEXTS = st.text(st.sampled_from("0159 .,-+<>$€%abé३\u00a0"), max_size=40)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("rose by 3 % and 3%", {"3%": 2}),
        ("between 3-5 and 3–5", {"3": 2, "5": 2}),
        ("on 2026-05-03", {"2026": 1, "05": 1, "03": 1}),
        ("from −5 ° to (-4°)", {"-5°": 1, "-4°": 1}),
        ("$5, €5 or 5 €", {"$5": 1, "€5": 1, "5€": 1}),
        ("p <0.05, q > 0.05", {"<0.05": 1, ">0.05": 1}),
        ("1,000.50 and 1'000 and 1\u202f000", {"1,000.50": 1, "1000": 2}),
        ("H2O, covid19 and edit20", {}),
        ("३ %", {"3%": 1}),
        ("", {}),
    ],
)
def test_a_quantity_is_a_number_with_what_gives_it_its_meaning(text: str, named: dict[str, int]) -> None:
    assert quantities(text) == named


@pytest.mark.parametrize(
    ("one", "other"),
    [("1.5", "15"), ("-5", "5"), ("$5", "€5"), ("10 %", "10"), ("< 5", "> 5"), ("in 2025", "in 2026"), ("3 %", "5 %")],
)
def test_what_may_never_match_is_another_quantity(one: str, other: str) -> None:
    """C23."""
    common, every = common_and_all(quantities(one), quantities(other))
    assert common < every


@given(TEXTS, TEXTS)
def test_common_quantities_are_counted_alike_in_both_orders(one: str, other: str) -> None:
    first, second = quantities(one), quantities(other)
    assert common_and_all(first, second) == common_and_all(second, first)
    assert common_and_all(first, first) == (first.total(), first.total())
