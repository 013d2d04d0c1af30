"""Texts word by word: what is told is right, and bounded whatever the texts are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workers.cite.tokens import PIECES
from workers.cite.word_diff import MAX_CHANGE_PIECES, MAX_CHANGES, MAX_DIFF_CHARS, word_changes


def test_words_that_went_and_came_are_shown_in_their_line() -> None:
    found = word_changes(["A", "The gate is raised."], ["A", "The gate is at rest."])
    (one,) = found.changes
    assert (one.line, one.other_line, one.diff) == (2, 2, "The gate is [-raised-]{+at rest+}.")
    assert (found.removed, found.added, found.left_out) == (1, 2, 0)


@given(st.text(alphabet="aB1๑.,- \nに点館ห้็・é\u0301"))
def test_the_pieces_of_a_text_are_the_text(text: str) -> None:
    assert "".join(PIECES.findall(text)) == text


def test_words_figures_and_letters_of_runs_are_pieces() -> None:
    assert PIECES.findall("at 3.2 a.m., B12, 38,412.") == [
        *("at", " ", "3.2", " ", "a", ".", "m", ".", ",", " ", "B12", ",", " ", "38,412", "."),
    ]
    assert PIECES.findall("に214点ห้อง๑,๕๐๐") == ["に", "214", "点", "ห้", "อ", "ง", "๑,๕๐๐"]


def test_equal_texts_have_no_changes() -> None:
    assert word_changes(["A", "B"], ["A", "B"]).changes == ()


def test_a_line_of_many_words_and_a_text_of_many_places_are_bounded() -> None:
    long = " ".join(f"w{number}" for number in range(MAX_CHANGE_PIECES))
    (one,) = word_changes([long], [long.upper()]).changes
    assert (one.removed, one.added) == (MAX_CHANGE_PIECES, MAX_CHANGE_PIECES)
    assert len(one.diff) <= MAX_DIFF_CHARS + 2
    old = [f"{'same' if number % 2 else 'old'} {number}" for number in range(4 * MAX_CHANGES)]
    found = word_changes(old, [line.replace("old", "new") for line in old])
    assert (len(found.changes), found.left_out) == (MAX_CHANGES, MAX_CHANGES)


def test_what_a_terminal_would_obey_is_named() -> None:
    (one,) = word_changes(["a"], ["a\u202e"]).changes
    assert one.diff == "a{+U+202E+}"
