"""Passages that are like a quote which is not there, each with a word diff: for messages, never for a match.

Bounded, whatever the text: the quote's most telling words are searched for at the speed of `str.find`, their
places vote for windows, and only the best few windows, cut to some hundred pieces, are compared piece by piece.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from schemas.citations.sentences import ENDS
from workers.cite.folding import respelled
from workers.cite.in_place import within_sentence
from workers.cite.tokens import PIECES, WORDS, is_spaceless, words_in
from workers.cite.word_diff import bounded, word_diff

MAX_PASSAGES = 3
MAX_PROBES = 24
MAX_HITS = 50  # places of one probe; a word with more of them says little
PROBE_CHARS = 12
SPACELESS_PROBE_CHARS = 4
MIN_PROBE_CHARS = 3
MAX_PIECES = 500  # a letter is one in a script without blanks; 500 x 1000 stay below a tenth of a second
MAX_WINDOW = 2_000
MIN_SIMILARITY_PPM = 300_000
_NARROW: Final = {0xFF10 + digit: 0x30 + digit for digit in range(10)}
_CHANCE: Final = 0.3
"""Of a sentence of the quote, so much is in one before or behind by chance: `た` and `の` are everywhere."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of the text and how the quote differs from it: `[-only in the quote-]{+only in the text+}`."""

    start: int
    end: int
    similarity_ppm: int
    diff: str
    why: str


def cut_passage(text: str, start: int, end: int) -> Passage:
    """A place where the quote does stand, but cut within a word or number."""
    left, right = max(0, start - 16), min(len(text), end + 16)
    return Passage(
        start, end, 1_000_000, bounded(text[left:right]), "the quote begins or ends within a word or number here"
    )


def nearest_passages(text: str, quote: str) -> tuple[Passage, ...]:
    """At most three passages, the most alike first; those below a similarity of 0.3 are left out."""
    wanted = PIECES.findall(quote[:MAX_WINDOW])[:MAX_PIECES]
    found: list[Passage] = []
    for start in _windows(text, quote):
        if any(abs(start - other.start) < len(quote) for other in found):
            continue
        passage = _compare(text, start, wanted, len(quote))
        if passage.similarity_ppm >= MIN_SIMILARITY_PPM:
            found.append(passage)
    return tuple(sorted(found, key=lambda passage: (-passage.similarity_ppm, passage.start)))


