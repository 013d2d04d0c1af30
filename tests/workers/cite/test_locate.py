"""Where a quote stands: exactly once, or not at all, with what is near."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.claim import MatchLevel
from workers.cite.locate import MAX_OCCURRENCES, Ambiguous, NotFound, Span, TooShort, locate_quote

STORY = (
    "The barrier closed at dawn.\n"
    "Engineers measured a surge of 3.2 metres at the outer gate.\n"
    "Nobody was hurt at the outer gate.\n"
)


def test_a_quote_has_a_half_open_span_in_code_points():
    """R012, R013."""
    found = locate_quote(STORY, "a surge of 3.2 metres")
    assert isinstance(found, Span)
    assert STORY[found.start : found.end] == "a surge of 3.2 metres"
    assert found.level is MatchLevel.EXACT


def test_offsets_count_code_points_and_not_code_units():
    """C17."""
    text = "🤔🤔🤔🤔:thinking about it\n"
    found = locate_quote(text, ":thinking about it")
    assert isinstance(found, Span)
    assert found.start == 4


def test_a_quote_found_twice_is_ambiguous_and_shows_both():
    found = locate_quote(STORY, "at the outer gate")
    assert isinstance(found, Ambiguous)
    assert [STORY[span.start : span.end] for span in found.spans] == ["at the outer gate"] * 2
    assert not found.more


@pytest.mark.parametrize(
    ("prefix", "suffix", "line"), [("3.2 metres ", None, 1), ("hurt ", None, 2), (None, ".\nNobody", 1)]
)
def test_context_tells_two_places_apart(prefix: str | None, suffix: str | None, line: int):
    found = locate_quote(STORY, "at the outer gate", prefix, suffix)
    assert isinstance(found, Span)
    assert STORY[: found.start].count("\n") == line


def test_context_that_stands_nowhere_is_not_ignored():
    """C31: a look-alike in other surroundings is no match."""
    assert isinstance(locate_quote(STORY, "a surge of 3.2 metres", prefix="Team Alpha saw "), NotFound)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The change had p > 0.05 in all groups.", "had p < 0.05 in all groups"),
        ("It fell to -5 degrees overnight.", "5 degrees overnight"),
        ("It costs $50 for each person.", "50 for each person"),
        ("It costs $50 for each person.", "It costs €50 for each person"),
        ("The share rose to 10% of the whole.", "The share rose to 10"),
        ("Some 15 million people voted.", "5 million people voted"),
        ("The value is 1.5 million in total.", "5 million in total"),
        ("The surface is x² plus one here.", "The surface is x"),
        ("The surface is x² plus one here.", "The surface is x2 plus one here"),
        ("The test did not pass on Monday.", "The test did pass on Monday"),
        ("It was founded in 1998 by two men.", "It was founded in 1999 by two men"),
        ("They reported it to the harbour.", "ported it to the harbour"),
        ("The alphabet has many letters.", "The alphabet has many letter"),
        ("cafe\u0301s were closed all day", "s were closed all day"),
    ],
)
def test_what_changes_the_meaning_never_matches(text: str, quote: str):
    """C23: signs, currencies, per cents, numbers, negations, years, cut words."""
    assert isinstance(locate_quote(text, quote), NotFound)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Reduced [2Fe-2S] clusters were seen.", "Reduced [2Fe-2S] clusters"),
        ("It was 1.4 (95% CI [1.3-1.7]) in all.", "95% CI [1.3-1.7]"),
        ("Ages 3-5 were asked in every town.", "3-5 were asked in every town"),
        ("It took 11 minutes, four fewer.", "It took 11"),
        ("The end comes in 2026.", "The end comes in 2026"),
        ("東京都は月曜日に水門を閉じた。", "月曜日に水門"),
        ("한국어 문장은 조사가 붙는다.", "문장은 조사"),
    ],
)
def test_whole_words_and_numbers_match_with_their_brackets(text: str, quote: str):
    """C21: brackets are literal; scripts without spaces may be cut anywhere."""
    found = locate_quote(text, quote)
    assert isinstance(found, Span), found
    assert text[found.start : found.end] == quote


@pytest.mark.parametrize("quote", ["", " ", "the", "of 3.2", "…“”—!", "水門"])
def test_a_quote_that_says_too_little_is_refused(quote: str):
    found = locate_quote(STORY, quote)
    assert isinstance(found, TooShort)
    assert found.weight < found.required


def test_a_quote_that_is_not_there_shows_the_nearest_passage_with_the_difference():
    found = locate_quote(STORY, "Engineers measured a surge of 3.4 metres at the outer gate.")
    assert isinstance(found, NotFound)
    nearest = found.nearest[0]
    assert STORY[nearest.start : nearest.end].startswith("Engineers measured")
    assert "[-3.4-]{+3.2+}" in nearest.diff
    assert nearest.similarity_ppm > 900_000


def test_a_quote_with_digits_of_another_width_is_shown_the_passage():
    found = locate_quote("港は広い。２０２３年度の貨物量は３５００トンである。", "2023年度の貨物量は3500トンである")
    assert isinstance(found, NotFound)
    assert found.nearest[0].diff == "[-2023-]{+２０２３+}年度の貨物量は[-3500-]{+３５００+}トンである"


def test_no_control_character_of_a_quote_reaches_a_terminal():
    found = locate_quote(STORY, "Engineers measured a \x1b[31msurge\u202e of 3.2 metres at the outer gate.")
    assert isinstance(found, NotFound)
    assert "U+001B" in found.nearest[0].diff
    assert found.nearest[0].diff.isprintable()


def test_a_cut_quote_is_told_as_such():
    found = locate_quote("Some 15 million people voted.", "5 million people voted")
    assert isinstance(found, NotFound)
    assert "within a word or number" in found.nearest[0].why


def test_nothing_like_the_quote_gives_no_passage():
    assert locate_quote(STORY, "Zebras graze on quiet plateaus") == NotFound(())


def test_a_long_text_takes_a_moment_and_not_forever():
    text = ("The quick brown fox jumps over the lazy dog near the river bank. " * 160_000)[:10_000_000]
    started = time.monotonic()
    found = locate_quote(text, "The quick brown fox jumped over the lazy dogs near the river banks today")
    assert isinstance(found, NotFound)
    assert found.nearest
    many = locate_quote(text, "over the lazy dog")
    assert isinstance(many, Ambiguous)
    assert many.more
    assert len(many.spans) == MAX_OCCURRENCES
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("quote", ["a" * 100_000, "ab " * 50_000, "水" * 100_000, "a " * 100_000 + "b"])
def test_hostile_repetitions_end_soon(quote: str):
    text = quote[:2] * 1_000_000
    started = time.monotonic()
    locate_quote(text, quote)
    locate_quote(text, quote[::-1] + "x")
    assert time.monotonic() - started < 15


@given(st.text(max_size=200), st.text(max_size=60), st.text(max_size=200))
def test_a_span_always_gives_back_the_quote(before: str, quote: str, after: str):
    text = before + quote + after
    found = locate_quote(text, quote)
    if isinstance(found, Span):
        assert text[found.start : found.end] == quote
    elif isinstance(found, Ambiguous):
        assert all(text[span.start : span.end] == quote for span in found.spans)
    elif isinstance(found, NotFound):
        assert all(0 <= passage.start <= passage.end <= len(text) for passage in found.nearest)


@given(st.text(alphabet="ab 1.-$%\n水é", max_size=120), st.text(alphabet="ab 1.-$%\n水é", min_size=1, max_size=40))
def test_what_is_found_stands_in_the_text_once_or_is_ambiguous(text: str, quote: str):
    found = locate_quote(text, quote)
    if isinstance(found, Span):
        assert text[found.start : found.end] == quote
