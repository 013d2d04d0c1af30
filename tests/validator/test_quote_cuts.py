"""A quote never ends within a word or figure: the archive refuses it and the validator tells it, by the same tables."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.records.claim import MatchLevel
from validator.cuts import cuts_token
from workers.cite.locate import NotFound, Span, locate_quote
from workers.cite.tokens import cuts_a_token

CUTS = {
    "a decimal, its point quoted": ("The temperature rose to 5.7 degrees.", "The temperature rose to 5."),
    "a group, its comma quoted": ("The company paid $5,000 to the victims.", "The company paid $5,"),
    "decimals without their whole": ("Patients took 1.5 mg of aspirin daily.", ".5 mg of aspirin daily"),
    "a group without its thousands": ("In all 1,500 people were evacuated.", ",500 people were evacuated"),
    "a decimal without its point": ("Patients took .5 mg of aspirin daily.", "5 mg of aspirin daily"),
    "an amount without its sign": ("The result was -$5 million for the quarter.", "$5 million for the quarter"),
    "an amount without its comparison": ("It cost <$5 million for the quarter.", "$5 million for the quarter"),
    "a power": ("The measured mutation rate of 10⁻⁵ per base.", "The measured mutation rate of 10"),
    "a power with a caret": ("The measured mutation rate of 10^-5 per base.", "The measured mutation rate of 10"),
    "an exponent": ("It was 1e-5 mol of the substance.", "5 mol of the substance"),
    "a factor": ("The result was 5 × 10⁶ cells per sample.", "The result was 5"),
    "a middle dot": ("Some 1·5 million people were affected.", "5 million people were affected"),
    "thin groups": ("Some 1\u202f500 people were affected by it.", "500 people were affected by it"),
    "blank groups": ("Some 1 500 000 people were affected.", "500 000 people were affected"),
    "blank groups behind": ("The number of them was 1 500 in all.", "The number of them was 1"),
    "apostrophe groups": ("Some 1’500 people were affected by it.", "500 people were affected by it"),
    "a fraction": ("Some 1⁄5 of the population were affected.", "5 of the population were affected"),
    "a ratio": ("Ratio was 3:1 in favour of the drug", "1 in favour of the drug"),
    "a range": ("Some 5–10 people were hurt in the crash", "10 people were hurt in the crash"),
    "a tolerance": ("Length was 15 ± 5 mm in all cases", "Length was 15"),
    "an en dash as sign": ("The mean was –5 degrees Celsius in January.", "5 degrees Celsius in January"),
    "a wide sign": ("The mean was －5 degrees Celsius in January.", "5 degrees Celsius in January"),
    "a sign and a blank": ("The mean was - 5 degrees Celsius in January.", "5 degrees Celsius in January"),
    "a sign behind an ideograph": ("温度は−5度になりました本当に", "5度になりました本当に"),
    "a slanted comparison": ("It needs ⩾5 doses of the vaccine each.", "5 doses of the vaccine each"),
    "an unequal": ("It is ≠5 doses of the vaccine each.", "5 doses of the vaccine each"),
    "a comparison and a blank": ("It needs >\u00a05 doses of the vaccine each.", "5 doses of the vaccine each"),
    "an equation": ("The value x=-5 was found in all of the cases", "-5 was found in all of the cases"),
    "a share and a blank": ("Unemployment rose by 5\u202f% in the month of May", "Unemployment rose by 5"),
    "a share behind a quoted blank": ("Unemployment rose by 5 % in the month of May", "Unemployment rose by 5 "),
    "a wide share": ("Unemployment rose by 5％ in the month of May", "Unemployment rose by 5"),
    "an Arabic share": ("Unemployment rose by ٥٪ in the month of May", "Unemployment rose by ٥"),
    "a currency behind": ("The total price of it was 5 € in May", "The total price of it was 5"),
    "at least": ("All of the 5+ people were hurt there", "All of the 5"),
    "a number word": ("Some 5 million people voted on Monday", "million people voted"),
    "a number word behind": ("The number of voters was 5\u00a0million", "The number of voters was 5"),
    "a share in words": ("Unemployment rose by 5 per cent in May", "Unemployment rose by 5"),
    "a loss in brackets": ("They made a loss of (5) million in May", "They made a loss of (5)"),
    "a loss within its brackets": ("They made a loss of (5) million in May", "5) million in May"),
    "a loss of a share": ("It was down by (1.5) % in all of May", "It was down by (1.5)"),
    "a currency's code": ("It cost us EUR 5 in the last quarter", "5 in the last quarter"),
    "a currency's code behind": ("The price of it was 5 EUR in May", "The price of it was 5"),
    "a Chinese negation over a line's end": ("这种新的药物不\n可以使用在任何地方", "可以使用在任何地方"),
    "a Japanese negative over a line's end": ("これは安全では\nありませんでした", "これは安全では"),
    "a mixed number": ("It took 1 1/2 cups of sugar each time", "1/2 cups of sugar each time"),
    "a mixed number in one sign": ("It took 1 ½ cups of sugar each time", "½ cups of sugar each time"),
    "a rate": ("The dose of it was 5 mg/kg each day", "The dose of it was 5 mg"),
    "a degree": ("The mean was 5 °C in all of January", "The mean was 5 °"),
    "a letter's power": ("The time of it grows like x^2 here", "The time of it grows like x"),
    "a tilde as range": ("每天有5～10 people hurt in the crash", "10 people hurt in the crash"),
    "an unequal in two signs": ("We know that x != 5 in all cases", "= 5 in all cases"),
    "a share behind two blanks": ("Unemployment rose by 5  % in May", "Unemployment rose by 5"),
    "a Hebrew compound": ("החומר הזה לא־רעיל לבני אדם", "רעיל לבני אדם"),
    "a mark unseen among digits": ("Some 1\u200e5 million people were affected.", "5 million people were affected"),
    "a mark unseen behind a sign": ("The mean was -\u200e5 degrees in January.", "5 degrees in January"),
    "a mark unseen before a share": ("Unemployment rose by 5\u200f% in the month of May", "Unemployment rose by 5"),
    "a mark unseen in a word": ("من نمی‌خواهم به خانه بروم", "خواهم به خانه بروم"),
    "a vowel sign": ("यह सरकार ने लड़की को दिया", "यह सरकार ने लड़क"),
    "an enclosing mark": ("These are supported 5\u20e0 in all of the releases", "These are supported 5"),
    "a compound": ("The substance is non-toxic to humans.", "toxic to humans"),
    "a compound over a line's end": ("The substance is non-\ntoxic to humans.", "toxic to humans"),
    "a compound of a figure": ("A plan for 5-year terms in every office.", "A plan for 5"),
    "a contraction": ("All of the ministers didn't say why", "All of the ministers didn"),
    "a contraction, its mark quoted": ("All of the ministers didn’t say why", "All of the ministers didn’"),
    "a raised sign": ("Concentration of Na⁺ ions was measured here", "Concentration of Na"),
    "wide digits": ("约１．５百万人受到了影响和损失", "５百万人受到了影响和损失"),
    "Han numerals": ("约三十五万人受到影响和损失", "五万人受到影响和损失"),
    "a Han numeral behind digits": ("受到影响和损失的人数共计15万人", "受到影响和损失的人数共计15"),
    "a Chinese negation": ("这不可以使用在任何地方", "可以使用在任何地方"),
    "a Thai negation": ("ไม่ปลอดภัยสำหรับเด็ก", "ปลอดภัยสำหรับเด็ก"),
    "a Korean negation": ("이것은 불가능합니다라고 말했습니다", "가능합니다라고 말했습니다"),
    "a Japanese negative end": ("これは安全ではありませんでした", "これは安全では"),
    "a Japanese negative later": ("この件は正式に承認されていない", "この件は正式に承認"),
    "a Korean scale that looks like a particle": ("항만의 직원 수는 5만 명이다", "항만의 직원 수는 5"),
    "a Korean scale of two": ("항만의 매출액은 3천만 원이다", "항만의 매출액은 3천"),
    "a Korean degree": ("항만의 평균 기온은 5도 이하다", "항만의 평균 기온은 5"),
    "a Korean amount's last step": ("항만의 직원은 1만 2천 명이었다", "2천 명이었다"),
    "a Korean amount's first step": ("항만의 직원은 1만 2천 명이었다", "항만의 직원은 1만"),
    "a Korean amount's plain rest": ("항만의 직원은 1만 2,000명이었다", "2,000명이었다"),
    "a Korean amount's trillions": ("항만의 부채는 1조 2000억 원이다", "2000억 원이다"),
    "a Chinese share in words": ("该港口收入增长百分之五十高于去年同期", "五十高于去年同期"),
    "a Japanese fraction": ("港湾の従業員の4分の3が計画に賛成した", "3が計画に賛成した"),
    "a Japanese fraction of ideographs": ("従業員の三分の二が反対した", "従業員の三分"),
    "a Korean fraction": ("항만의 직원 3분의 1이 찬성했다", "1이 찬성했다"),
    "a scale of Han and a blank": ("该港口营业收入为3 亿元", "该港口营业收入为3"),
}
WHOLE = {
    "a sentence's end": ("The temperature rose to 5. Then it fell.", "The temperature rose to 5."),
    "a list's item": ("Hurt:\n- 5 people in the first car\n", "5 people in the first car"),
    "a year in brackets": ("It was founded (in 1905) million times over.", "It was founded (in 1905)"),
    "a year and a number": ("It was so in 2024 500 times over.", "500 times over"),
    "a dash between words": ("The old gate – it closed – was shut.", "The old gate"),
    "a whole compound": ("The substance is non-toxic to humans.", "non-toxic to humans"),
    "words in marks": ("He said 'the gate is closed' twice.", "the gate is closed"),
    "amounts side by side": ("It rose from 2024 $5 to more of it.", "It rose from 2024"),
    "minutes": ("会議は30分の予定だったという", "会議は30分"),
    "a Korean year behind an amount": ("인구는 5만 2023년 기준이었다", "인구는 5만"),
    "a Korean figure and its particle": ("기준 연도는 2023은 아니다", "기준 연도는 2023"),
    "a Korean noun": ("한국어 문장은 조사가 붙는다.", "문장은 조사"),
    "a Japanese noun": ("東京都は月曜日に水門を閉じた。", "月曜日に水門"),
    "a variation selector": ("A sunny day ☀\ufe0f on the coast", "A sunny day ☀"),
}


@pytest.mark.parametrize(("text", "quote"), CUTS.values(), ids=CUTS)
def test_a_quote_that_cuts_a_unit_is_refused_and_told(text: str, quote: str) -> None:
    """C19, C23."""
    assert isinstance(locate_quote(text, quote), NotFound)
    start = text.index(quote)
    assert cuts_token(text, start, start + len(quote))


@pytest.mark.parametrize(("text", "quote"), WHOLE.values(), ids=WHOLE)
def test_a_quote_of_whole_units_stands(text: str, quote: str) -> None:
    found = locate_quote(text, quote)
    assert isinstance(found, Span), found
    assert not cuts_token(text, found.start, found.end)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Transmission by asymptomatic patients is common.", "Transmission by a symptomatic patients is common"),
        ("Transmission by a symptomatic patient is common.", "Transmission by asymptomatic patient is common"),
        ("They are in capable hands in the town.", "They are incapable hands in the town"),
        ("Chapter 1.\n5 people were hurt in the crash", "Chapter 1.5 people were hurt in the crash"),
    ],
)
def test_no_little_word_comes_or_goes_with_a_blank(text: str, quote: str) -> None:
    """C29: the level `whitespace` mends a layout and no meaning."""
    assert isinstance(locate_quote(text, quote), NotFound)


def test_a_word_that_the_layout_cut_is_still_found() -> None:
    found = locate_quote("a dose of 5 g for\neach of the patients", "a dose of 5g for each of the patients")
    assert isinstance(found, Span)
    assert found.level is MatchLevel.WHITESPACE


ALPHABET = (
    "만천도년"
    "5555 1ab\u202f\n-–+<$€%.,'^eEx×*±′⁻²_(\u200e\u0301一不水ない가은A\ufe0f)ずって٪~!/½ mnラッー第人ませเล้ัะ์ຳມខ្មက္်"
)


UNITS = (
    "5",
    "1 500",
    "1.5",
    ",",
    ".",
    "-",
    "–",
    "<",
    "$",
    "€",
    "%",
    " ",
    "  ",
    "\n",
    "million",
    "per cent",
    "x",
    "^",
    "×",
)
UNITS_TOO = (
    "EUR",
    "USD",
    "1/2",
    "½",
    "non",
    "'",
    "°C",
    "=",
    "(",
    ")",
    "(5)",
    "US",
    "다가",
    "不",
    "十",
    "ない",
    "です",
    "\u200e",
    "\u0301",
    "e-5",
)


@settings(deadline=None, max_examples=400)
@given(
    st.text(ALPHABET, min_size=2, max_size=16)
    | st.lists(st.sampled_from(UNITS + UNITS_TOO), min_size=2, max_size=12).map("".join).filter(lambda t: len(t) > 1),
    st.data(),
)
def test_the_archive_and_the_validator_agree(text: str, data: st.DataObject) -> None:
    """What one stores the other lets stand."""
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assert cuts_a_token(text, start, end) is cuts_token(text, start, end)


def test_what_hides_a_figure_behind_invisible_marks_is_a_cut() -> None:
    text = "Some 1" + "\u200e" * 5000 + "5 million people were affected"
    start = text.index("5 million")
    assert cuts_a_token(text, start, len(text))
    assert cuts_token(text, start, len(text))
