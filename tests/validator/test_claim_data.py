"""Figures of claims, on claims that other people wrote and labelled: how often the warning is right."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.figures import figures_of, figures_said, missing_figures
from workers.judge.lexical.amounts import amounts_of
from workers.judge.lexical.warnings import warnings_of


@pytest.mark.parametrize(
    ("claim", "quote", "missing"),
    [
        ("It has 14 gates.", "The barrier has 14 gates.", []),
        ("It has 14 gates.", "The barrier has fourteen gates.", []),
        ("It has 15 gates.", "The barrier has 14 gates.", ["15"]),
        ("1,500 people came", "some 1500 people came", []),
        ("1.5 people came", "some 15 people came", ["1.5"]),
        ("at -5 degrees", "at 5 degrees", ["-5"]),
        ("at 5 degrees", "at -5 degrees", ["5"]),
        ("from 1990 to 1995", "1990-1995", []),
        ("2.50 dollars", "2.5 dollars", []),
        ("in 2026", "in 2025", ["2026"]),
        ("H2O and B12", "nothing", []),
        ("No figure at all", "nothing", []),
        ("It shows 214 models and opened in 1987.", "同館は1987年5月3日に開館し、214点の模型を展示しています", []),
        ("博物館は999点の模型を展示している。", "九つの部屋に214点の船舶模型を展示しています", ["999"]),
        ("博物館有214件模型", "It has 214 models.", []),
        ("It has 1,500 rooms.", "มีห้อง๑,๕๐๐ห้อง", []),
        ("It has 214 models.", "２１４点の模型", []),
        ("at -5 degrees", "気温は-5度です", []),
        ("from 1990 to 1995", "1990年-1995年", []),
        ("制限速度は６．６ノット", "制限速度は6ノット", ["6.6"]),
        ("深さは１３．７メートル", "13.7 metres", []),
        ("１８２，０００ cubic metres", "182,000 cubic metres", []),
        ("182\u2009000 cubic metres", "182 000 cubic metres", []),
        ("182 cubic metres", "182 000 cubic metres", ["182"]),
        ("12 345 ships", "12,345 ships", []),
        ("12 ships", "12 345 ships", ["12"]),
        ("345 ships in table 12", "In table 12 345 ships", []),
        ("In table 12 345 ships", "Table 12: 345 ships", []),
        ("In table 12 346 ships", "Table 12: 345 ships", ["12346"]),
        ("412 ships in 2023", "in 2023 412 ships", []),
        ("-5 degrees", "－５度", []),
        ("売上は3億円", "売上は3万円", ["300000000"]),
        ("銷售額3亿元", "销售额 3 亿元", []),
        ("3 people", "3万人", ["3"]),
        ("About 1,200,000 people", "约120万人", []),
        ("12,345,000 yen", "12,345千円", []),
        ("売上は3千万円", "３０００万円", []),
        ("1億2000万人", "1.2億人", []),
        ("1억 2천만 명", "1억2000만명", []),
        ("1억 2천만 명", "1억3000만명", ["120000000"]),
        ("5万円", "3千万円-5万円", []),
        ("12,000 people", "1만 2천 명", []),
        ("12,345 people", "1만 2,345명", []),
        ("2 people", "1만 2천 명", ["2"]),
        ("2 people", "2천여 명", ["2"]),
        ("50,000 in 2023", "5만 2023년 기준", []),
        ("1.2조 원", "1조 2,000억 원", []),
        ("3 won", "3조 원", ["3"]),
        ("100,005,000 won", "1억 5천", ["100005000"]),
        ("article 3", "제3조 원칙", []),
        ("2024年万科", "2024 万科年报", []),
        ("a plant of 500 MW", "500兆瓦", []),
        ("the figures 12 and 345", "12 345.6.7", ["345"]),
    ],
)
def test_figures_of_a_claim_are_looked_for_in_its_quotes(claim: str, quote: str, missing: list[str]) -> None:
    """C07, C23: a year off by one, a sign, a decimal point."""
    assert missing_figures(claim, [quote]) == missing


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("182 ships", "182 000 ships"),
        ("12 ships", "12 345 ships"),
        ("12 345 ships", "12,345 ships"),
        ("12 345 ships", "12 346 ships"),
        ("345 ships in table 12", "In table 12 345 ships"),
        ("In table 12 345 ships", "Table 12: 345 ships"),
        ("In table 12 346 ships", "Table 12: 345 ships"),
        ("412 ships in 2023", "in 2023 412 ships"),
        ("制限速度は６．６ノット", "制限速度は６ノット"),
    ],
)
def test_a_blank_that_may_part_groups_or_figures_is_both_to_the_judge_too(claim: str, quote: str) -> None:
    told = [one for one in warnings_of(claim, quote, quote) if one.kind == "number"]
    assert bool(told) == bool(missing_figures(claim, [quote]))


@given(
    st.text(alphabet="はに点年館约有件มีห้องកា약명", min_size=1, max_size=4),
    st.integers(1, 10**6),
    st.text(alphabet="はに点年館约有件มีห้องកា약명", max_size=4),
)
def test_a_word_written_onto_a_figure_hides_none(before: str, number: int, after: str) -> None:
    assert figures_of(f"{before}{number}{after}") == figures_of(f"{before} {number} {after}") == {str(number)}


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("６．６ノット", {"6.6"}),
        ("١٢٣٫٥ and ١٢٬٣٤٥", {"123.5", "12345"}),
        ("๑๓.๗ เมตร", {"13.7"}),
        ("१२,३४५ জাহাজ", {"12345"}),
        ("１８２，０００立方米", {"182000"}),
        ("1'234.5 and 12’345 and １＇２３４", {"1234.5", "12345", "1234"}),
        ("1 234 567, 12\u00a0345, 1\u2009234, 1\u202f234,5", {"1234567", "12345", "1234", "1234.5"}),
        ("in 2023 412 ships", {"2023", "412"}),
        ("第３，４章 in 2023，412", {"3", "4", "2023", "412"}),
        ("from 3-5, 12 345-12 400", {"3", "5", "12345", "12400"}),
        ("on 5 May 2024 the 21st", {"5", "2024", "21"}),
        ("12 34 and 123 4567", {"12", "34", "123", "4567"}),
        ("1.234.567 and 1.234,5", {"1234567", "1234.5"}),
    ],
)
def test_both_readers_of_figures_read_them_the_same_way(text: str, figures: set[str]) -> None:
    """That of claims and quotes, which the validator has too, and the judge's, which has units and scales besides."""
    read = amounts_of(text)
    assert figures_of(text) | figures_said(text) == figures
    assert len(read) == len(figures)
    assert all(any(Fraction(figure) in one.readings for one in read) for figure in figures)


