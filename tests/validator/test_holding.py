"""The short way past the rules for ends of quotes says what the rules say (C19, C23)."""

from __future__ import annotations

import string

from hypothesis import example, given, settings
from hypothesis import strategies as st

from validator.holding import REACH, holds, holds_by_rules, parts_by_rules, parts_number_words

SEEN = string.ascii_letters + " ,.;\n"
ODD = "0159٣½%‰$€£-–−+±<>=!^²()[]/'’·:_~≈\u00a0\u202f\u00ad\u200b\u0301漢五万กの한é\tEX"
MOSTLY_PLAIN = st.lists(
    st.one_of(
        st.text(SEEN, max_size=60), st.sampled_from(["USD 5", "5 million", "per cent", "not"]), st.text(ODD, max_size=2)
    ),
    max_size=6,
).map("".join)


@settings(deadline=None)
@given(MOSTLY_PLAIN)
@example("a" * REACH + " " * REACH)
@example("5 " + "a" * REACH + "b" * REACH)
@example("a" * (REACH - 1) + " 5" + "a" * REACH)
def test_every_place_is_judged_as_by_all_the_rules(text: str):
    for at in range(len(text) + 1):
        assert holds(text, at) == holds_by_rules(text, at)
        assert parts_number_words(text, at) == parts_by_rules(text, at)


@given(st.text(SEEN, min_size=2 * REACH, max_size=2 * REACH))
def test_among_letters_and_blanks_words_are_the_only_units(text: str):
    assert holds_by_rules(text, REACH) == (text[REACH - 1].isalpha() and text[REACH].isalpha())
