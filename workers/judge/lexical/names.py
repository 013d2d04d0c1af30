"""Names in a claim: runs of capitalised words, abbreviations, and words with digits. A guess, from spelling alone.

What begins a sentence is a name only where its spelling says so by itself. In German every noun is capitalised, so
there only abbreviations and words with digits are taken. Scripts without capitals give names by quotation marks alone.
"""

from __future__ import annotations

import re
from typing import Final

from workers.judge.lexical.words import SCALES, UNITS

_TOKEN: Final = re.compile(r"[^\W_]+(?:[-\u2010\u2011'\u2019.&][^\W_]+)*", re.UNICODE)
_NEAR: Final = 12
_STARTS: Final = re.compile(r"(?:^|[.!?:;\u2026。！？\n])\s*[\"'“‘(]*$")
_QUOTED: Final = re.compile(r"[「『《〈]([^」』》〉]{1,40})[」』》〉]")
_GERMAN: Final = frozenset({"der", "das", "Das", "Der", "Die", "und", "ist", "eine", "wird", "werden", "nicht"})
_NO_NAMES: Final = frozenset(
    {"I", "The", "A", "An", "This", "That", "These", "Those", "It", "He", "She", "They", "We", "You", "In", "On", "At"}
)


def names_of(text: str) -> list[str]:
    """Each name once, in order, as it is spelt."""
    tokens = [(match[0], match.start()) for match in _TOKEN.finditer(text)]
    german = not _GERMAN.isdisjoint(token for token, _ in tokens)
    found: list[str] = []
    for place, (token, start) in enumerate(tokens):
        if not _is_marked(token) and not (token[:1].isupper() and not german and token not in _NO_NAMES):
            continue
        if token.casefold() in UNITS or token.casefold() in SCALES:
            continue
        first = _begins(text, start)
        followed = place + 1 < len(tokens) and tokens[place + 1][0][:1].isupper()
        if first and not _is_marked(token) and not followed:
            continue
        found.append(token)
    found += [match[1] for match in _QUOTED.finditer(text)]
    return list(dict.fromkeys(found))


def missing_names(claim: str, passage: str) -> list[str]:
    """Names of the claim that the passage does not have, in any letter case and without a genitive's ending."""
    folded = _plain(passage)
    return [name for name in names_of(claim) if _stem(_plain(name)) not in folded]


def _begins(text: str, start: int) -> bool:
    """Whether a sentence begins there; only what stands right before is looked at."""
    before = text[max(0, start - _NEAR) : start]
    return _STARTS.search(before if start <= _NEAR else "x" + before) is not None


def _is_marked(token: str) -> bool:
    """Spelt as no common word is: `WHO`, `GPT-4`, `SeaweedFS`."""
    letters = [c for c in token if c.isalpha()]
    digits = any(c.isdigit() for c in token)
    capitals = sum(c.isupper() for c in letters)
    return (digits and capitals > 0) or (
        capitals > 1 and len(letters) > 1 and (token.isupper() or token[1:] != token[1:].lower())
    )


def _plain(text: str) -> str:
    return re.sub("[\u2010\u2011]", "-", text.casefold().replace("\u2019", "'"))


def _stem(name: str) -> str:
    return name.removesuffix("'s")
