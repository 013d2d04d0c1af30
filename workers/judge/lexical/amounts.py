"""The amounts that a text names: value, unit, scale, in whatever digits and words. Exact: fractions, no floats.

What is ambiguous has several readings (`1.234` is a thousand here and one and a bit there), and two amounts are the
same if any of their readings is: the checker warns of what cannot be meant, not of what need not be.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Final

from workers.judge.lexical import words

MAX_DIGITS: Final = 40
MAX_AMOUNTS: Final = 500
"""Of a kind in one text: a quote with more is a table, and what stands below is not compared."""
_BLANK: Final = "[ \u00a0\u202f\u2009]"
_FIGURE: Final = re.compile(
    rf"(?P<sign>[-\u2212](?=[$€£₹₽]?\d))?(?:(?P<before>US\$|[$€£₹₽]){_BLANK}?)?"
    rf"(?P<digits>(?<!\d)[1-9]\d{{0,2}}+(?:{_BLANK}\d{{3}}(?!\d))++(?:[.,]\d++)?+(?![.,'\u2019]\d)"
    rf"|\d+(?:[.,'\u2019]\d+)*)"
)
_HAN: Final = re.compile("[〇零一二两兩三四五六七八九十百千万萬亿億兆]{2,}")
_AFTER: Final = re.compile(
    rf"[-\u2010\u2011]?{_BLANK}{{0,2}}(?P<word>[^\W\d_]+\.?|°[CFcf]|[%‰°٪％€£$円元])", re.UNICODE
)
_WIDE_GROUPS: Final = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:[\uff0c\u060c]\d{3}(?!\d))+")
_WIDE_POINT: Final = re.compile(r"(?<=\d)\uff0e(?=\d)")
_SAME: Final = str.maketrans({"\u066b": ".", "\u066c": ",", "\uff07": "'", "\uff0d": "-"})
_HAN_AFTER: Final = re.compile("[万萬亿億兆]")
_SAID: Final = re.compile(r"[^\W\d_]+", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Amount:
    """A quantity as a text names it."""

    said: frozenset[Fraction]
    """As it is said, with its scale, each way it may be read."""
    unit: str | None
    factor: Fraction
    """What a unit of it is in the base of its kind."""
    shown: str
    digits: int
    """Significant digits: how exactly it is said."""

    @property
    def readings(self) -> frozenset[Fraction]:
        """In the unit's base."""
        return frozenset(value * self.factor for value in self.said)

    def fits(self, other: Amount) -> bool:
        """Whether both may mean one quantity; where one has no unit that we know, it may have the other's."""
        if self.unit is not None and other.unit is not None:
            return self.unit == other.unit and not self.readings.isdisjoint(other.readings)
        return not (self.said | self.readings).isdisjoint(other.said | other.readings)

    def alike(self, other: Amount) -> bool:
        """Whether both have the same figure, whatever their units."""
        return not self.said.isdisjoint(other.said)


def amounts_of(text: str) -> list[Amount]:
    """In the order of the text: figures of all scripts, then number words, then Han numerals."""
    plain = _ascii_digits(text)
    figures = (amount for match in _FIGURE.finditer(plain) if (amount := _figure(plain, match)) is not None)
    return [*islice(figures, MAX_AMOUNTS), *islice(_said(plain), MAX_AMOUNTS), *islice(_han(plain), MAX_AMOUNTS)]


def is_year(amount: Amount) -> bool:
    """Whether it may be a year, which a page says once and a quote seldom again."""
    return amount.unit is None and re.fullmatch("1[0-9]{3}|20[0-9]{2}", amount.shown) is not None


def rounds_to(exact: Amount, round_: Amount) -> bool:
    """Whether `round_` is `exact` with fewer digits, of which it has two at least."""
    if round_.digits < 2 or round_.digits >= exact.digits:
        return False
    return any(_near(one, other, round_.digits) for one in exact.readings for other in round_.readings)


def _near(exact: Fraction, rounded: Fraction, digits: int) -> bool:
    """Within half a step of the last of so many significant digits."""
    if rounded == 0 or (exact < 0) != (rounded < 0):
        return False
    magnitude, step = abs(rounded), Fraction(1)
    while magnitude / step >= 10**digits:
        step *= 10
    while magnitude / step < 10 ** (digits - 1):
        step /= 10
    return abs(exact - rounded) * 2 <= step


def _ascii_digits(text: str) -> str:
    """Decimal digits of every script as those of ASCII, and the Arabic separators as ours; all else stays."""
    if text.isascii():
        return text
    out = [str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text]
    plain = _WIDE_POINT.sub(".", "".join(out).translate(_SAME))
    return _WIDE_GROUPS.sub(lambda groups: groups[0].replace("\uff0c", ",").replace("\u060c", ","), plain)


