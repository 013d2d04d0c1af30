"""The levels at which a quote is found: each folds what it says, and nothing that carries meaning."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.records.claim import MatchLevel
from schemas.text_v1 import normalize
from workers.cite.folding import STEPS, Folds, Step
from workers.cite.locate import Ambiguous, NotFound, Quote, Span, locate_quote

NFC, PRESENTATION, DEHYPHEN, WHITESPACE = list(MatchLevel)[1:]


@pytest.mark.parametrize(
    ("text", "quote", "level"),
    [
        ("The caf\u00e9 closed at dawn.", "The cafe\u0301 closed at dawn", NFC),
        ("She said \u201cnothing will change\u201d.", 'said "nothing will change"', PRESENTATION),
        ("It\u2019s the captain\u2018s word.", "It's the captain's word", PRESENTATION),
        ("They waited\u2026 and waited.", "They waited... and waited", PRESENTATION),
        ("They waited... and waited.", "They waited\u2026 and waited", PRESENTATION),
        ("A sum of 5\u00a0million in\u2009all.", "A sum of 5 million in all", PRESENTATION),
        ("First line here\nsecond line", "First line here\r\nsecond line", PRESENTATION),
        ("An efficient office.", "An e\ufb03cient of\ufb01ce", PRESENTATION),
        ("The politik of the day.", "The poli\u00adtik of\u200b the day", PRESENTATION),
        ("A non\u2011trivial answer.", "A non-trivial answer", PRESENTATION),
        ("The inter-\nnational court sat.", "The international court sat", DEHYPHEN),
        ("The international court sat.", "The inter-\n national court sat", DEHYPHEN),
        ("The court sat\nat noon on Monday.", "court sat at noon on Monday", WHITESPACE),
        ("recurrent orconvolutional networks", "recurrent or convolutional networks", WHITESPACE),
        ("Po\n\nlitik of the whole country", "Politik of the whole country", WHITESPACE),
        ("the inter-\nnational law\nof the sea", "the international law of the sea", WHITESPACE),
        ("a rate of 10 % of all", "a rate of 10% of all", WHITESPACE),
        ("with p<0.05 in both", "with p < 0.05 in both", WHITESPACE),
    ],
)
def test_a_quote_is_found_at_the_strictest_level_that_has_it(text: str, quote: str, level: MatchLevel) -> None:
    """C27, C29: and none of these counts as exact."""
    found = locate_quote(text, quote)
    assert isinstance(found, Span), found
    assert found.level is level
    passage = text[found.start : found.end]
    assert passage.strip() == passage
    assert Folds(passage).at(STEPS[-1]).text == Folds(quote).at(STEPS[-1]).text


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("had p > 0.05 in all groups", "had p < 0.05 in all groups"),
        ("had p \u2264 0.05 in all groups", "had p < 0.05 in all groups"),
        ("it fell to -5 degrees at night", "it fell to 5 degrees at night"),
        ("it fell to 5 degrees at night", "it fell to -5 degrees at night"),
        ("a fee of $5 for each visitor", "a fee of \u20ac5 for each visitor"),
        ("a fee of $5 for each visitor", "a fee of 5 for each visitor"),
        ("a share of 10% of the whole", "a share of 10 of the whole"),
        ("a value of 1.5 in the table", "a value of 15 in the table"),
        ("a value of 1 5 in the table", "a value of 15 in the table"),
        ("a value of 1,500 in the table", "a value of 1.500 in the table"),
        ("the test did not pass today", "the test did pass today"),
        ("the result is not able to hold", "the result is notable to hold"),
        ("there was no table in the room", "there was notable in the room"),
        ("it was founded in 1998 by two", "it was founded in 1999 by two"),
        ("the surface of x\u00b2 plus one", "the surface of x2 plus one"),
        ("H\u2082O was found in the crater", "H2O was found in the crater"),
        ("the ratio is 1\u20442 of the whole", "the ratio is 12 of the whole"),
        ("the ratio is \u00bd of the whole", "the ratio is 1/2 of the whole"),
        ("from 5-\n10 metres of water", "from 510 metres of water"),
        ("the Fe-\nS cluster was reduced", "the FeS cluster was reduced"),
        ("pages 3\u20135 of the first report", "pages 3-5 of the first report"),
        ("The US joined in the talks", "The us joined in the talks"),
        ("Reduced [2Fe-2S] clusters here", "Reduced clusters here"),
        ("この件は承認されていない。以上です", "この件は承認されている。以上です"),
        ("该公司没有批准这个方案的预算", "该公司批准这个方案的预算"),
        ("a b c d e f g h i j k l", "abcdefghijkl x"),
    ],
)
def test_what_carries_meaning_matches_at_no_level(text: str, quote: str) -> None:
    """C23, C21: the never-fold set, and what white space must not join."""
    assert isinstance(locate_quote(text, quote), NotFound)


def test_the_strictest_level_decides_where_several_have_it() -> None:
    text = 'He said "it is so" once. He said \u201cit is so\u201d twice.'
    assert locate_quote(text, 'He said "it is so"') == Span(0, 18)
    found = locate_quote(text, "He said \u201cit is so\u201d")
    assert isinstance(found, Span)
    assert (found.start, found.level) == (25, MatchLevel.EXACT)


def test_one_dot_of_an_ellipsis_is_no_edge() -> None:
    assert isinstance(locate_quote("They waited\u2026 and waited.", "They waited."), NotFound)


def test_context_is_compared_in_any_presentation() -> None:
    text = "Alpha said \u201cthe gate is closed now\u201d.\nBeta said \u201cthe gate is closed now\u201d."
    found = locate_quote(text, "the gate is closed now", prefix='Beta said "')
    assert isinstance(found, Span)
    assert found.start == text.rindex("the gate")
    assert isinstance(locate_quote(text, "the gate is closed now", prefix="Gamma said"), NotFound)


def test_parts_of_a_quote_follow_each_other_in_their_order() -> None:
    """C21: what is left out is marked by an array of parts and by nothing else."""
    text = "The gate closed at dawn, in heavy rain and wind, and opened again before noon.\n"
    found = locate_quote(text, Quote(("The gate closed at dawn", "opened again before noon")))
    assert found == Span(0, text.index("."), parts=((0, 23), (53, 77)))
    assert isinstance(locate_quote(text, Quote(("opened again before noon", "The gate closed at dawn"))), NotFound)
    assert isinstance(locate_quote(text, "The gate closed at dawn […] opened again before noon"), NotFound)
    far = text.replace("heavy", "heavy " * 400)
    assert isinstance(locate_quote(far, Quote(("The gate closed at dawn", "opened again before noon"))), NotFound)


def test_of_two_ways_to_the_same_end_the_tighter_one_is_meant() -> None:
    text = "The gate closed. The gate closed at noon and it opened again before dusk."
    found = locate_quote(text, Quote(("The gate closed", "opened again before dusk")))
    assert isinstance(found, Span)
    assert found.start == 17
    twice = text + " It opened again before dusk."
    assert isinstance(locate_quote(twice, Quote(("gate closed at noon", "opened again before dusk"))), Span)


@settings(deadline=None)
@given(st.text(alphabet="ab1 .-\n\r\t\u00a0\u2026\u201c\"'\u2019\ufb01e\u0301\u00ad水ü", max_size=60))
def test_every_fold_leads_back_to_the_text_it_came_from(text: str) -> None:
    """A span of a folded text is a span of the text, and folding that gives the same again."""
    folds = Folds(text)
    for step in STEPS[:4]:
        made = folds.at(step)
        for start in range(len(made.text)):
            span = made.span(start, len(made.text))
            if span is None:
                continue
            passage = text[span[0] : span[1]]
            assert Folds(passage).at(step).text.endswith(made.text[-1])
            assert 0 <= span[0] < span[1] <= len(text)


@settings(deadline=None)
@given(st.text(alphabet="abc de\nf.", min_size=30, max_size=80))
def test_what_exact_finds_every_spelling_of_it_finds(body: str) -> None:
    """Recall at `presentation`: curled, spaced and decomposed, the same place is found."""
    text = normalize(f'{body} the r\u00e9gime\'s "last day" came {body}').text
    quote = 'the r\u00e9gime\'s "last day" came'
    exact = locate_quote(text, quote)
    other = unicodedata.normalize("NFD", quote.replace("'", "\u2019").replace('"', "\u201d").replace(" ", "\u00a0"))
    again = locate_quote(text, other)
    assert isinstance(exact, Span | Ambiguous)
    if isinstance(exact, Span):
        assert isinstance(again, Span)
        assert (again.start, again.end, again.level) == (exact.start, exact.end, MatchLevel.PRESENTATION)


def test_the_steps_are_the_levels_from_strict_to_loose() -> None:
    assert [step.level for step in STEPS] == [*MatchLevel, MatchLevel.WHITESPACE]
    assert STEPS[0] == Step(MatchLevel.EXACT)
