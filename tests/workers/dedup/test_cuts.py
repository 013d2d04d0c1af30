from hypothesis import example, given, settings
from hypothesis import strategies as st

from workers.dedup.cuts import Cut, cut, cut_of
from workers.dedup.parameters import MAX_TEXT_CHARS, WORD_PARAMS
from workers.dedup.shingles import shingle


def values_of(found: Cut) -> frozenset[str]:
    data = found.data.tobytes()
    runs = zip(found.starts.tolist(), found.lengths.tolist(), strict=True)
    return frozenset(data[start : start + length].decode() for start, length in runs)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab Zß,.\n東京でกร၏ខ々Я"), max_size=80) | st.text(max_size=200))
@example("東京で、発表された。\n新しい計画")
@example("Straße und Weg und Ziel, immer weiter")
@example("one two three four")
@example("")
def test_the_runs_are_the_shingles_that_confirmation_compares(text: str) -> None:
    found = cut(text)
    assert (found.params, values_of(found)) == (shingle(text).params, shingle(text).values)


def test_only_the_beginning_of_a_huge_text_is_cut() -> None:
    start = "a " * (MAX_TEXT_CHARS // 2)
    assert values_of(cut(start + "one two three four five")) == values_of(cut(start))


@given(st.lists(st.binary(max_size=6), max_size=12))
def test_shingles_that_somebody_else_has_cut_are_taken_as_they_are(shingles: list[bytes]) -> None:
    """Also with line ends in them, which ours never have."""
    made = cut_of(WORD_PARAMS, shingles)
    runs = zip(made.starts.tolist(), made.lengths.tolist(), strict=True)
    assert [made.data[start : start + length].tobytes() for start, length in runs] == shingles
