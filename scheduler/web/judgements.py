"""What was judged, by whom, and how far they agree, as the API and the pages show it. Read only: a word of the ledger
is added by the commands of `citevault judge`, which show whoever judges the passage first.

Reviews are blind, and this is not: who is to judge looks here afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

from scheduler.web.room import Room
from schemas.agreement import Agreement
from schemas.judging import counting, share_ppm
from schemas.people import is_unresolved, pairs_of
from schemas.records.base import Count, Record, Sha256, UtcTime
from schemas.records.claim import Support
from schemas.records.judgement import JudgementEntry
from workers.errors import CorruptError, ObjectMissingError
from workers.flows.judge.ledger import JudgementLedger
from workers.judge.review import Entries, audits_of

NAMES_SECONDS, AGREEMENT_SECONDS = 10.0, 30.0
MOST_COMPARED = 2_000
"""Things judged that an agreement is computed over here; `citevault judge agreement` reads all."""


class JudgedWord(Record):
    """What somebody said."""

    checker_version: str
    """`human@1`, `arbiter@1`, or an evaluator with the digest of its parameters."""
    by: str
    judged_at: UtcTime
    support: Support
    rationale: str


class Judged(Record):
    """A claim and a quote, with everything that was said of them."""

    inputs_sha256: Sha256
    claim: str
    quote: str
    text_sha256: Sha256
    state: Literal["judged", "unresolved"]
    """`unresolved`: people disagree, and nobody has decided."""
    support: Support | None
    """What counts beside any author's word; null where it is unresolved."""
    words: tuple[JudgedWord, ...]
    """In order of time."""


class JudgedList(Record):
    """In order of `inputs_sha256`, which nobody chose. `next_after` is the value of `after` for the next page."""

    items: tuple[Judged, ...]
    things: Count
    """How many there are in all."""
    next_after: Sha256 | None
    damaged: tuple[str, ...]
    """What could not be read, and why."""


class Compared(Record):
    """How far two agree: counts, share and Cohen's kappa in parts per million; null where it is undefined."""

    pairs: Count
    agreed: Count
    raw_ppm: Count | None
    kappa_ppm: int | None


class EvaluatorAudit(Record):
    """An evaluator against people; what people disagree on is left out."""

    checker_version: str
    judged: Count
    sample: Count
    """How many belong to the human sample."""
    sample_reviewed: Count
    in_sample: Compared
    reviewed: Compared
    unresolved: Count


class PeopleAudit(Record):
    """Two people, over what both judged."""

    one: str
    other: str
    agreement: Compared
    disagreements: tuple[Sha256, ...]
    """Inputs of what they do not agree on."""


class AgreementView(Record):
    """`complete` is false where more was judged than is compared here."""

    things: Count
    complete: bool
    human_sample_ppm: Count
    unresolved: tuple[Sha256, ...]
    evaluators: tuple[EvaluatorAudit, ...]
    people: tuple[PeopleAudit, ...]
    damaged: tuple[str, ...]


async def some_judged(room: Room, *, limit: int, after: str | None) -> JudgedList:
    """Things judged behind the one named `after`."""
    names = await _names(room)
    wanted = [name for name in names if after is None or name > after]
    entries, damaged = await _read(room, wanted[:limit])
    return JudgedList(
        items=tuple(_judged(name, told) for name, told in entries.items()),
        things=len(names),
        next_after=wanted[limit - 1] if len(wanted) > limit else None,
        damaged=tuple(damaged),
    )


async def one_judged(room: Room, inputs: str) -> Judged:
    """Everything that was said of these inputs."""
    told = await room.look(f"judged {inputs}", lambda: JudgementLedger(room.archive.store).of(inputs))
    if not told:
        raise ObjectMissingError("nobody has judged this", where=inputs, next_step="see /api/v1/judgements")
    return _judged(inputs, told)


async def only_judged(room: Room, inputs: str) -> JudgedList:
    """A list of this one thing, for the page that shows lists."""
    return JudgedList(items=(await one_judged(room, inputs),), things=1, next_after=None, damaged=())


async def agreement_view(room: Room) -> AgreementView:
    """Evaluators against people, and people against each other."""
    return await room.look("agreement", lambda: _agreement(room), fresh_seconds=AGREEMENT_SECONDS)


async def _agreement(room: Room) -> AgreementView:
    names = await _names(room)
    entries, damaged = await _read(room, names[:MOST_COMPARED])
    rate = share_ppm(room.archive.settings.human_sample) or 0
    return AgreementView(
        things=len(names),
        complete=len(names) <= MOST_COMPARED,
        human_sample_ppm=rate,
        unresolved=tuple(name for name, told in entries.items() if is_unresolved(told)),
        evaluators=tuple(
            EvaluatorAudit(
                checker_version=audit.checker_version,
                judged=audit.judged,
                sample=audit.sample,
                sample_reviewed=audit.sample_reviewed,
                in_sample=_compared(audit.in_sample),
                reviewed=_compared(audit.reviewed),
                unresolved=audit.unresolved,
            )
            for audit in audits_of(entries, rate)
        ),
        people=tuple(
            PeopleAudit(
                one=pair.one,
                other=pair.other,
                agreement=_compared(pair.agreement),
                disagreements=tuple(each.inputs for each in pair.disagreements),
            )
            for pair in pairs_of(entries)
        ),
        damaged=tuple(damaged),
    )


async def _names(room: Room) -> list[str]:
    ledger = JudgementLedger(room.archive.store)
    return await room.look("judged names", ledger.judged_inputs, fresh_seconds=NAMES_SECONDS)


async def _read(room: Room, names: Sequence[str]) -> tuple[Entries, list[str]]:
    """What was said of each; one that cannot be read costs itself alone."""
    ledger = JudgementLedger(room.archive.store)
    try:
        return await room.look_once("judgements", lambda: ledger.of_each(names)), []
    except CorruptError:
        entries: dict[str, Sequence[JudgementEntry]] = {}
        damaged: list[str] = []
        for name in names:
            try:
                entries[name] = await room.look_once("judgement", partial(ledger.of, name))
            except CorruptError as error:
                damaged.append(str(error))
        return entries, damaged


def _judged(inputs: str, told: Sequence[JudgementEntry]) -> Judged:
    unresolved = is_unresolved(told)
    best = counting(told)
    return Judged(
        inputs_sha256=inputs,
        claim=told[0].inputs.claim_text,
        quote=told[0].inputs.shown_quote,
        text_sha256=told[0].inputs.text_sha256,
        state="unresolved" if unresolved else "judged",
        support=best[-1].support if len({word.support for word in best}) == 1 else None,
        words=tuple(
            JudgedWord(
                checker_version=one.checker_version,
                by=one.by,
                judged_at=one.judged_at,
                support=one.support,
                rationale=one.rationale,
            )
            for one in told
        ),
    )


def _compared(of: Agreement) -> Compared:
    return Compared(pairs=of.pairs, agreed=of.agreed, raw_ppm=of.raw_ppm, kappa_ppm=of.kappa_ppm)
