"""Sources that may be one although no rule unites them: for a person to look at, never a relation by itself (R070).

Syndicated stories by credits to one agency, rewrites of one release by sentences that stand in both, pages of one
author or team, and pages that declare another as their canonical URL (R033: a hint). Only sources of different
independence groups are told of, since others count as one already.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from typing import Literal

from workers.dedup.credits import Credit
from workers.dedup.quantities import common_and_all

Kind = Literal["agency", "release", "shared-sentences", "author", "canonical"]
SHARED_WORDS = 40
"""Words of sentences that stand in both: a quotation has fewer, a paragraph of a release more."""
SENTENCE_WORDS = 8
"""Shorter sentences are shared by chance."""
DAYS = 3
TITLE_SHARE = 0.3
NUMBERS_SHARE = 0.5
MINIMUM_NUMBERS = 3
COMMON = 20
"""A sentence in more stories than that is a frame of many pages, and tells nothing of two."""
SPACELESS_WORD = 2  # characters that count as a word where words are not parted

_END = re.compile(r"[.!?]+(?=\s|$)|[\n\u3002\uff01\uff1f]+")
_WORD = re.compile(r"\w+")
_AUTHORS = re.compile(r"\s*(?:[;/&|]|\band\b|\bund\b|\bet\b|\by\b)\s*")
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Story:
    """One source as its newest capture shows it."""

    source_id: str
    url: str
    group: str
    manual: bool = False
    """A person has put it into its group."""
    set_apart: bool = False
    """A person has said that it stands alone."""
    title: str | None = None
    authors: frozenset[str] = frozenset()
    publisher: str | None = None
    published: date | None = None
    canonical: str | None = None
    """Normalized, where it is another page."""
    credits: tuple[Credit, ...] = ()
    quantities: Mapping[str, int] = field(default_factory=Counter)
    sentences: Mapping[int, int] = field(default_factory=dict)
    """Hash of each longer sentence to its words."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """These sources may be one, for this reason."""

    kind: Kind
    subject: str
    """The agency, the author, the canonical URL; empty for sentences."""
    source_ids: tuple[str, ...]
    why: str


def sentences_of(text: str) -> dict[int, int]:
    """Longer sentences of a text, by hash, with how many words they have."""
    found: dict[int, int] = {}
    for sentence in _END.split(text):
        words = _WORD.findall(sentence.casefold())
        letters = sum(map(len, words))
        count = len(words) if letters <= 12 * len(words) else letters // SPACELESS_WORD
        if count >= SENTENCE_WORDS:
            digest = hashlib.blake2b(" ".join(words).encode(), digest_size=8).digest()
            found[int.from_bytes(digest, "big")] = count
    return found


def authors_of(author: str | None) -> frozenset[str]:
    """Names, each as its letters in order; those of a single word are no person's."""
    names = (" ".join(sorted(_LETTERS.findall(part.casefold()))) for part in _AUTHORS.split(author or ""))
    return frozenset(name for name in names if " " in name)


def suggestions(stories: Iterable[Story]) -> tuple[Suggestion, ...]:
    """All suggestions, sorted by kind and subject; sources of one kind and subject that hang together are one."""
    known = sorted(stories, key=lambda story: story.source_id)
    found: dict[tuple[Kind, str], list[tuple[Story, Story, str]]] = defaultdict(list)
    for relation in (_by_credit, _by_sentences, _by_author, _by_canonical):
        for kind, subject, one, other, why in relation(known):
            if _is_open(one, other):
                found[kind, subject].append((one, other, why))
    told = [
        Suggestion(kind, subject, tuple(sorted(part)), _reason(pairs, part))
        for (kind, subject), pairs in found.items()
        for part in _connected(pairs)
    ]
    return tuple(sorted(told, key=lambda one: (one.kind, one.subject, one.source_ids)))


def _is_open(one: Story, other: Story) -> bool:
    """They count apart, and no person has decided on both of them."""
    decided = one.set_apart or other.set_apart or (one.manual and other.manual)
    return one.group != other.group and not decided


