"""Asking a pinned evaluator about the edges of a bundle. What it has judged is not asked again, unless that is wanted.

The evaluator's parameters are kept first, then each judgement as it comes: who stops in between has what was paid for.
What is one question (the same inputs and passage, as of two copies of a page) is asked once. A question that the
endpoint will not answer costs its own edges alone; an endpoint that refuses as such is asked no more, and what is on
its way is waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from schemas import keys
from schemas.canonical import canonical_bytes, canonical_sha256
from schemas.records.bundle import BundlePolicy
from schemas.records.judgement import ChatParameters, JudgementEntry
from workers.errors import CitevaultError, CorruptError, PermanentError, QuestionError, RetryableError
from workers.flows.documents import read_object
from workers.flows.judge.ledger import Asked, JudgementLedger
from workers.judge.chat import NoAnswer, checker_of, read_answer, request_of
from workers.judge.question import Question
from workers.ports import Endpoint, ObjectStore

MAX_REQUEST_BYTES = 256 * 1024
"""Some 60,000 tokens: no quote that a reader checks is as long."""


MOST_REFUSED = 20
"""Questions that are refused while none is answered: then it is the endpoint, and not the questions."""


@dataclass(slots=True)
class Asking:
    """What came of asking: entries of the ledger, which of them are new, and edges without an answer."""

    entries: dict[str, JudgementEntry] = field(default_factory=dict)
    """By evidence id."""
    fresh: set[str] = field(default_factory=set)
    unanswered: dict[str, NoAnswer] = field(default_factory=dict)
    refusal: PermanentError | None = None
    """Why the endpoint was asked no more."""


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
    edge unjudged; so does an endpoint that is busy for too long, or refuses (`refusal`)."""
    name, digest = checker_of(parameters)
    by = f"{parameters.served_model} at {endpoint.host}"
    known = await ledger.of_each(question.inputs_sha256 for question in questions)
    found = Asking()
    room = asyncio.Semaphore(at_once)
    done = refused = 0
    alike: dict[Asked, list[Question]] = {}
    for question in questions:
        alike.setdefault(Asked(question.inputs, question.context_sha256, name, digest), []).append(question)

    async def one(asked: Asked, same: Sequence[Question]) -> None:
        nonlocal done
        names = dict.fromkeys(question.evidence_id for question in same)
        had = [e for e in known[asked.inputs_sha256] if _answers(e, asked)]
        answer: JudgementEntry | NoAnswer
        if had and not again:
            answer = had[-1]
        else:
            async with room:
                answer = await _ask(same[0], asked)
            found.fresh |= set() if isinstance(answer, NoAnswer) else set(names)
        if isinstance(answer, NoAnswer):
            found.unanswered |= dict.fromkeys(names, answer)
        else:
            found.entries |= dict.fromkeys(names, answer)
        done += len(same)
        told(done, len(questions))

    async def _ask(question: Question, asked: Asked) -> JudgementEntry | NoAnswer:
        nonlocal refused
        if found.refusal is not None:
            return NoAnswer("it was not asked, since the endpoint refuses", found.refusal.next_step)
        body = request_of(question, parameters)
        if len(body) > MAX_REQUEST_BYTES:
            return NoAnswer(
                f"claim, quote and passage have {len(body)} bytes", "quote less, or have a person judge this edge"
            )
        try:
            answer = read_answer(await endpoint.ask(body), parameters)
        except (RetryableError, PermanentError) as error:
            refused += isinstance(error, QuestionError)
            stops = isinstance(error, PermanentError) and not isinstance(error, QuestionError)
            if stops or (refused == MOST_REFUSED and not found.fresh):
                found.refusal = found.refusal or PermanentError(
                    error.what, where=error.where, next_step=error.next_step
                )
            return NoAnswer(error.what, error.next_step)
        if isinstance(answer, NoAnswer):
            return answer
        return await ledger.append(asked, answer.support, answer.rationale, by=by, now=now())

    try:
        async with asyncio.TaskGroup() as tasks:
            for asked, same in alike.items():
                tasks.create_task(one(asked, same))
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
