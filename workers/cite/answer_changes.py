"""What became of an answer, sentence by sentence, and of each citation and address that stood in it (R121). Pure.

Citations and white space do not make a sentence another one; a citation that is gone is told all the same, with its
place, the reason, and the sentence as it was and as it is.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from schemas.citations.answer import ParsedAnswer, read_answer
from schemas.citations.prose import FOOTNOTE, Address
from schemas.citations.sentences import UNJUDGED, Sentence
from workers.cite.tokens import WORDS

ALIKE = 0.6
"""Share of words from which on a sentence is a changed one, not a new one."""
MOST_COMPARED = 100
"""Of the sentences that are the same as none before, so many are compared with one that is gone, in their order."""
UNKNOWN, ADDRESS, LEFT_OUT = "the map has no such id", "an address is no citation", "the repair left it out"
UNMARKED = "nothing leads to its footnote any more"
_NOTE = re.compile(rf"(?:^|\n)[ >]*({FOOTNOTE}):\s*\Z")
_LONGEST_NOTE = 210
Kind = Literal["kept", "changed", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Cut:
    """A citation's id or an address that stood in a sentence and no longer does."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one sentence. `before` and `after` are its words without citations."""

    kind: Kind
    before: str
    after: str
    critical: bool = False
    line: int = 0
    """Where it begins, from 1: in the answer as it was, and of an added sentence in the answer as it is."""
    why: str | None = None
    """Of a sentence that is gone."""
    cuts: tuple[Cut, ...] = ()
    stood: str = ""
    """The sentence as it was, with its citations."""
    stands: str = ""
    claims: bool = True
    """False: a heading or the first row of a table, which is not counted as a sentence."""
    uncited: bool = False
    """It stands and should be cited, and is not: a repair never hides that."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence of one of the two answers."""

    words: str
    written: str
    line: int
    ids: tuple[str, ...]
    urls: tuple[str, ...]
    claims: bool
    note: str | None
    """The mark of the footnote that it begins."""
    spoken: str
    """Its words without addresses: one that is gone makes no other sentence of it."""

    @property
    def uncited(self) -> bool:
        return self.claims and not self.ids

    @property
    def tokens(self) -> list[str]:
        return WORDS.findall(self.spoken.casefold())


def changes_between(
    before: str, after: str, critical: Collection[str] = (), known: Collection[str] | None = None
) -> list[Change]:
    """What became of each sentence, in order, then those that were added. `known`: the ids of the source map; without
    them no reason is told but that something was left out."""
    old, new = _sentences(before), _sentences(after)
    marked = [_plain(text) for text in critical]
    words_of_new = [one.tokens for one in new]
    free = dict.fromkeys(range(len(new)))
    places: dict[tuple[str, ...], deque[int]] = {}
    for at, words in enumerate(words_of_new):
        places.setdefault(tuple(words), deque()).append(at)
    changes: list[Change] = []
    for one in old:
        words = one.tokens
        same = _first_free(places.get(tuple(words)), free)
        best = same if same is not None else _most_alike(words, words_of_new, free)
        is_critical = any(mark and mark in _plain(one.words) for mark in marked)
        if best is None:
            cuts = _cuts(one, None, known)
            unmarked = one.note is not None and one.note not in after
            why = UNMARKED if unmarked and one.ids else _why_gone(one, cuts)
            changes.append(
                Change("removed", one.words, "", is_critical, one.line, why, cuts, one.written, "", one.claims)
            )
            continue
        free.pop(best)
        other = new[best]
        kind: Kind = "kept" if same is not None and _stays(one, other) else "changed"
        cuts = _cuts(one, other, known)
        changes.append(
            Change(
                kind,
                one.words,
                other.words,
                is_critical,
                one.line,
                None,
                cuts,
                one.written,
                other.written,
                one.claims,
                other.uncited,
            )
        )
    added = (new[at] for at in free)
    return changes + [
        Change("added", "", one.words, line=one.line, stands=one.written, claims=one.claims, uncited=one.uncited)
        for one in added
    ]


def _stays(one: _Read, other: _Read) -> bool:
    """Whether a sentence of the same words names the same addresses, and is cited if it was."""
    return one.urls == other.urls and bool(other.ids or not one.ids)


def _cuts(old: _Read, new: _Read | None, known: Collection[str] | None) -> tuple[Cut, ...]:
    """What the sentence cited or named, and does not any more."""
    ids = Counter(old.ids) - Counter(new.ids if new else ())
    urls = Counter(old.urls) - Counter(new.urls if new else ())
    return (
        *(Cut(f"[{name}]", UNKNOWN if known is not None and name not in known else LEFT_OUT) for name in ids),
        *(Cut(url, ADDRESS) for url in urls),
    )


def _why_gone(one: _Read, cuts: Collection[Cut]) -> str:
    if not one.ids:
        return "an address was all that spoke of it" if one.urls else "no citation speaks of it"
    return "none of its citations is in the map" if all(cut.why != LEFT_OUT for cut in cuts) else LEFT_OUT


def _sentences(text: str) -> list[_Read]:
    parsed = read_answer(text)
    ends = [at for at, letter in enumerate(text) if letter == "\n"]
    starts = [each.start for each in parsed.prose.addresses]
    read: list[_Read] = []
    for one in parsed.sentences:
        own = parsed.prose.addresses[bisect_left(starts, one.start) : bisect_left(starts, one.end)]
        read.append(_read(parsed, one, bisect_right(ends, one.start) + 1, own))
    return read


def _read(parsed: ParsedAnswer, one: Sentence, line: int, named: Sequence[Address]) -> _Read:
    cited = [parsed.citations[at] for at in one.citations]
    places = [(each.start, each.end) for each in cited]
    words = _without(parsed.text, one, places)
    for each in named:
        shown = each.text or (each.end, each.end)
        places += [(each.start, shown[0]), (shown[1], each.end)]
    note = _NOTE.search(parsed.text[max(0, one.start - _LONGEST_NOTE) : one.start])
    return _Read(
        words=" ".join(words.split()),
        written=" ".join(parsed.text[one.start : one.end].split()),
        line=line,
        ids=tuple(name for each in cited for name in each.ids),
        urls=tuple(each.url for each in named),
        claims=one.kind not in UNJUDGED,
        note=None if note is None else note[1],
        spoken=_without(parsed.text, one, places),
    )


def _without(text: str, one: Sentence, places: Iterable[tuple[int, int]]) -> str:
    """A sentence without some places in it."""
    parts, done = [], one.start
    for start, end in sorted(places):
        parts.append(text[done : max(done, start)])
        done = max(done, end)
    return "".join((*parts, text[done : one.end]))


def _first_free(places: deque[int] | None, free: Collection[int]) -> int | None:
    """The first of some sentences that nobody was found to have become; those before it are taken out."""
    while places:
        at = places.popleft()
        if at in free:
            return at
    return None


def _most_alike(words: list[str], others: list[list[str]], free: Iterable[int]) -> int | None:
    """Of the next few that are free; compared are those only that have enough of the same words in any order."""
    own, rated = Counter(words), []
    for at in islice(free, MOST_COMPARED):
        common = sum((own & Counter(others[at])).values())
        if 2.0 * common / (len(words) + len(others[at]) or 1) >= ALIKE:
            matcher = difflib.SequenceMatcher(None, words, others[at], autojunk=False)
            rated.append((matcher.ratio(), -at))
    ratio, at = max(rated, default=(0.0, 0))
    return -at if ratio >= ALIKE else None


def _plain(text: str) -> str:
    return " ".join(WORDS.findall(text.casefold()))
