"""R088, C07, C23: what the lexical checker warns of, in several scripts, and where it is silent."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.judge.lexical.amounts import amounts_of
from workers.judge.lexical.warnings import warnings_of

QUIET = [
    ("The barrier has fourteen gates.", "The barrier consists of 14 gates of structural steel."),
    ("The valve closes in 40 ms.", "The valve closes in 40 milliseconds & is fast enough."),
    ("The tunnel is 5 km long.", "The tunnel measures 5,000 m."),
    ("Revenue was 3.2 million euros.", "Der Umsatz lag bei 3.214.567 Euro."),
    ("About 3 million people saw it.", "It was seen by 2,931,000 people."),
    ("Die Kosten betragen 1.234,50 Euro.", "It cost €1,234.50 in all."),
    ("增长了12.5%。", "销售额增长了１２.５％。"),
    ("12.5 % of them agreed.", "وافق ١٢٫٥٪ منهم."),
    ("人口为三百二十万。", "人口320万人。"),
    ("The ferry did not run.", "On Monday the ferry didn't run. Nobody was hurt."),
    ("Alpha is faster than Beta.", "In each run Alpha proved faster than Beta."),
    ("At least 10 people came.", "No fewer than 10 people came."),
    ("The WHO says that rates rose.", "The who rates rose, it said."),
    ("Williams won once more, 10-7.", "Williams won again by 10 to 7."),
    ("The rounds are 18 in long.", "Each 18-inch round costs $25,000."),
    ("It rose to 5 %.", "The rate rose from 3 % to 5 %."),
]
LOUD = [
    ("The barrier has 15 gates.", "The barrier consists of 14 gates.", "number"),
    ("The rate is -5 %.", "The rate is 5 %.", "number"),
    ("It costs 5 million euros.", "It costs 5 billion euros.", "number"),
    ("It costs $5.", "It costs €5.", "unit"),
    ("It rose by 3 percentage points.", "It rose by 3 %.", "unit"),
    ("The drug helps.", "The drug does not help.", "negation"),
    ("该药有效。", "该药无效。", "negation"),
    ("薬は効いた。", "薬は効かなかった。", "negation"),
    ("Препарат помогает.", "Препарат не помогает.", "negation"),
    ("Unemployment rose.", "Unemployment fell.", "comparison"),
    ("At most 10 people came.", "At least 10 people came.", "comparison"),
    ("Alpha is faster than Beta.", "Beta is faster than Alpha.", "comparison"),
    ("甲比乙高。", "乙比甲高。", "comparison"),
    ("GPT-4 scored 90 %.", "The model scored 90 %.", "name"),
    ("Team Alpha in Kyoto won.", "The team won in Osaka.", "name"),
]


@pytest.mark.parametrize(("claim", "quote"), QUIET, ids=[claim for claim, _ in QUIET])
def test_what_says_the_same_is_not_warned_of(claim: str, quote: str) -> None:
    """R088: who is warned of everything reads no warning."""
    assert [str(warning) for warning in warnings_of(claim, quote, quote)] == []


@pytest.mark.parametrize(("claim", "quote", "kind"), LOUD, ids=[claim + quote for claim, quote, _ in LOUD])
def test_what_says_another_thing_is_warned_of(claim: str, quote: str, kind: str) -> None:
    """C07, C23."""
    assert kind in [warning.kind for warning in warnings_of(claim, quote, quote)]


def test_a_name_or_a_year_may_stand_around_the_quote() -> None:
    """R079: a pronoun is read in its passage."""
    quote = "It has 14 gates."
    assert warnings_of("The Harrow Barrier has 14 gates.", quote, f"The Harrow Barrier is new. {quote}") == []
    assert warnings_of("In 2018 it had 14 gates.", quote, f"Updated May 7, 2018. {quote}") == []
    assert warnings_of("In 2018 it had 14 gates.", quote, f"Updated May 7, 2019. {quote}") != []


@settings(deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_it_reads_whatever_a_page_says(claim: str, quote: str) -> None:
    """R088: no text makes it fail, and a quote bears out itself."""
    warnings_of(claim, quote, quote)
    assert all(a.fits(a) for a in amounts_of(quote))
    assert [w for w in warnings_of(quote, quote, quote) if w.kind in ("number", "unit", "name")] == []


@settings(deadline=None)
@given(st.integers(0, 10**12), st.sampled_from("٠०௦０"))
def test_digits_of_all_scripts_are_one(number: int, zero: str) -> None:
    """C23: a figure in other digits is the same figure."""
    other = "".join(chr(ord(zero) + int(digit)) for digit in str(number))
    assert warnings_of(f"It was {number}.", f"It was {other}.", other) == []
