"""What of a page stands in the place of a quote's first and last words, where these are others. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from schemas.citations.sentences import ENDS
from workers.cite.tokens import WORDS, is_in_runs

_STOPS: Final = ".!?\u2026"
MOST_WORDS: Final = 40
"""Of a quote's end whose place is shown."""
_ENDING: Final = 6
"""Letters more than were lost, where words are written onto each other: of `ます` the page may have made `ません`."""


def within_sentence(
    pieces: Sequence[str], alike: tuple[int, int], lost: tuple[int, int], within: tuple[int, int]
) -> tuple[int, int]:
    """Pieces of a page from the first to the last, given those which are alike: with as many words before and behind as
    the quote lost there, but of the same sentence, and of `within`."""
    first, last = alike
    begin = _reach([pieces[at] for at in range(first - 1, within[0] - 1, -1)], lost[0], before=True)
    end = _reach(pieces[last : within[1]], lost[1], before=False)
    return first - begin, last + end


def _reach(pieces: Sequence[str], words: int, *, before: bool) -> int:
    """How many of the next pieces: the last is a word."""
    left, ending, reached = min(words, MOST_WORDS), _ENDING if words and not before else 0, 0
    for number, piece in enumerate(pieces):
        beside = pieces[number - 1 : number] if before else pieces[number + 1 : number + 2]
        if _ends_sentence(piece, beside[0] if beside else " "):
            break
        word = WORDS.match(piece) is not None
        if left <= 0:
            if not ending or not is_in_runs(piece):
                break
            ending -= 1
        left -= word
        reached = number + 1 if word else reached
    return reached


def _ends_sentence(piece: str, behind: str) -> bool:
    return piece in ENDS or "\n" in piece or (piece in _STOPS and behind.isspace())
