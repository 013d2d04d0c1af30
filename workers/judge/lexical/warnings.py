"""`lexical@1`: what in a claim its quote does not bear out, word by word. Each warning is for a person to look at; none
is a judgement, and silence means nothing either."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from workers.judge.lexical import words
from workers.judge.lexical.amounts import Amount, amounts_of, is_year, rounds_to
from workers.judge.lexical.names import missing_names
from workers.judge.lexical.sense import compared, directions_of, nearest_sentence, negations_of, words_of

WarningKind = Literal["number", "unit", "negation", "comparison", "name"]
MAX_CHARS = 50_000
"""Of a quote that is compared; what is longer is told, and not compared."""
_SEVERAL = re.compile(r"[1-9]\d{0,2}(?: [1-9]\d{2})+")


@dataclass(frozen=True, slots=True)
class LexicalWarning:
    """What differs, in words for a person."""

    kind: WarningKind
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}"


def warnings_of(claim: str, quote: str, passage: str) -> list[LexicalWarning]:
    """Of a claim and its quote. `passage`: the quote with its surroundings, where what a pronoun names may stand."""
    if len(claim) + len(quote) > MAX_CHARS:
        return [
            LexicalWarning("number", f"claim and quote are longer than {MAX_CHARS} characters; nothing was compared")
        ]
    nearest = nearest_sentence(claim, quote)
    return [
        *_numbers(claim, quote, passage),
        *_negation(claim, nearest),
        *_comparison(claim, nearest),
        *_names(claim, passage),
    ]


def _numbers(claim: str, quote: str, passage: str) -> list[LexicalWarning]:
    said, claimed = amounts_of(quote), amounts_of(claim)
    said += [part for one in said for part in _apart(one, claimed)]
    about = not {*words_of(claim)}.isdisjoint(words.ABOUT)
    found: dict[LexicalWarning, None] = {}
    for amount in claimed:
        if any(_says(other, amount, about) for other in said) or _is_in(amount, passage) or _apart(amount, said):
            continue
        units = sorted({str(other.unit) for other in said if other.alike(amount)})
        if units:
            what = f"the claim's {amount.shown} is in {amount.unit}, the quote's in {', '.join(units)}"
            found[LexicalWarning("unit", what)] = None
        else:
            shown = ", ".join(other.shown for other in said[:6]) or "no figure"
            found[LexicalWarning("number", f"the claim says {amount.shown}, the quote {shown}")] = None
    return list(found)


def _apart(amount: Amount, others: list[Amount]) -> list[Amount]:
    """What `12 345` is as several figures, where the other text has each of them; else nothing."""
    if _SEVERAL.fullmatch(amount.shown) is None:
        return []
    parts = [part for figure in amount.shown.split(" ") for part in amounts_of(figure)]
    return parts if all(any(part.alike(other) for other in others) for part in parts) else []


def _is_in(amount: Amount, passage: str) -> bool:
    """Whether it may be a year, and the passage names it."""
    return is_year(amount) and re.search(rf"(?<!\d){amount.shown}(?!\d)", passage) is not None


def _says(other: Amount, amount: Amount, about: bool) -> bool:
    """Whether the quote's amount bears the claim's out; `about`: the claim says that it may be rounded."""
    if other.fits(amount):
        return True
    if None not in (amount.unit, other.unit) and amount.unit != other.unit:
        return False
    return rounds_to(other, amount) or (about and _close(other, amount))


def _close(one: Amount, other: Amount) -> bool:
    """Within a tenth."""
    return any(abs(a - b) * 10 <= abs(b) for a in one.readings for b in other.readings)


def _negation(claim: str, quote: str) -> list[LexicalWarning]:
    mine, theirs = negations_of(claim), negations_of(quote)
    if bool(mine) == bool(theirs):
        return []
    where, word = ("claim", mine[0]) if mine else ("quote", theirs[0])
    return [LexicalWarning("negation", f"only the {where} denies something ({word})")]


def _comparison(claim: str, quote: str) -> list[LexicalWarning]:
    mine, theirs = directions_of(claim), directions_of(quote)
    if mine and theirs and mine.isdisjoint(theirs):
        return [LexicalWarning("comparison", f"the claim says {_one(mine)}, the quote {_one(theirs)}")]
    ours, others = compared(claim), compared(quote)
    if mine == theirs and ours is not None and others is not None:
        mine_alone, theirs_alone = ours[0] - others[0], others[0] - ours[0]
        if mine_alone & others[1] and theirs_alone & ours[1]:
            return [LexicalWarning("comparison", "the quote compares the two the other way round")]
    return []


def _one(directions: frozenset[str]) -> str:
    return " and ".join(sorted(directions))


def _names(claim: str, passage: str) -> list[LexicalWarning]:
    missing = missing_names(claim, passage)
    if not missing:
        return []
    return [LexicalWarning("name", f"neither the quote nor what stands around it has {', '.join(missing[:6])}")]
