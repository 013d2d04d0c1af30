"""Patterns of URLs that are not followed: as in robots.txt, never a regular expression of a stranger's.

`*` stands for any characters, also none; `$` at the end for the end of the URL. A pattern that begins with `http://` or
`https://` must match from the URL's beginning, any other one anywhere within it. Letter case counts. Matching looks for
one piece after the other, each as early as it can be, so it costs at most pattern times URL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOST_PATTERNS: Final = 200
MAX_CHARACTERS: Final = 1000


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One pattern, taken apart at its stars."""

    pieces: tuple[str, ...]
    from_the_beginning: bool
    to_the_end: bool

    def matches(self, url: str) -> bool:
        """Whether a normalized URL is excluded."""
        first, *others = self.pieces
        if self.from_the_beginning and not url.startswith(first):
            return False
        position = len(first) if self.from_the_beginning else 0
        pieces = others if self.from_the_beginning else list(self.pieces)
        last = pieces.pop() if self.to_the_end and pieces else None
        for piece in pieces:
            found = url.find(piece, position)
            if found < 0:
                return False
            position = found + len(piece)
        if not self.to_the_end:
            return True
        return position == len(url) if last is None else len(url) - len(last) >= position and url.endswith(last)


@dataclass(frozen=True, slots=True)
class BadPattern:
    """Why a pattern cannot be used, in a sentence."""

    message: str


def read_exclusion(pattern: str) -> Exclusion | BadPattern:
    """One pattern as it is written down."""
    if len(pattern) > MAX_CHARACTERS:
        return BadPattern(f"the pattern has {len(pattern)} characters, {MAX_CHARACTERS} are accepted; shorten it")
    to_the_end = pattern.endswith("$")
    text = pattern.removesuffix("$")
    if not text.strip("*") or text.strip() != text:
        return BadPattern("the pattern is empty, excludes everything, or has blanks around it; write a part of a URL")
    return Exclusion(tuple(text.split("*")), text.startswith(("http://", "https://")), to_the_end)
