"""Whether a place lies within a word or figure: our own reading of the tables that the archive uses too (C19, C23).

From every character shortly before the place the units that could begin there are followed, letter by letter; the
place is inside when one of them ends behind it. Invisible characters and combining marks are left out first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from schemas.scales import PARTED
from schemas.text_v1 import holding as known
from validator.characters import among, category, digit, is_hangul, katakana, letter, money, unseen, word

REACH: Final = 24
MOST_UNSEEN: Final = 256
LONGEST: Final = 16
"""How far before a place a unit may begin that reaches over it."""
END: Final = "\0"
_PLAIN: Final = re.compile(rf"[A-Za-z ,.;\n]{{{2 * REACH}}}")
_DECIMAL: Final = re.compile(r"\d|分")
_BLANKS: Final = known.GROUP_BLANKS + known.OTHER_BLANKS
_LINES: Final = "\n\r\x0b\x0c\x85\u2028\u2029"
_SIGNS: Final = known.HYPHENS + known.DASHES + known.PLUS
_LINKS: Final = known.HYPHENS + known.APOSTROPHES + known.SLASHES + "_"


def holds(text: str, at: int) -> bool:
    """Whether the place before `text[at]` lies within a unit. Among letters and blanks alone, as nearly everywhere,
    words are the only units."""
    if at >= REACH and _PLAIN.match(text, at - REACH):
        return text[at - 1].isalpha() and text[at].isalpha()
    return holds_by_rules(text, at)


def holds_by_rules(text: str, at: int) -> bool:
    """The same by all the rules, whatever stands there."""
    if _marked(text, at):
        return True
    if _within_syllable(text, at):
        return True
    left, right = seen_before(text, at), seen_after(text, at)
    if not left or not right:
        return not (at <= MOST_UNSEEN if not left else len(text) - at <= MOST_UNSEEN)
    around = ("\n" if len(left) < REACH else "") + left + right + END * 40
    place = len(around) - 40 - len(right)
    return any(end > place for start in range(max(0, place - LONGEST), place) for end in _ends(around, start))


def _ends(s: str, i: int) -> Iterator[int]:
    """Where the units that begin at `i` end."""
    first, second = s[i], s[i + 1]
    before = s[i - 1] if i else "\n"
    if word(first):
        yield from _word_ends(s, i)
    if digit(first):
        yield from _figure_ends(s, i)
    if (digit(first) or first in known.HAN_NUMERALS) and (digit(second) or second in known.HAN_NUMERALS):
        yield i + 2
    if first in known.COMPARATORS + known.TOLERANCES:
        yield _prefixed(s, _over(s, i + 1, lines=True))
    if money(first):
        yield _prefixed(s, _over(s, i + 1))
    if first in _SIGNS and not word(before):
        listed = before in _LINES or (before in known.GROUP_BLANKS and i > 1 and s[i - 2] in _LINES)
        if not (listed and second in _BLANKS):
            yield _prefixed(s, _over(s, i + 1))
    if first in known.SHARES and digit(second):
        further = s[i - 2] if i > 1 and before in _BLANKS else before
        if not digit(further):
            yield i + 2
    if first in known.POINTS and digit(second) and _opens(before):
        yield i + 2
    if second in known.POWERS and (word(first) or first in ")]"):
        j = i + 2 + (s[i + 2] in _SIGNS + "([")
        if word(s[j]):
            yield j + 1
    if first == "!" and second in known.COMPARATORS:
        yield i + 2
    if katakana(first) and katakana(second):
        yield i + 2
    if first in known.ORDINALS and (digit(second) or second in known.HAN_NUMERALS):
        yield i + 2
    if first in known.RAISED_SIGNS and _no_decimal(second):
        yield i + 2


def _word_ends(s: str, i: int) -> Iterator[int]:
    second, third = s[i + 1], s[i + 2]
    if word(second) or second in known.RAISED_SIGNS:
        yield i + 2
    if second in _LINKS and word(third):
        yield i + 3
    if not letter(s[i]):
        return
    if second in known.HYPHENS:
        j = i + 2 + (third in known.GROUP_BLANKS)
        if s[j] in _LINES:
            j += 1 + (s[j + 1] in known.GROUP_BLANKS)
            if letter(s[j]) and (category(s[j]) != "Lu" or s[j] in "EX"):
                yield j + 1
    if not is_hangul(s[i]) and money(second):
        j = _over(s, i + 2)
        if digit(s[j]):
            yield j + 1


def _figure_ends(s: str, i: int) -> Iterator[int]:
    second, third = s[i + 1], s[i + 2]
    if second in known.POINTS + known.APOSTROPHES + known.SLASHES and digit(third):
        yield i + 3
    if second in "eE" and third in _SIGNS and digit(s[i + 3]):
        yield i + 4
    if second in known.PLUS or second in known.PRIMES or money(second):
        yield i + 2
    j = _over(s, i + 1, lines=True)
    if s[j] in known.SHARES:
        yield j + 1
    j = _over(s, i + 1)
    if s[j] in known.SHARES and letter(s[j + 1]):
        yield j + 2
    if j == i + 2 and _no_decimal(s[j]):
        yield j + 1
    if s[j] in known.TIMES + "xX":
        k = _over(s, j + 1)
        if digit(s[k]):
            yield k + 1
    if s[j] in _SIGNS + known.TOLERANCES:
        k = _over(s, j + 1)
        k += money(s[k])
        k += s[k] in known.POINTS
        if digit(s[k]):
            yield k + 1
    if money(s[j]):
        k = _over(s, j + 1)
        k += s[k] in known.POINTS
        if not digit(s[k]):
            yield j + 1
    yield _grouped(s, i)
    yield _mixed(s, i)


def _no_decimal(character: str) -> bool:
    """Whether it is a numeral such as `½` or `²`; `〇` is an ideograph."""
    return digit(character) and category(character) != "Nd"


def _grouped(s: str, i: int) -> int:
    """The end of `1 500` from its first digit; `i` where it is none."""
    if category(s[i]) != "Nd" or (i and category(s[i - 1]) == "Nd"):
        return i
    j = i
    while category(s[j]) == "Nd":
        j += 1
    if j - i > 3 or s[j] not in known.GROUP_BLANKS:
        return i
    group = [category(character) == "Nd" for character in s[j + 1 : j + 5]]
    return j + 4 if group == [True, True, True, False] else i


def _mixed(s: str, i: int) -> int:
    """The end of the first digit below the line of `1 1/2`; 0 where it is none."""
    j = i + 2
    while category(s[j]) == "Nd" and j < i + 4:
        j += 1
    mixed = category(s[i]) == "Nd" and s[i + 1] in known.GROUP_BLANKS and j > i + 2
    return j + 2 if mixed and s[j] in known.SLASHES and category(s[j + 1]) == "Nd" else 0


def _prefixed(s: str, i: int) -> int:
    """The end of the first digit of a figure with all that may stand before it; 0 where there is no figure."""
    while s[i] in _SIGNS + known.TOLERANCES + known.SHARES + known.COMPARATORS or money(s[i]):
        i = _over(s, i + 1)
        if s[i] == END:
            return 0
    i += s[i] in known.POINTS
    return i + 1 if digit(s[i]) else 0


def _over(s: str, i: int, *, lines: bool = False) -> int:
    """The place behind up to three blanks, if any are there."""
    blanks = _BLANKS + _LINES if lines else _BLANKS
    for _ in range(3):
        i += s[i] in blanks
    return i


def _opens(before: str) -> bool:
    return before in _BLANKS + _LINES + _SIGNS + "([" + known.COMPARATORS or money(before)


def seen_before(text: str, at: int) -> str:
    """The last visible characters before a place, their marks left out."""
    near = text[max(0, at - REACH) : at]
    if near.isascii():  # no mark and nothing unseen is among these
        return near
    return _first_seen(text[max(0, at - REACH - MOST_UNSEEN) : at][::-1])[::-1]


def seen_after(text: str, at: int) -> str:
    """The next visible characters after a place, their marks left out."""
    near = text[at : at + REACH]
    return near if near.isascii() else _first_seen(text[at : at + REACH + MOST_UNSEEN])


def _first_seen(text: str) -> str:
    found = ""
    for place, character in enumerate(text):
        if len(found) == REACH or place - len(found) > MOST_UNSEEN:
            break
        if not unseen(character):
            found += character
    return found


def _marked(text: str, at: int) -> bool:
    for character in text[at : at + MOST_UNSEEN]:
        if category(character) == "Cf" or any(a <= ord(character) <= b for a, b in known.SELECTORS):
            continue
        return category(character)[0] == "M"
    return False


def parts_number_words(text: str, at: int) -> bool:
    """Whether a figure is on the one side of the place, and its `million` or `per cent` on the other or across it."""
    if not _DECIMAL.search(text, max(0, at - REACH), at + REACH):
        return False
    return parts_by_rules(text, at)


def parts_by_rules(text: str, at: int) -> bool:
    """The same by all the rules, whether there is a figure or not."""
    left, right = shown(text[max(0, at - REACH) : at]), shown(text[at : at + REACH])
    around = left + right
    for i in range(len(left)):
        j = i + 1
        while around[j : j + 1].isspace() and around[j] != "\n" and j < i + 4:
            j += 1
        if category(around[i]) != "Nd" or j == i + 1:
            continue
        word, end = _word_at(around, j)
        if word in known.NUMBER_WORDS and end > len(left):
            return True
        if around[j:end] in known.CURRENCY_CODES and end > len(left) and not _figure_follows(around, end):
            return True
    if _parts_bracketed(around, len(left)):
        return True
    if any(amount.start() < len(left) < amount.end() for amount in PARTED.finditer(around)):
        return True
    return any(
        _figure_follows(around, begin + len(code)) > len(left) and not (begin and _wordlike(around[begin - 1]))
        for code in known.CURRENCY_CODES
        if code in around
        for begin in range(max(0, len(left) - len(code) - 3), len(left))
        if around.startswith(code, begin)
    )


def _word_at(around: str, at: int) -> tuple[str, int]:
    """The word that begins there, case-folded, with the second of `per cent`, and its end."""
    end = at
    while end < len(around) and _wordlike(around[end]):
        end += 1
    word = around[at:end].casefold()
    if word in ("per", "pour", "por") and around[end : end + 1] == " ":
        for tail in ("cent", "mille", "ciento", "cento"):
            whole = end + 1 + len(tail)
            if around[end + 1 : whole].casefold() == tail and not _wordlike(around[whole : whole + 1] or END):
                return f"{word} {tail}", whole
    return word, end


def _parts_bracketed(around: str, edge: int) -> bool:
    """Whether the place is within a figure in brackets and the share or number word behind it: `(5) million`."""
    ended = around + END
    for begin in range(edge):
        if ended[begin] not in "([" or (begin and _wordlike(ended[begin - 1])):
            continue
        j = begin + 1
        j += ended[j] in _SIGNS
        digits = j
        while j < digits + 15 and (category(ended[j]) == "Nd" or (j > digits and ended[j] in ".,")):
            j += 1
        if j == digits or ended[j] not in ")]":
            continue
        closed = k = j + 1
        while k < closed + 3 and ended[k].isspace() and ended[k] != "\n":
            k += 1
        word, end = _word_at(around, k)
        if ended[k] in known.SHARES:
            end = k + 1
        elif k == closed or word not in known.NUMBER_WORDS:
            continue
        if end > edge:
            return True
    return False


def _figure_follows(around: str, at: int) -> int:
    """The end of the first digit behind one to three blanks; 0 where there is none."""
    j = at
    while around[j : j + 1].isspace() and around[j] != "\n" and j < at + 3:
        j += 1
    return j + 1 if j > at and category(around[j : j + 1] or END) == "Nd" else 0


def _wordlike(character: str) -> bool:
    return character.isalnum() or character == "_"


def shown(text: str) -> str:
    return text if text.isascii() else "".join(c for c in text if category(c) != "Cf")


def counted_after(text: str, at: int) -> bool:
    """Whether a digit ends at the place and an ideograph goes on: what the figure counts."""
    left, right = seen_before(text, at)[-1:], seen_after(text, at)[:1]
    return bool(left and right) and category(left) == "Nd" and among(right, known.HAN)


def _within_syllable(text: str, at: int) -> bool:
    """Whether a letter and a sign of its syllable, or the letters of one, are on different sides of the place."""
    before, after = shown(text[max(0, at - REACH) : at]), shown(text[at : at + REACH])
    if not before or not after or category(before[-1])[0] not in "LM" or category(after[0])[0] != "L":
        return False
    last = len(before) - 1
    while last > 0 and before[last] in known.TONES:
        last -= 1
    if before[last] in known.STACKERS + known.SYLLABLE_OPENERS or after[0] in known.SYLLABLE_CLOSERS:
        return True
    for mark in after[1:5]:
        if category(mark)[0] != "M":
            return False
        if mark in known.SILENCERS:
            return True
    return False


def noun_ends(text: str, at: int) -> bool:
    """Whether what is left of a Korean word behind the place is but a particle."""
    right = seen_after(text, at)
    rest = ""
    for character in right:
        if not is_hangul(character):
            if character.isalnum():
                return False
            break
        rest += character
    left = seen_before(text, at)
    if rest in known.HANGUL_MEASURES and left.rstrip(known.HANGUL_STEPS)[-1:].isdecimal():
        return False
    return bool(left) and rest in known.HANGUL_PARTICLES
