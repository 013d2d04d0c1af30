"""What a person should look at, and why; and how far evaluators agree with people. Pure: entries in, values out.

The queue is derived from the ledger each time it is asked for, so nothing of it can be lost or go out of date. A review
is blind: what others said decides whether an edge is in the queue, and is not shown to who reviews it (R098).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from schemas.agreement import Agreement, agreement
from schemas.judging import Rank, draw, latest, rank_of, sample_of
from schemas.people import is_unresolved, settled
from schemas.records.claim import Importance, Support
from schemas.records.judgement import JudgementEntry
from workers.judge.lexical.warnings import LexicalWarning, warnings_of
from workers.judge.question import Question

Entries = Mapping[str, Sequence[JudgementEntry]]
"""By the digest of the inputs."""


class Reason(StrEnum):
    """Why an edge is to be reviewed, the most urgent first."""

    UNRESOLVED = "unresolved"
    """People disagree, and nobody has decided."""
    CONTRADICTS = "contradicts"
    """Somebody says that it contradicts its claim."""
    DISPUTED = "disputed"
    """The author and the evaluators do not agree."""
    UNSTABLE = "unstable"
    """One evaluator said different things."""
    WARNED = "warned"
    """The lexical checker found a difference."""
    SAMPLE = "sample"
    """It belongs to the human sample of what an evaluator judged."""
    UNJUDGED = "unjudged"
    """Nobody but its author has judged it."""


@dataclass(frozen=True, slots=True)
class Review:
    """One edge that no person has judged, or people have not agreed on."""

    question: Question
    reasons: tuple[Reason, ...]
    warnings: tuple[LexicalWarning, ...]


def queue_of(questions: Sequence[Question], entries: Entries, sample_ppm: int) -> list[Review]:
    """What waits for a person: by urgency, critical claims first, then in the order that the sample is drawn in."""
    judged: dict[str, set[str]] = {}
    for question in questions:
        for entry in _by(Rank.EVALUATOR, entries.get(question.inputs_sha256, ())):
            judged.setdefault(entry.checker_version, set()).add(question.inputs_sha256)
    sample = {inputs for own in judged.values() for inputs in sample_of(own, sample_ppm)}
    waiting: list[Review] = []
    for question in questions:
        told = entries.get(question.inputs_sha256, ())
        if is_unresolved(told):
            waiting.append(Review(question, (Reason.UNRESOLVED,), ()))
            continue
        if _by(Rank.HUMAN, told):
            continue
        warnings = lexical(question)
        reasons = _reasons(question, told, warnings, question.inputs_sha256 in sample)
        if reasons:
            waiting.append(Review(question, reasons, tuple(warnings)))
    order = list(Reason)
    return sorted(
        waiting,
        key=lambda review: (
            order.index(review.reasons[0]),
            review.question.importance is not Importance.CRITICAL,
            draw(review.question.inputs_sha256),
        ),
    )


def second_looks(questions: Sequence[Question], entries: Entries, by: str) -> list[Question]:
    """What another person has judged and this one has not: where two have looked, one sees how far people agree."""
    name = by.strip().casefold()
    found = []
    for question in questions:
        people = {entry.by.strip().casefold() for entry in _by(Rank.HUMAN, entries.get(question.inputs_sha256, ()))}
        if people and name not in people:
            found.append(question)
    return sorted(found, key=lambda question: draw(question.inputs_sha256))


def lexical(question: Question) -> list[LexicalWarning]:
    """What the lexical checker warns of."""
    quote = question.inputs.shown_quote
    return warnings_of(question.inputs.claim_text, quote, question.before + quote + question.after)


def _reasons(
    question: Question, told: Sequence[JudgementEntry], warnings: Sequence[LexicalWarning], sampled: bool
) -> tuple[Reason, ...]:
    models = _by(Rank.EVALUATOR, told)
    said: dict[str, list[Support]] = {}
    for entry in models:
        said.setdefault(entry.checker_version, []).append(entry.support)
    views = {supports[-1] for supports in said.values()}
    author = {question.author} - {None}
    found = {
        Reason.CONTRADICTS: Support.CONTRADICTS in views | author,
        Reason.DISPUTED: bool(models) and len(views | author) > 1,
        Reason.UNSTABLE: any(len(set(supports)) > 1 for supports in said.values()),
        Reason.WARNED: bool(warnings),
        Reason.SAMPLE: sampled,
        Reason.UNJUDGED: not models,
    }
    return tuple(reason for reason, holds in found.items() if holds)


def _by(rank: Rank, told: Iterable[JudgementEntry]) -> list[JudgementEntry]:
    return [entry for entry in told if rank_of(entry.checker_version) is rank]


@dataclass(frozen=True, slots=True)
class Audit:
    """One evaluator against people."""

    checker_version: str
    judged: int
    sample: int
    sample_reviewed: int
    in_sample: Agreement
    """Of the sample alone: the fair figure, since nobody picked it."""
    reviewed: Agreement
    """Of all that both judged; among them is what was looked at because it was doubtful."""
    unresolved: int
    """Left out of both: people do not agree on them."""


def audits_of(entries: Entries, sample_ppm: int) -> list[Audit]:
    """Every evaluator, by name. Of each checker its last word on each inputs counts."""
    people: dict[str, Support] = {}
    open_ones: set[str] = set()
    models: dict[str, dict[str, Support]] = {}
    for inputs, told in entries.items():
        person = settled(told)
        if person is not None:
            people[inputs] = person.support
        elif is_unresolved(told):
            open_ones.add(inputs)
        for name in {entry.checker_version for entry in _by(Rank.EVALUATOR, told)}:
            last = latest(entry for entry in told if entry.checker_version == name)
            if last is not None:
                models.setdefault(name, {})[inputs] = last.support
    found = []
    for name, said in sorted(models.items()):
        sample = sample_of(said, sample_ppm)
        both = sorted(said.keys() & people.keys())
        found.append(
            Audit(
                checker_version=name,
                judged=len(said),
                sample=len(sample),
                sample_reviewed=len(sample & (people.keys() | open_ones)),
                in_sample=agreement((said[i], people[i]) for i in both if i in sample),
                reviewed=agreement((said[i], people[i]) for i in both),
                unresolved=len(said.keys() & open_ones),
            )
        )
    return found
