"""What a judgement is of, whose word counts, and which of them a person looks at too (`schemas/README.md`).

Pure, and shared by whoever makes judgements and whoever checks them: these are the meanings of fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from hashlib import sha256
from typing import Final, Protocol, TypeVar

from pydantic import JsonValue

from schemas.canonical import canonical_bytes, canonical_sha256
from schemas.records.claim import Support

AUTHOR: Final = "draft@1"
HUMAN: Final = "human@1"
ARBITER: Final = "arbiter@1"
"""A person who decides where people disagree."""
LEXICAL: Final = "lexical@1"
HUMAN_SAMPLE_PPM: Final = 100_000
"""Of the edges that an evaluator judged, a person looks at one in ten (R098), unless whoever checks asks for more."""
MIN_WHY: Final = 10
"""Characters of a reason, outer blanks not counted."""
PINNED: Final = ("model", "prompt", "temperature")
"""What the parameters of an evaluator say at least (R098)."""


class Rank(IntEnum):
    """Whose word goes before whose; within a rank the latest counts."""

    NONE = 0
    """It warns, and decides nothing."""
    AUTHOR = 1
    EVALUATOR = 2
    HUMAN = 3
    ARBITER = 4


_NAMED: Final = {"draft": Rank.AUTHOR, "human": Rank.HUMAN, "arbiter": Rank.ARBITER, "lexical": Rank.NONE}


class Word(Protocol):
    """What somebody said of an edge: a judgement in a bundle, or one in the ledger."""

    @property
    def checker_version(self) -> str: ...
    @property
    def judged_at(self) -> str: ...
    @property
    def support(self) -> Support: ...
    @property
    def by(self) -> str: ...


W = TypeVar("W", bound=Word)


def inputs_sha256(
    claim_text: str, quote: str, prefix: str, suffix: str, text_sha256: str | None, parts: Sequence[str] = ()
) -> str:
    """The digest of what a judgement in a bundle is of. Other inputs: it is stale (X33). `parts`: the words of each
    part of a quote that leaves something out; that may be what decides, so another cut is another question."""
    inputs: dict[str, JsonValue] = {
        "claim_text": claim_text,
        "quote": quote,
        "prefix": prefix,
        "suffix": suffix,
        "text_sha256": text_sha256,
    }
    return canonical_sha256({**inputs, "parts": list(parts)} if parts else inputs)


def context_sha256(before: str, after: str) -> str:
    """The digest of the passage around the quote that a checker was shown."""
    return canonical_sha256({"before": before, "after": after})


def judgement_key(inputs: str, context: str, checker_version: str, checker_sha256: str | None) -> str:
    """What the ledger keeps a judgement under: the same inputs, passage and checker are never judged twice unasked."""
    return canonical_sha256(
        {
            "inputs_sha256": inputs,
            "context_sha256": context,
            "checker_version": checker_version,
            "checker_sha256": checker_sha256,
        }
    )


def checker_id(name: str, parameters: JsonValue) -> str:
    """`chat@1` with its parameters: `chat@1+<8 hex of the SHA-256 of their RFC 8785 bytes>`."""
    return f"{name}+{sha256(canonical_bytes(parameters)).hexdigest()[:8]}"


def is_pinned(parameters: object) -> bool:
    """Whether an evaluator's parameters name a model, the prompt and the temperature, each as text."""
    if not isinstance(parameters, Mapping):
        return False
    given = [parameters.get(name) for name in PINNED]
    return all(isinstance(value, str) and value.strip() for value in given)


def says_something(text: str) -> bool:
    """Whether a reason or name has a letter or digit: blanks, dots and what is invisible give no reason (R097)."""
    return any(map(str.isalnum, text))


HIDING: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Control characters, and marks that turn the direction of what follows: no part of a name or of a reason."""


def gives_reason(why: str) -> bool:
    """Whether a reason that is kept for good is one."""
    return len(why.strip()) >= MIN_WHY and says_something(why)


def rank_of(checker_version: str) -> Rank:
    """Whose word it is, by the checker's name: what stands before `@`."""
    return _NAMED.get(checker_version.partition("@")[0], Rank.EVALUATOR)


def instant(utc: str) -> str:
    """A time of ours with nine digits of fraction, so that strings compare as times do."""
    whole, _, fraction = utc.removesuffix("Z").partition(".")
    return f"{whole}.{fraction:0<9}"


def counting(words: Iterable[W]) -> list[W]:
    """The words that count: those of the highest rank there is, of its latest time. Several that agree are one word;
    several that do not are none.

    People are no row of versions: where the last words of each do not agree, all of them are given, and an arbiter's
    word stands for them, until somebody says otherwise after it."""
    given = list(words)
    if len(given) < 2:
        return given
    ranked: dict[Rank, list[W]] = {}
    for word in given:
        ranked.setdefault(rank_of(word.checker_version), []).append(word)
    people, decided = last_words(ranked.get(Rank.HUMAN, ())), _latest_of(ranked.get(Rank.ARBITER, ()))
    if decided:
        said = {word.support for word in decided}
        since = instant(decided[0].judged_at)
        return decided + [w for w in people if instant(w.judged_at) > since and w.support not in said]
    if len({word.support for word in people}) > 1:
        return people
    return _latest_of(ranked[max(ranked)]) if ranked else []


def last_words(words: Iterable[W]) -> list[W]:
    """Of each person the last word, in order of time; several of one moment are all kept."""
    own: dict[str, list[W]] = {}
    for word in words:
        own.setdefault(word.by.strip().casefold(), []).append(word)
    found = [word for said in own.values() for word in _latest_of(said)]
    return sorted(found, key=lambda word: instant(word.judged_at))


def _latest_of(words: Iterable[W]) -> list[W]:
    told = [(instant(word.judged_at), word) for word in words]
    newest = max((moment for moment, _ in told), default=None)
    return [word for moment, word in told if moment == newest]


def latest(words: Iterable[W]) -> W | None:
    """The last of them by time; of one time the last given."""
    found: W | None = None
    for word in words:
        if found is None or instant(word.judged_at) >= instant(found.judged_at):
            found = word
    return found


def share_ppm(text: str) -> int | None:
    """A share as people write it (`10%`, `0.5%`) in parts per million; None where it is none."""
    match = re.fullmatch(r"([0-9]{1,3})(?:\.([0-9]{1,4}))?%", text)
    ppm = -1 if match is None else int(match[1]) * 10_000 + int(f"{match[2] or '':0<4}")
    return ppm if 0 <= ppm <= 1_000_000 else None


def sample_of(inputs: Iterable[str], rate_ppm: int) -> frozenset[str]:
    """Which of these inputs a person looks at too. It follows from the digests, so nobody picks: those in the lowest
    share, and always the lowest, since a few edges would else have no sample at all. A rate of 0 asks for none."""
    if rate_ppm <= 0:
        return frozenset()
    drawn = sorted((draw(each), each) for each in set(inputs))
    limit = rate_ppm * 2**64 // 1_000_000
    return frozenset(each for place, (number, each) in enumerate(drawn) if number < limit or place == 0)


def draw(inputs: str) -> int:
    """A number below 2**64 that nobody chose: the first 8 bytes of a SHA-256 of our own, so that a digest that is
    sought for its looks says nothing about it."""
    return int.from_bytes(sha256(b"citevault human sample\n" + inputs.encode("ascii")).digest()[:8])