def _windows(text: str, quote: str) -> list[int]:
    """Where passages like the quote may begin, by votes of its words; the likeliest first."""
    haystack, needle = _folded(text), _folded(quote[:MAX_WINDOW])
    votes: list[tuple[int, int, float]] = []
    for number, (offset, probe) in enumerate(_probes(needle)):
        places = _places(haystack, probe)
        votes += [(max(0, place - offset), number, len(probe) / len(places)) for place in places]
    votes.sort()
    reach = max(40, len(needle) // 4)
    scored: list[tuple[float, int]] = []
    for at, (start, _, _) in enumerate(votes):
        best: dict[int, float] = {}
        agreed: dict[int, float] = {}
        for other, number, weight in votes[at : at + 4 * MAX_PROBES]:
            if other - start > reach:
                break
            best[number] = max(best.get(number, 0.0), weight)
            agreed[other] = agreed.get(other, 0.0) + weight
        scored.append((-sum(best.values()), max(agreed, key=agreed.__getitem__)))  # where most words begin it
    chosen: list[int] = []
    for _, start in sorted(scored):
        if all(abs(start - other) > reach for other in chosen):
            chosen.append(start)
        if len(chosen) == MAX_PASSAGES:
            break
    return chosen


def _probes(needle: str) -> list[tuple[int, str]]:
    """The longest distinct words of the quote with their offsets; of a script without spaces, pieces of runs."""
    probes: dict[str, int] = {}
    for word in WORDS.finditer(needle):
        size = SPACELESS_PROBE_CHARS if any(map(is_spaceless, word[0][:PROBE_CHARS])) else PROBE_CHARS
        for offset in range(0, len(word[0]), size):
            piece = word[0][offset : offset + size]
            if len(piece) >= MIN_PROBE_CHARS or is_spaceless(piece[0]):
                probes.setdefault(piece, word.start() + offset)
    ranked = sorted(probes.items(), key=lambda item: (-len(item[0]), item[1]))
    return [(offset, probe) for probe, offset in ranked[:MAX_PROBES]]


def _places(haystack: str, probe: str) -> list[int]:
    places: list[int] = []
    at = haystack.find(probe)
    while at >= 0 and len(places) < MAX_HITS:
        places.append(at)
        at = haystack.find(probe, at + len(probe))
    return places


def _folded(text: str) -> str:
    """Lower case where that keeps every offset, else as it is; wide digits as narrow ones."""
    lower = text.lower()
    return (lower if len(lower) == len(text) else text).translate(_NARROW)


def _compare(text: str, start: int, wanted: list[str], length: int) -> Passage:
    """The part of the window that answers to the quote and to its ends, and the difference."""
    margin = max(20, length // 5)
    left = max(0, start - margin)
    right = min(len(text), start + min(length, MAX_WINDOW) + margin)
    pieces = PIECES.findall(text[left:right])[: 2 * MAX_PIECES]
    shown, sought = [*map(respelled, pieces)], [*map(respelled, wanted)]
    first, last = _alike(shown, sought)
    if len(pieces) > 1 and any(piece in ENDS for piece in pieces):
        first, last = _in_as_many_sentences(shown, sought, start - left, (first, last))
    if first == last:
        return Passage(left, right, 0, "", "nothing in common")
    alike = difflib.SequenceMatcher(None, sought, shown[first:last], autojunk=False)
    similarity = _similarity(alike, wanted, pieces[first:last])
    lost = _lost_at_ends(alike, sought)
    within = (int(left > 0), len(pieces) - int(right < len(text)))  # a word at the window's end may be cut
    first, last = within_sentence(shown, (first, last), lost, within)
    begin = left + sum(len(piece) for piece in pieces[:first])
    end = begin + sum(len(piece) for piece in pieces[first:last])
    matcher = difflib.SequenceMatcher(None, sought, shown[first:last], autojunk=False)
    return Passage(begin, end, similarity, word_diff(matcher, wanted, pieces[first:last]), "this is like it")


def _lost_at_ends(matcher: difflib.SequenceMatcher[str], wanted: Sequence[str]) -> tuple[int, int]:
    """How many words of the quote stand before all that is alike, and how many behind it."""
    told = [b for b in matcher.get_matching_blocks() if any(piece.strip() for piece in wanted[b.a : b.a + b.size])]
    return words_in(wanted[: told[0].a]), words_in(wanted[told[-1].a + told[-1].size :])


def _alike(pieces: Sequence[str], wanted: Sequence[str]) -> tuple[int, int]:
    """From the first piece to the last that is alike; white space alone tells nothing."""
    blocks = difflib.SequenceMatcher(None, pieces, wanted, autojunk=False).get_matching_blocks()
    told = [b for b in blocks if b.size and any(piece.strip() for piece in pieces[b.a : b.a + b.size])]
    return (told[0].a, told[-1].a + told[-1].size) if told else (0, 0)


def _in_as_many_sentences(
    pieces: Sequence[str], wanted: Sequence[str], begins: int, whole: tuple[int, int]
) -> tuple[int, int]:
    """The part in as many sentences as the quote has, or one more, near where it may begin; `whole` where it has no
    more, or where a further sentence has a good part of the quote."""
    own = 1 + sum(piece in ENDS for piece in wanted[:-1])
    number = list(accumulate((piece in ENDS for piece in pieces), initial=0))
    if whole[0] == whole[1] or number[whole[1] - 1] - number[whole[0]] < own:
        return whole
    offsets = accumulate(map(len, pieces))
    at = number[next(i for i, end in enumerate(offsets) if end > begins or i == len(pieces) - 1)]
    enough = _common(pieces[slice(*whole)], wanted) - _CHANCE * len(wanted) / own
    for size in (own, own + 1):  # one may have come between
        found = [_alike_between(pieces, wanted, number, (begin, begin + size)) for begin in (at - 1, at, at + 1)]
        best = max(found, key=lambda part: _common(pieces[slice(*part)], wanted))
        if _common(pieces[slice(*best)], wanted) > enough:
            return best
    return whole


def _alike_between(
    pieces: Sequence[str], wanted: Sequence[str], number: Sequence[int], sentences: tuple[int, int]
) -> tuple[int, int]:
    """The same within some of the sentences; `number` says of each piece in which it is."""
    begin, end = (bisect_left(number, sentence, hi=len(pieces)) for sentence in sentences)
    first, last = _alike(pieces[begin:end], wanted)
    return begin + first, begin + last


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    blocks = difflib.SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks)


def _similarity(matcher: difflib.SequenceMatcher[str], one: list[str], other: list[str]) -> int:
    same = sum(len(piece) for block in matcher.get_matching_blocks() for piece in one[block.a : block.a + block.size])
    return 2 * same * 1_000_000 // (sum(map(len, one)) + sum(map(len, other)))
