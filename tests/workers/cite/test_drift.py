"""What became of a quote in a newer text: told state by state, and never anchored to what is merely alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.records.drift import DriftState as S
from workers.cite.context import prefix_of, suffix_of
from workers.cite.drift import Passage, drift_of, unanswered
from workers.cite.haystack import Haystack

OLD = "The board met on Monday. Team Alpha measured a surge of 3.2 metres at the outer gate. Nobody was hurt.\n"
QUOTE = "Team Alpha measured a surge of 3.2 metres at the outer gate"


def passage(text: str = OLD, quote: str = QUOTE) -> Passage:
    start = text.index(quote)
    return Passage(quote, prefix_of(text, start), suffix_of(text, start + len(quote)))


@pytest.mark.parametrize(
    ("new", "state"),
    [
        (OLD, S.EXACT),
        ("A banner that is new.\n" + OLD, S.EXACT),
        (OLD + "Once more: Team Alpha measured a surge of 3.2 metres at the outer gate!\n", S.EXACT),
        (f"{QUOTE}, it says here.\n", S.MOVED),
        (f"{QUOTE}, it says here.\n{QUOTE}, and there.\n", S.AMBIGUOUS),
        (OLD.replace("3.2", "4.2"), S.CHANGED),
        (OLD.replace("measured", "did not measure"), S.CHANGED),
        (OLD.replace("a surge", "a\u00a0surge"), S.CHANGED),
        ("The board met on Monday. Nobody was hurt.\n", S.ORPHAN),
        ("Zebras graze on quiet plateaus all day long.\n", S.ORPHAN),
    ],
)
def test_each_state_has_its_text(new: str, state: S) -> None:
    found = drift_of(passage(), Haystack(new))
    assert found.state is state
    if state in (S.EXACT, S.MOVED):
        assert found.start is not None
        assert new[found.start : found.end] == QUOTE


def test_a_look_alike_is_never_an_anchor() -> None:
    """C31: Team Alpha's text is gone, Team Beta's remains."""
    new = "The board met on Monday. Team Beta measured a surge of 3.1 metres at the outer gate. Nobody was hurt.\n"
    found = drift_of(passage(), Haystack(new))
    assert found.state is S.CHANGED
    assert found.diff is not None
    assert "[-Alpha-]{+Beta+}" in found.diff
    assert (found.lost, found.gained) == (("3.2",), ("3.1",))


def test_a_change_tells_figures_and_negations_apart() -> None:
    found = drift_of(passage(), Haystack(OLD.replace("measured a surge of 3.2", "did not measure a surge of 2")))
    assert set(found.lost) == {"3.2"}
    assert set(found.gained) == {"not", "2"}
    assert found.reason == "figures, comparisons or negations differ"
    reworded = drift_of(passage(), Haystack(OLD.replace("outer gate", "outermost gate")))
    assert (reworded.lost, reworded.gained) == ((), ())


@pytest.mark.parametrize(
    ("before", "quote", "figure", "other"),
    [
        ("同館は1987年に開館し、", "九つの部屋に214点の船舶模型を展示しています", "214", "215"),
        ("博物馆于1987年开放，", "九个展厅陈列着214件船舶模型", "214", "215"),
        ("พิพิธภัณฑ์", "จัดแสดงแบบจำลองเรือ214ลำในห้องเก้าห้อง", "214", "215"),
        ("The house was opened in May. ", "Its rooms show 38,412 models of ships", "38,412", "38,500"),
    ],
)
def test_a_changed_figure_is_shown_as_that_whatever_the_script(
    before: str, quote: str, figure: str, other: str
) -> None:
    """Where words are written without blanks a clause is no word, and a comma within a figure parts none."""
    old = f"{before}{quote}.\n"
    found = drift_of(passage(old, quote), Haystack(old.replace(figure, other)))
    assert found.state is S.CHANGED
    assert found.diff == quote.replace(figure, f"[-{figure}-]{{+{other}+}}")
    assert (found.lost, found.gained) == ((figure,), (other,))


@pytest.mark.parametrize(
    ("quote", "new", "diff", "lost", "gained"),
    [
        (
            *("The port of Elsing was founded in 1878", "The port of Elsing was founded in 1887, with 3 ships."),
            *("The port of Elsing was founded in [-1878-]{+1887+}", ("1878",), ("1887",)),
        ),
        (
            *("1878 saw the founding of the port", "Ask. 1887 saw the founding of the port."),
            *("[-1878-]{+1887+} saw the founding of the port", ("1878",), ("1887",)),
        ),
        (
            *("喫水が十二メートルの船は入港できます", "喫水が十二メートルの船は入港できません。問い合わせは港へ。"),
            *("喫水が十二メートルの船は入港できま[-す-]{+せん+}", (), ("ません",)),
        ),
        (
            *("The harbour's pilots don't sail at night", "The harbour’s pilots don’t sail at dawn."),
            *("The harbour's pilots don't sail at [-night-]{+dawn+}", (), ()),
        ),
        (
            *("The channel is open to ships of all kinds", "The channel is open to ships of all."),
            *("The channel is open to ships of all[- kinds-]", (), ()),
        ),
    ],
)
def test_what_stands_in_the_place_of_a_quotes_ends_is_shown(
    quote: str, new: str, diff: str, lost: tuple[str, ...], gained: tuple[str, ...]
) -> None:
    """As far as the words that were lost, and no further than the sentence; an apostrophe is one in every spelling."""
    found = drift_of(Passage(quote, "", ""), Haystack(new))
    assert (found.state, found.diff, found.lost, found.gained) == (S.CHANGED, diff, lost, gained)


def test_a_long_quote_without_blanks_is_compared_whole() -> None:
    old = (
        "".join(f"第{number}室には船舶模型が並び、来館者は無料で見学できる。" for number in range(12))
        + "九つの部屋に214点がある。\n"
    )
    found = drift_of(passage(old, old.strip()), Haystack(old.replace("214", "215")))
    assert (found.state, found.lost, found.gained) == (S.CHANGED, ("214",), ("215",))


@pytest.mark.parametrize(
    ("quote", "new", "passage_there"),
    [
        (
            "本年度の売上は前年を上回る100億円である",
            "本年度の売上は前年を上回る120億円。発表者の社長である田中によると工場は三つ。",
            "本年度の売上は前年を上回る120億円",
        ),
        (
            "工場は三つある。本年度の売上は100億円である",
            "工場は三つある。来年は分からない。本年度の売上は120億円だ。社長である田中が述べた。",
            "工場は三つある。来年は分からない。本年度の売上は120億円だ",
        ),
        (
            "工厂现在一共有三座，本年度的销售额为100亿元",
            "工厂现在一共有三座。本年度的销售额为120亿元。",
            "工厂现在一共有三座。本年度的销售额为120亿元",
        ),
    ],
    ids=["one sentence", "one came between", "one became two"],
)
def test_a_change_ends_with_its_sentence_where_no_blanks_part_words(quote: str, new: str, passage_there: str) -> None:
    """Letters such as those of `である` stand in the next sentence too."""
    found = drift_of(Passage(quote, "", ""), Haystack(new))
    assert found.state is S.CHANGED
    assert new[found.start : found.end] == passage_there
    assert "120" in found.gained


def test_a_cut_word_or_number_is_not_the_quote() -> None:
    old = "Some 5 million people voted in all of it.\n"
    found = drift_of(passage(old, "5 million people voted"), Haystack("Some 15 million people voted in all of it.\n"))
    assert found.state is S.CHANGED
    assert (found.lost, found.gained) == (("5",), ("15",)) or found.state is S.CHANGED


@settings(deadline=None)
@given(st.text(alphabet="ab. \n3", max_size=60), st.text(alphabet="ab. \n3", max_size=60))
def test_what_is_said_to_stand_there_stands_there(before: str, after: str) -> None:
    new = f"{before} {QUOTE} {after}"
    found = drift_of(passage(), Haystack(new))
    assert found.state in (S.EXACT, S.MOVED)
    assert new[found.start : found.end] == QUOTE


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"http_status": 404, "reader_status": "http_error"}, S.GONE),
        ({"http_status": 410, "reader_status": "http_error"}, S.GONE),
        ({"http_status": 403, "reader_status": "http_error"}, S.BLOCKED),
        ({"http_status": 200, "reader_status": "paywall"}, S.BLOCKED),
        ({"http_status": 200, "reader_status": "blocked"}, S.BLOCKED),
        ({"http_status": 200, "reader_status": "soft_404"}, S.SOFT_404),
        ({"http_status": 503, "reader_status": "http_error"}, S.UNREPLAYABLE),
        ({"http_status": 200, "reader_status": "empty", "text_chars": 0}, S.UNREPLAYABLE),
        ({"http_status": 200, "reader_status": "ok"}, None),
    ],
)
def test_an_answer_that_cannot_be_looked_in_says_why(
    snapshot_of: Callable[..., object], fields: dict[str, object], state: S | None
) -> None:
    """C39, C41: a server's error is no end of a page, and an apology with 200 is one."""
    found = unanswered(snapshot_of(**fields))  # type: ignore[arg-type]
    assert (None if found is None else found.state) is state
