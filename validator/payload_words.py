"""Whether a quote's words stand in the decoded payload, in their order: the check that does not trust the extractor.

Compared are letters and digits only, case-folded, since markup, blanks, hyphens and quotation marks
are what extraction may change. It cannot tell `<` from `>` or a lost sign; those are bound by the text's
digest. It does tell a word that was dropped, added or moved.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from typing import Final

from validator.charset import readings
from validator.markup import SEAM, read_markup
from validator.pieces import Pieces, read_pieces, stands_in_pieces
from validator.words import word_pattern

MAX_GAP: Final = 12
"""Words that may stand between two of the quote's in a scattered match: a footnote mark, a caption's few words."""
MAX_LINES: Final = 50
"""Lines of a quote that are looked for one by one: each may cost what a whole quote costs."""
_DRAWN = re.compile(r"[|\-\s]+")
"""Signs that extraction draws itself: between the cells of a table, under its head, before an item of a list."""
_MARKUP: Final = frozenset({"text/html", "text/xml", "application/xml"})
_BINARY = re.compile(rb"\A(?!\xff\xfe|\xfe\xff)(?=.*[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f])", re.DOTALL)
"""A control that no text has, where no byte-order mark says UTF-16."""


class Match(Enum):
    """How the words were found."""

    ADJACENT = "adjacent"
    SCATTERED = "scattered"
    ABSENT = "absent"


class PayloadWords:
    """The words of one payload, in each way it may be read. `texts` may hold seams."""

    def __init__(self, texts: list[str], sources: Sequence[str] = ()) -> None:
        """`sources`: the documents with all of their markup, for what may stand in attributes."""
        self._seamed = texts
        self._sources = sources
        whole = [text.replace(SEAM, "") for text in texts]
        self._words = [_words(text) for text in whole]
        self._letters = ["".join(words) for words in self._words]
        self._raw = [_DRAWN.sub("", text) for text in whole]

    def find(self, quote: str) -> Match:
        """Where the quote's words are: next to each other, with others between them, or not there."""
        words = _words(quote)
        if not words:
            return self._find_signs(quote)
        letters = "".join(words)
        if any(letters in text for text in self._letters):
            return Match.ADJACENT
        if any(_scattered(words, text) for text in self._words):
            return Match.SCATTERED
        if any(stands_in_pieces(letters, text) for text in self._pieces):
            return Match.SCATTERED
        lines = [line for line in quote.split("\n") if word_pattern().search(line)]
        if 1 < len(lines) <= MAX_LINES and all(self.find(line) is not Match.ABSENT for line in lines):
            return Match.SCATTERED  # blocks of a page may come in another order than its source has them
        return Match.ABSENT

    def says_of_itself(self, value: str) -> bool:
        """Whether the words of a title or name stand in the document, be it in its markup (`meta`, attributes)."""
        letters = "".join(_words(value))
        return bool(letters) and (
            any(letters in text for text in self._letters) or any(letters in text for text in self._marked)
        )

    @cached_property
    def _marked(self) -> list[str]:
        return ["".join(_words(html.unescape(source))) for source in self._sources]

    def _find_signs(self, quote: str) -> Match:
        """A quote without words: its signs, but for those that extraction draws."""
        signs = _DRAWN.sub("", quote)
        if any(signs in raw for raw in self._raw):
            return Match.ADJACENT
        if any(set(signs) <= set(raw) for raw in self._raw):
            return Match.SCATTERED
        return Match.ABSENT

    @cached_property
    def _pieces(self) -> list[Pieces]:
        return [read_pieces(_folded(text)) for text in self._seamed if SEAM in text]


def read_words(data: bytes, content_type: str | None, charset: str | None) -> PayloadWords | str:
    """The payload's words, or a sentence that says why this program cannot read any.

    `content_type`: all fields of that name, joined by commas. Where they name several types, or none, the words
    may stand in any reading: which one a browser takes is no question of whether they are there.
    """
    types = _types(content_type or "")
    is_markup = any(_is_markup(name) for name in types) or (not types and b"<" in data)
    is_text = any(_is_text(name) for name in types) or (not types and not _BINARY.search(data[:1024]))
    if not (is_markup or is_text):
        return ", ".join(types) or "no media type"
    texts = readings(data, charset)
    if not texts:
        return "a charset that is not known here"
    plain = [text.replace(SEAM, "") for text in texts] if is_text else []
    if not is_markup:
        return PayloadWords(plain)
    found = [read_markup(text, xml=any(name.endswith("xml") for name in types)) for text in texts]
    linked = [m.linked_data.replace(SEAM, "") for m in found if m.linked_data]
    # A text in linked data may be markup itself, with its character references as text.
    inner = [read_markup(html.unescape(text)).seamed for text in linked]
    return PayloadWords([m.seamed for m in found] + linked + inner + plain, texts)


def _types(content_type: str) -> list[str]:
    """Media types in lower case; what names no type, or any, is left out."""
    names = (value.partition(";")[0].strip().lower() for value in content_type.split(","))
    return [name for name in names if re.fullmatch(r"[^/\s]+/[^/\s]+", name) and name != "*/*"]


def _is_markup(name: str) -> bool:
    return name in _MARKUP or name.endswith("+xml")


def _is_text(name: str) -> bool:
    return (name.startswith("text/") and name not in _MARKUP) or name == "application/json" or name.endswith("+json")


def _words(text: str) -> list[str]:
    return word_pattern().findall(_folded(text))


def _folded(text: str) -> str:
    """What is compared: composed characters without case."""
    return unicodedata.normalize("NFC", text).casefold()


def _scattered(words: list[str], text: list[str]) -> bool:
    """Whether the words follow each other with at most `MAX_GAP` others between two of them.

    All places that each word can have are carried along, so the answer does not hang on the first choice.
    """
    wanted = set(words)
    places: dict[str, list[int]] = {word: [] for word in wanted}
    for index, word in enumerate(text):
        if word in wanted:
            places[word].append(index)
    reachable = places[words[0]]
    for word in words[1:]:
        following: list[int] = []
        for place in places[word]:
            before = bisect_left(reachable, place)
            if before and place - reachable[before - 1] <= MAX_GAP + 1:
                following.append(place)
        reachable = following
        if not reachable:
            return False
    return bool(reachable)
