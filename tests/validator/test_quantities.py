"""Two readings of what a text's numbers are, and one figure (C23)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from validator.cluster_edges import CHARACTER_PARAMS, figures_of, runs_of
from validator.quantities import OLDER, numbers_ppm, quantities_of
from workers.dedup.quantities import common_and_all, quantities
from workers.dedup.shingles import shingle

TEXTS = st.text("0159٣５.．,'’\u00a0\u202f -+−－＋$€￥%‰°％<>≤≥＜±~aZ_²é年はก้๓한・\n", max_size=20)


@settings(deadline=None, max_examples=400)
@given(TEXTS, TEXTS)
def test_the_archive_and_the_validator_count_the_same(one: str, other: str) -> None:
    assert quantities_of(one) == quantities(one)
    common, every = common_and_all(quantities(one), quantities(other))
    assert numbers_ppm(quantities_of(one), quantities_of(other)) == (common * 10**6 // every if every else None)


def test_a_quantity_has_what_gives_it_its_meaning() -> None:
    assert set(quantities_of("-5 and $5, 5 %, < 5, 1.5 of H2O, 3-5")) == {"-5", "$5", "5%", "<5", "1.5", "3", "5"}


def test_a_figure_that_is_written_onto_a_word_is_one_since_the_third_rules() -> None:
    """What older rules counted stays what it was, for bundles that rest on them."""
    text = "売上は100億円、前年比は－５％、第3回、매출은100억、ขาดทุน๕ล้าน、3年-5年、H2O"
    assert set(quantities_of(text)) == {"100", "-5%", "3", "5"}
    assert set(quantities_of(text, OLDER)) == {"3", "5"}


def test_texts_without_blanks_are_cut_as_the_archive_cuts_them() -> None:
    """R054: a flipped figure in them is seen, and so is an overlap of one's own."""
    text = "会社は、「売上は100億円。」と発表した！　前年比は－５％、工場は三つ・・・第2工場を含む。"
    other = text.replace("100", "900")
    cut = shingle(text)
    assert (cut.params, cut.values) == (CHARACTER_PARAMS, runs_of(text, CHARACTER_PARAMS).whole)
    found = figures_of(*(runs_of(one, CHARACTER_PARAMS) for one in (text, other)))
    assert found["numbers_ppm"] == 500_000
    assert 700_000 < (found["shingle_jaccard_ppm"] or 0) < 1_000_000
    older = figures_of(*(runs_of(one, CHARACTER_PARAMS, "confirm@2") for one in (text, other)))
    assert older["numbers_ppm"] == 1_000_000  # what those rules said
