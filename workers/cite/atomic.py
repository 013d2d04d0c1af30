"""Claims that seem to hold several assertions, each of which could be false by itself (R072). Pure, and a remark only:
whether a sentence can be split is for its author to say.

Several sentences; parts separated by semicolons; or a list of predicates, `is free, is the fastest option, and complies
with a standard`, which is told from a list of things by the verb that each part begins with.
"""

from __future__ import annotations

import re

from schemas.citations.answer import read_answer

_PARTS = re.compile(
    r"\s*(?:,\s*(?:and|but|while|whereas|und|aber|sowie)\s+|,\s+|;\s*|；|\s+(?:and|but|while|whereas)\s+)"
)
_VERB = re.compile(
    r"(?:(?:it|they|he|she)\s+)?(?:is|are|was|were|has|have|had|does|do|did|can|will|may|must|should|ist|hat|wird"
    r"|[a-z]{3,}(?:ed|es))\b(?!\s*,)",
    re.IGNORECASE,
)


def assertions_of(claim: str) -> list[str]:
    """The parts that a claim could be split into; one, where it seems to say one thing."""
    sentences = [" ".join(claim[one.start : one.end].split()) for one in read_answer(claim).sentences]
    return [part for sentence in sentences for part in _split(sentence)] or [claim]


def _split(sentence: str) -> list[str]:
    """A part goes on as long as what follows does not begin with a verb or stand behind a semicolon."""
    parts: list[str] = []
    done = 0
    for match in _PARTS.finditer(sentence):
        cut = match[0].strip() in (";", "；") or _VERB.match(sentence, match.end()) is not None
        if cut and _VERB.search(sentence, done, match.start()) is not None:
            parts.append(sentence[done : match.start()].strip())
            done = match.end()
    return [*parts, sentence[done:].strip()]
