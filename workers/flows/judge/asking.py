"""Asking a pinned evaluator about the edges of a bundle. What it has judged is not asked again, unless that is wanted.

The evaluator's parameters are kept first, then each judgement as it comes: who stops in between has what was paid for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from schemas import keys
from schemas.canonical import canonical_bytes, canonical_sha256
from schemas.records.bundle import BundlePolicy
from schemas.records.judgement import ChatParameters, JudgementEntry
from workers.errors import CitevaultError, CorruptError, RetryableError
from workers.flows.documents import read_object
from workers.flows.judge.ledger import Asked, JudgementLedger
from workers.judge.chat import NoAnswer, checker_of, read_answer, request_of
from workers.judge.question import Question
from workers.ports import Endpoint, ObjectStore

MAX_REQUEST_BYTES = 256 * 1024
"""Some 60,000 tokens: no quote that a reader checks is as long."""


@dataclass(slots=True)
class Asking:
    """What came of asking: entries of the ledger, which of them are new, and edges without an answer."""

    entries: dict[str, JudgementEntry] = field(default_factory=dict)
    """By evidence id."""
    fresh: set[str] = field(default_factory=set)
    unanswered: dict[str, NoAnswer] = field(default_factory=dict)


async def keep_checker(store: ObjectStore, parameters: ChatParameters) -> str:
    """Write the evaluator's parameters down as a policy; its id. CorruptError where others stand under that id."""
    name, digest = checker_of(parameters)
    value = parameters.model_dump(mode="json")
    policy = BundlePolicy(id=name, kind="checker", sha256=digest, value=value)
    key = keys.policy(name)
    if not await store.create(key, canonical_bytes(policy), content_type="application/json"):
        kept = await read_object(store, key, BundlePolicy)
        if canonical_sha256(kept.value) != digest:
            raise CorruptError(
                "other parameters stand under this id", where=key, next_step="change the prompt a little"
            )
    return name


async def ask_all(
    questions: Sequence[Question],
    parameters: ChatParameters,
    endpoint: Endpoint,
    ledger: JudgementLedger,
    *,
    now: Callable[[], str],
    at_once: int,
    again: bool = False,
    told: Callable[[int, int], None] = lambda done, whole: None,
) -> Asking:
    """Ask about each question that has no judgement yet; all of them with `again`. An answer that is none leaves its
    edge unjudged; so does an endpoint that is busy for too long. PermanentError where it refuses as such."""
    name, digest = checker_of(parameters)
    by = f"{parameters.served_model} at {endpoint.host}"
    known = await ledger.of_each(question.inputs_sha256 for question in questions)
    found = Asking()
    room = asyncio.Semaphore(at_once)
    done = 0

    async def one(question: Question) -> None:
        nonlocal done
        asked = Asked(question.inputs, question.context_sha256, name, digest)
        had = [e for e in known[question.inputs_sha256] if _answers(e, asked)]
        if had and not again:
            found.entries[question.evidence_id] = had[-1]
        else:
            async with room:
                await _ask(question, asked)
        done += 1
        told(done, len(questions))

    async def _ask(question: Question, asked: Asked) -> None:
        body = request_of(question, parameters)
        if len(body) > MAX_REQUEST_BYTES:
            found.unanswered[question.evidence_id] = NoAnswer(
                f"claim, quote and passage have {len(body)} bytes", "quote less, or have a person judge this edge"
            )
            return
        try:
            answer = read_answer(await endpoint.ask(body), parameters)
        except RetryableError as error:
            found.unanswered[question.evidence_id] = NoAnswer(error.what, error.next_step)
            return
        if isinstance(answer, NoAnswer):
            found.unanswered[question.evidence_id] = answer
            return
        entry = await ledger.append(asked, answer.support, answer.rationale, by=by, now=now())
        found.entries[question.evidence_id] = entry
        found.fresh.add(question.evidence_id)

    try:
        async with asyncio.TaskGroup() as tasks:
            for question in questions:
                tasks.create_task(one(question))
    except* CitevaultError as group:
        raise _first(group) from None
    return found


def _first(group: BaseExceptionGroup[CitevaultError]) -> CitevaultError:
    """One of several errors of the same endpoint or store."""
    one = group.exceptions[0]
    return _first(one) if isinstance(one, BaseExceptionGroup) else one


def _answers(entry: JudgementEntry, asked: Asked) -> bool:
    same = entry.context_sha256 == asked.context_sha256 and entry.checker_sha256 == asked.checker_sha256
    return same and entry.checker_version == asked.checker_version
