"""Two readings of what a text's numbers are, and one figure (C23)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from validator.quantities import numbers_ppm, quantities_of
from workers.dedup.quantities import common_and_all, quantities

TEXTS = st.text("0159٣.,'’\u00a0\u202f -+−$€%‰°<>≤±~aZ_²é\n", max_size=20)


@settings(deadline=None, max_examples=300)
@given(TEXTS, TEXTS)
def test_the_archive_and_the_validator_count_the_same(one: str, other: str) -> None:
    assert quantities_of(one) == quantities(one)
    common, every = common_and_all(quantities(one), quantities(other))
    assert numbers_ppm(quantities_of(one), quantities_of(other)) == (common * 10**6 // every if every else None)


def test_a_quantity_has_what_gives_it_its_meaning() -> None:
    assert set(quantities_of("-5 and $5, 5 %, < 5, 1.5 of H2O, 3-5")) == {"-5", "$5", "5%", "<5", "1.5", "3", "5"}