@given(st.integers(1, 9999), st.sampled_from(["万", "億", "千万", "百万", "兆", "억", "천만"]), st.integers(1, 999))
def test_a_scale_is_what_its_noughts_are(number: int, scale: str, other: int) -> None:
    zeros = sum({"百": 2, "千": 3, "천": 3, "万": 4, "만": 4, "億": 8, "억": 8, "兆": 12}[sign] for sign in scale)
    for text in (f"約{number}{scale}円", f"約{number / 10}{scale}円"):
        value = int(Fraction(text[1 : -1 - len(scale)]) * 10**zeros)
        assert figures_of(text) == {str(value)}
        assert missing_figures(f"{value:,}", [text]) == []
        assert missing_figures(text, [f"{other}{scale}"]) == ([] if other * 10**zeros == value else [str(value)])


def test_figures_cost_as_much_as_they_are_long() -> None:
    """Rows of groups that end as no figure does, and claims that have no part of them."""
    row = "123 " * 50_000 + "123.5.5"
    assert figures_of(row) == {"123", "123.5.5"}
    assert figures_said(f"1-{row}") == {"1", "123", "123.5.5"}
    assert missing_figures("7 8. " * 9_000, ["12 345 " * 9_000, "7 100, 7 200"]) == ["7", "8"]


def test_number_words_count_in_quotes_only() -> None:
    assert figures_of("two of 3") == {"3"}
    assert figures_said("two of 3") == {"2", "3"}


def test_on_wice_the_warning_is_rare_where_people_found_support_and_common_where_not(conformance_data: Path) -> None:
    """Quotes: the sentences that people found to support a claim; of unsupported claims the whole page. Of claims with
    figures only, since of others nothing is said. Most of the seven false ones have a year that the page implies."""
    told: Counter[tuple[str, bool]] = Counter()
    for line in (conformance_data / "claims/wice/claims.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        whole = [range(len(row["evidence"]))]
        sets = whole if row["label"] == "not_supported" else row["supporting_sentences"]
        if figures_of(row["claim"]):
            missing = all(missing_figures(row["claim"], [row["evidence"][i] for i in own]) for own in sets)
            told[row["label"], missing] += 1
    assert dict(told) == {
        ("supported", True): 7,
        ("supported", False): 54,
        ("partially_supported", True): 74,
        ("partially_supported", False): 60,
        ("not_supported", True): 12,
        ("not_supported", False): 7,
    }


def test_on_begin_what_is_attributable_is_not_warned_of(conformance_data: Path) -> None:
    told: Counter[tuple[bool, bool]] = Counter()
    for path in sorted((conformance_data / "claims/begin").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if figures_of(row["response"]):
                attributable = row["label"] == "Fully attributable"
                told[attributable, bool(missing_figures(row["response"], [row["knowledge"]]))] += 1
    assert dict(told) == {(True, True): 1, (True, False): 61, (False, True): 28, (False, False): 76}
