from __future__ import annotations

import pytest

from workers.cite.information import information_bits, says_enough


@pytest.mark.parametrize(
    "quote", ["aaaaaaaa", "the the the the", "of 3.2", "—…“”", "水門", "1 2 3 4", "ha ha ha ha ha"]
)
def test_length_alone_is_no_information(quote: str) -> None:
    assert not says_enough(quote)


@pytest.mark.parametrize(
    "quote", ["closed at dawn", "It took 11 min", "95% CI [1.3-1.7]", "水門を閉じた", "10,994 metres"]
)
def test_a_short_phrase_that_tells_something_is_enough(quote: str) -> None:
    assert says_enough(quote)


def test_a_word_tells_nothing_the_second_time() -> None:
    assert information_bits("gate gate Gate") == information_bits("gate")
