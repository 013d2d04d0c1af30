"""Two texts word by word, for a person: `[-only in the one-]{+only in the other+}`, bounded whatever they are. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from workers.cite.tokens import PIECES, words_in

MAX_DIFF_CHARS = 600
MAX_EQUAL_CHARS = 80
MAX_CHANGES = 50
"""Places that are shown word by word; of those beyond, only the number is told."""
MAX_CHANGE_PIECES = 400  # 400 x 400 pieces stay below a tenth of a second


@dataclass(frozen=True, slots=True)
class WordChange:
    """One place where lines differ. Lines count from 1."""

    line: int
    other_line: int
    removed: int
    """Words; where scripts are written without blanks, letters."""
    added: int
    diff: str


@dataclass(frozen=True, slots=True)
class WordChanges:
    """`removed` and `added` count the words of the places that are shown."""

    changes: tuple[WordChange, ...]
    left_out: int
    """Places beyond the first `MAX_CHANGES`."""

    @property
    def removed(self) -> int:
        return sum(change.removed for change in self.changes)

    @property
    def added(self) -> int:
        return sum(change.added for change in self.changes)


def word_changes(old: Sequence[str], new: Sequence[str]) -> WordChanges:
    """The words that differ between two texts, given as lines."""
    codes = difflib.SequenceMatcher(None, old, new, autojunk=True).get_opcodes()
    places = [code for code in codes if code[0] != "equal"]
    return WordChanges(
        tuple(_change("\n".join(old[a:b]), "\n".join(new[c:d]), a, c) for _, a, b, c, d in places[:MAX_CHANGES]),
        max(0, len(places) - MAX_CHANGES),
    )


def _change(one: str, other: str, line: int, other_line: int) -> WordChange:
    left, right = PIECES.findall(one), PIECES.findall(other)
    matcher = difflib.SequenceMatcher(None, left[:MAX_CHANGE_PIECES], right[:MAX_CHANGE_PIECES], autojunk=False)
    removed, added = words_in(left[MAX_CHANGE_PIECES:]), words_in(right[MAX_CHANGE_PIECES:])  # beyond, all of it
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            removed += words_in(left[a:b])
            added += words_in(right[c:d])
    return WordChange(line + 1, other_line + 1, removed, added, word_diff(matcher, left, right))


def word_diff(matcher: difflib.SequenceMatcher[str], one: Sequence[str], other: Sequence[str]) -> str:
    """One line: long equal parts shortened in the middle, the whole cut at `MAX_DIFF_CHARS`."""
    out: list[str] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            out.append(_shortened("".join(one[a:b])))
            continue
        out.append(f"[-{_visible(''.join(one[a:b]))}-]" if b > a else "")
        out.append(f"{{+{_visible(''.join(other[c:d]))}+}}" if d > c else "")
    return bounded("".join(out))


def legend(one: str, other: str) -> str:
    """What the signs of a difference mean. `one` and `other`: what was compared, as a person calls it."""
    return f"[-…-] stands only in {one}, {{+…+}} only in {other}"


def first_signed(diffs: Sequence[str | None]) -> int | None:
    """Which is the first that has the signs, and so wants a legend."""
    signed = (number for number, diff in enumerate(diffs) if diff is not None and ("[-" in diff or "{+" in diff))
    return next(signed, None)


def bounded(text: str) -> str:
    """One line of at most `MAX_DIFF_CHARS`."""
    line = " ".join(text.split(" ")).replace("\n", " / ")
    return line if len(line) <= MAX_DIFF_CHARS else line[:MAX_DIFF_CHARS] + " …"


def _shortened(equal: str) -> str:
    half = MAX_EQUAL_CHARS // 2
    return equal if len(equal) <= MAX_EQUAL_CHARS else f"{equal[:half]} … {equal[-half:]}"


def _visible(piece: str) -> str:
    """White space and invisible characters that differ are named: they could not be seen, and a terminal obeys some."""
    return "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in piece)