_Related = tuple[Kind, str, Story, Story, str]


def _by_credit(stories: Sequence[Story]) -> Iterable[_Related]:
    """Two that credit one agency, within days, and tell of one thing: by a sentence, the title or the numbers."""
    crediting: dict[str, list[tuple[Story, Credit]]] = defaultdict(list)
    for story in stories:
        for credit in story.credits:
            crediting[credit.agency].append((story, credit))
    for agency, named in crediting.items():
        for (one, first), (other, second) in combinations(named, 2):
            alike = _tell_of_one_thing(one, other)
            if alike is not None and _within_days(one, other):
                kind: Kind = "agency" if first.kind == "wire" else "release"
                yield kind, agency, one, other, f"both credit {agency} ({first.how}, {second.how}), and {alike}"


def _by_sentences(stories: Sequence[Story]) -> Iterable[_Related]:
    """Two that share whole sentences: rewrites of one release, or one of the other."""
    holders: dict[int, list[int]] = defaultdict(list)
    for place, story in enumerate(stories):
        for sentence in story.sentences:
            holders[sentence].append(place)
    shared: Counter[tuple[int, int]] = Counter()
    for sentence, places in holders.items():
        if 1 < len(places) <= COMMON:
            for pair in combinations(places, 2):
                shared[pair] += stories[pair[0]].sentences[sentence]
    for (first, second), words in shared.items():
        if words >= SHARED_WORDS:
            why = f"sentences of {words} words stand in both, as where one release is rewritten"
            yield "shared-sentences", "", stories[first], stories[second], why


def _by_author(stories: Sequence[Story]) -> Iterable[_Related]:
    """One author in one outlet, or two authors in common: pages of one person or team."""
    writing: dict[str, list[Story]] = defaultdict(list)
    for story in stories:
        for author in story.authors:
            writing[author].append(story)
    for author, own in writing.items():
        for one, other in combinations(own, 2):
            common = one.authors & other.authors
            if len(common) > 1:
                yield "author", " + ".join(sorted(common)), one, other, "authors in common, as of one team"
            elif one.publisher and other.publisher and one.publisher.casefold() == other.publisher.casefold():
                yield "author", author, one, other, f"one author in one outlet ({one.publisher})"


def _by_canonical(stories: Sequence[Story]) -> Iterable[_Related]:
    by_url = {story.url: story for story in stories}
    for story in stories:
        original = by_url.get(story.canonical or "")
        if original is not None and original is not story:
            yield "canonical", original.url, original, story, "one page declares the other as its canonical URL"


def _tell_of_one_thing(one: Story, other: Story) -> str | None:
    """What two texts have in common, in words; also where they are of two languages. None: nothing is seen."""
    if not one.sentences.keys().isdisjoint(other.sentences):
        return "share a sentence"
    first, second = (set(_WORD.findall((story.title or "").casefold())) for story in (one, other))
    if first and second and len(first & second) >= TITLE_SHARE * len(first | second):
        return "have like titles"
    common, every = common_and_all(one.quantities, other.quantities)
    enough = min(sum(one.quantities.values()), sum(other.quantities.values())) >= MINIMUM_NUMBERS
    return "name the same numbers" if enough and common >= NUMBERS_SHARE * every else None


def _within_days(one: Story, other: Story) -> bool:
    return one.published is None or other.published is None or abs((one.published - other.published).days) <= DAYS


def _connected(pairs: Iterable[tuple[Story, Story, str]]) -> list[set[str]]:
    parts: list[set[str]] = []
    for one, other, _ in pairs:
        joined = {one.source_id, other.source_id}
        apart = [part for part in parts if part.isdisjoint(joined)]
        parts = [*apart, joined.union(*(part for part in parts if not part.isdisjoint(joined)))]
    return parts


def _reason(pairs: Iterable[tuple[Story, Story, str]], part: set[str]) -> str:
    """The commonest reason among the pairs of a part."""
    told = Counter(why for one, _, why in pairs if one.source_id in part)
    return min(told, key=lambda why: (-told[why], why))
