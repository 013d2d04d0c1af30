"""Which way a sentence goes: whether it denies, whether more or less of something, and what is compared with what."""

from __future__ import annotations

import re
from typing import Final

from workers.judge.lexical import words

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)*", re.UNICODE)
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]*(?:[.!?](?=\S)[^.!?。！？\n]*)*[.!?。！？\n]?")
_CONTENT: Final = 4
"""Letters of a word that says something; in scripts without blanks pairs of signs are compared instead."""
MORE, LESS = "more", "less"


def words_of(text: str) -> list[str]:
    """Case-folded, with their apostrophes."""
    return [match[0].casefold() for match in _WORD.finditer(text)]


def negations_of(text: str) -> list[str]:
    """What denies something in a text, as it stands there."""
    found = [w for w in words_of(text) if w in words.NEGATIONS or w.endswith(words.NEGATED_ENDINGS)]
    rest = text
    for harmless in words.NO_NEGATIONS:
        rest = rest.replace(harmless, "")
    for phrase in ("not only", "no less than", "no fewer than", "no more than", "nicht nur", "non seulement"):
        if phrase in rest.casefold():
            found = [w for w in found if w != phrase.split()[0]]
    return found + [within for within in words.NEGATIONS_WITHIN if within in rest]


def directions_of(text: str) -> frozenset[str]:
    """`more`, `less`, both or neither."""
    folded = text.casefold()
    said = set(words_of(text))
    up = not said.isdisjoint(words.MORE) or any(w in text for w in words.MORE_WITHIN)
    down = not said.isdisjoint(words.LESS) or any(w in text for w in words.LESS_WITHIN)
    for phrase in words.AT_LEAST:
        if phrase in folded:
            up, down = True, down and phrase.split()[-1] != "than"
    for phrase in words.AT_MOST:
        if phrase in folded:
            up, down = up and phrase.split()[-1] != "than", True
    up, down = up or any(c in text for c in ">≥⩾＞"), down or any(c in text for c in "<≤⩽＜")
    return frozenset(name for name, there in ((MORE, up), (LESS, down)) if there)


def compared(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """What stands before `than` and after it, as words that say something (around 比 as signs); None where nothing is
    compared."""
    at = text.find("比")
    if at > 0 and "比例" not in text and "百分比" not in text:
        return frozenset(text[:at]), frozenset(text[at + 1 :])
    for match in _WORD.finditer(text):
        if match[0].casefold() in words.THAN and directions_of(text[: match.start()]):
            return content_of(text[: match.start()]), content_of(text[match.end() :])
    return None


def content_of(text: str) -> frozenset[str]:
    """Stems of words that say something, and pairs of signs in scripts without blanks."""
    found = set()
    for word in words_of(text):
        if word.isascii() or not _is_spaceless(word):
            if len(word) >= _CONTENT or word[0].isdigit():
                found.add(word[:6])
        else:
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    return frozenset(found - words.MORE - words.LESS)


def nearest_sentence(claim: str, quote: str) -> str:
    """The sentence of a quote that has most in common with the claim; of equals the first."""
    wanted = content_of(claim)
    sentences = [match[0].strip() for match in _SENTENCE.finditer(quote) if match[0].strip()]
    return max(sentences, key=lambda sentence: len(wanted & content_of(sentence)), default=quote)


def _is_spaceless(word: str) -> bool:
    return any("\u0e00" <= c <= "\u0eff" or "\u1000" <= c <= "\u109f" or "\u3040" <= c <= "\u9fff" for c in word)