def _figure(text: str, match: re.Match[str]) -> Amount | None:
    start = match.start()
    digits = match["digits"]
    if len(digits) > MAX_DIGITS or (
        match["before"] is None and start and text[start - 1].isalpha() and _glued(text, start)
    ):
        return None  # the 2 of `H2O`
    sign = -1 if match["sign"] and not (start and (text[start - 1].isalnum() or text[start - 1] in ")]")) else 1
    unit, factor, scale = None, Fraction(1), 1
    at = match.end()
    han = _HAN_AFTER.match(text, at)
    if han:
        scale, at = words.HAN_SCALES[han[0]], han.end()
    for _ in range(2):  # a scale, then a unit: `5 million euros`
        word, end = _word_after(text, at)
        if word in words.SCALES and scale == 1 and not _is_unit_m(word, text, at):
            scale, at = words.SCALES[word], end
        elif word in words.UNITS:
            unit, factor = words.UNITS[word]
            break
    if match["before"]:
        unit, factor = words.UNITS[match["before"].casefold()]
    said = frozenset(sign * value * scale for value in _values(digits))
    if not said:
        return None  # a version or a date: `1.2.10`
    begin = match.start() if sign < 0 or not match["sign"] else match.start() + 1
    return Amount(said, unit, factor, text[begin:at].strip(), _significant(digits))


def _glued(text: str, start: int) -> bool:
    """Whether letters of a script with blanks stand right before: a formula or a name, no figure."""
    return (
        "CJK" not in unicodedata.name(text[start - 1], "CJK") and text[start - 1].casefold() != text[start - 1].upper()
    )


def _is_unit_m(word: str, text: str, at: int) -> bool:
    """`5 m` is metres, `5m` and `$5 m` are millions: too close to tell, so it is neither."""
    return word in ("m", "k") and text[at : at + 1].isspace()


def _word_after(text: str, at: int) -> tuple[str, int]:
    for phrase, word in words.PHRASES.items():
        ahead = text[at : at + len(phrase) + 1]
        if ahead.lstrip("- \u00a0\u202f").casefold() == phrase or ahead[1:].casefold() == phrase:
            return word, at + len(ahead)
    match = _AFTER.match(text, at)
    if match is None:
        return "", at
    word = match["word"].casefold()
    return (word if word in words.SCALES or word in words.UNITS else word.rstrip(".")), match.end()


def _values(digits: str) -> Iterator[Fraction]:
    """Each number that the digits may be: separators as groups where all groups have three digits, else as decimals."""
    compact = re.sub(rf"{_BLANK}|['\u2019]", "", digits)
    marks = [c for c in compact if c in ".,"]
    groups = re.split("[.,]", compact)
    grouped = len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])
    if not marks:
        yield Fraction(compact)
    elif len(marks) == 1:
        yield Fraction(".".join(groups))
        if grouped and groups[0] != "0":
            yield Fraction("".join(groups))
    elif len(set(marks)) == 1:
        if grouped:
            yield Fraction("".join(groups))
    elif marks[-1] not in marks[:-1]:  # 1,234.5 and 1.234,5
        yield Fraction("".join(groups[:-1]) + "." + groups[-1])


def _significant(digits: str) -> int:
    bare = re.sub(r"\D", "", digits).lstrip("0")
    return len(bare) if "." in digits or "," in digits else len(bare.rstrip("0")) or 1


def _said(text: str) -> Iterator[Amount]:
    """Number words, with the tens before the ones, a scale and a unit behind."""
    found = [(match[0].casefold(), match.start(), match.end()) for match in _SAID.finditer(text)]
    at = 0
    while at < len(found):
        word, start, end = found[at]
        at += 1
        if word not in words.NUMBERS:
            continue
        value = words.NUMBERS[word]
        if word in words.TENS and at < len(found) and 0 < words.NUMBERS.get(found[at][0], 0) < 10:
            value, end = value + words.NUMBERS[found[at][0]], found[at][2]
            at += 1
        unit, factor, scale = None, Fraction(1), 1
        for _ in range(2):
            behind, stop = _word_after(text, end)
            if behind in words.SCALES and len(behind) > 2:
                scale, end = scale * words.SCALES[behind], stop
            elif behind in words.UNITS:
                unit, factor = words.UNITS[behind]
                break
        yield Amount(
            frozenset({Fraction(value * scale)}), unit, factor, text[start:end], len(str(value).rstrip("0")) or 1
        )


def _han(text: str) -> Iterator[Amount]:
    """Numerals of two signs or more: one alone is most often part of a word."""
    for match in _HAN.finditer(text):
        value = _han_value(match[0])
        if value:
            yield Amount(frozenset({Fraction(value)}), None, Fraction(1), match[0], len(str(value).rstrip("0")))


def _han_value(numeral: str) -> int:
    """`三百二十万` is 3,200,000; numerals in a row are digits (`二〇二六`)."""
    if all(sign in words.HAN_DIGITS for sign in numeral):
        return int("".join(str(words.HAN_DIGITS[sign]) for sign in numeral))
    total = section = digit = 0
    for sign in numeral:
        if sign in words.HAN_DIGITS:
            digit = words.HAN_DIGITS[sign]
        elif words.HAN_SCALES[sign] < 10_000:
            section += (digit or 1) * words.HAN_SCALES[sign]
            digit = 0
        else:
            total = (total + section + digit or 1) * words.HAN_SCALES[sign]
            section = digit = 0
    return total + section + digit
