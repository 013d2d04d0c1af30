"""Where the shingles of a text lie in its words' bytes: what fingerprints are made from, without a string for each.

The words of a text, joined by one blank, hold every shingle as one run of bytes, so that a shingle is an offset and a
length. The runs are those of `workers/dedup/shingles.py`, which confirmation compares; a property test says so. A run
comes as often as it stands in the text, which minima do not mind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workers.dedup.parameters import CHARACTER_PARAMS, MAX_TEXT_CHARS, SHINGLE_LENGTH, WORD_PARAMS
from workers.dedup.shingles import is_spaceless, letters_of, words_of

_LINE_END = b"\n"
_BLANK = 0x20  # in UTF-8 never a part of another character, and never a part of a word


@dataclass(frozen=True, slots=True)
class Cut:
    """The shingles of one text as runs of bytes."""

    params: str
    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]


def cut(text: str) -> Cut:
    """Cut a text-v1 text. Only its first `MAX_TEXT_CHARS` code points count."""
    folded = text[:MAX_TEXT_CHARS].casefold()
    words = words_of(folded)
    if is_spaceless(folded, words):
        data = _bytes(letters_of(folded))
        begins = np.flatnonzero((data & 0xC0) != 0x80)  # all but continuation bytes
        return _runs(CHARACTER_PARAMS, data, begins, np.append(begins[1:], data.size))
    data = _bytes(" ".join(words))
    blanks = np.flatnonzero(data == _BLANK)
    begins = np.concatenate(([0], blanks + 1)) if words else blanks
    return _runs(WORD_PARAMS, data, begins, np.append(blanks, data.size) if words else blanks)


def cut_of(params: str, shingles: list[bytes]) -> Cut:
    """The same of shingles that are cut already. None of ours has a line's end in it, so that places are found in
    the joined bytes; asking a thousand objects for their lengths takes as long as all that follows."""
    joined = np.frombuffer(_LINE_END.join(shingles), dtype=np.uint8)
    ends = np.append(np.flatnonzero(joined == _LINE_END[0]), joined.size)
    if ends.size != len(shingles):  # none at all, or such as somebody else has cut
        lengths = np.fromiter(map(len, shingles), dtype=np.int64, count=len(shingles))
        ends = np.cumsum(lengths + 1) - 1
    starts = np.append(np.zeros(1, dtype=np.int64), ends + 1)[: len(shingles)]
    return Cut(params, joined, starts, ends - starts)


def _runs(params: str, data: npt.NDArray[np.uint8], begins: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> Cut:
    """Five neighbours each: from where the first begins to where the fifth ends."""
    starts = begins[: max(0, begins.size - SHINGLE_LENGTH + 1)]
    return Cut(params, data, starts, ends[SHINGLE_LENGTH - 1 :] - starts)


def _bytes(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)
