"""Citation numbers over the object store: a number exists once its log object does, and Redis knows nothing of them.

Each call first reads what others appended, then creates the next object with `If-None-Match: *`; who loses reads the
winner's and asks anew what is still missing. So a call that is made again, by whomever and after whatever crash, finds
what its first try left, and calls that overlap take effect one after the other: at the moment their object is created,
or, where nothing had to be written, when the log was seen to have no further object.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.number import MAX_CHANGES, CitedSnapshot, NumberChange, NumberLog
from schemas.urls.citation import citation_url
from schemas.urls.identity import NormalizedUrl
from schemas.urls.policy import load_policy
from workers.cite.numbering import NumberLogError, Numbers, UrlOf, Wish, changes_for
from workers.errors import CorruptError, ObjectMissingError, PermanentError, RetryableError
from workers.flows.documents import read_object
from workers.flows.numbered import is_end, is_end_nearby
from workers.ports import ObjectStore

AHEAD = 16
"""Objects of a long log that are asked for at once, at most; few at first, since most calls find none or one."""
RACES = 1_000
PAUSE_SECONDS = 0.05
TOGETHER = 200

Planner = Callable[[Numbers], Sequence[NumberChange]]


@dataclass(eq=False, slots=True)
class _Call:
    """A call that waits for its turn."""

    wishes: tuple[Wish, ...]
    by: str
    answers: list[int] | None = None


class NumberLedger:
    """The numbers of one report. Belongs to one event loop; `numbers` is what was read of the log so far."""

    def __init__(self, store: ObjectStore, report: str, policy: str) -> None:
        self._store = store
        self._policy = policy
        self._turn = asyncio.Lock()
        self._waiting: list[_Call] = []
        self._seen_whole = False
        self.numbers = Numbers(report)

    async def refresh(self) -> Numbers:
        """Read up to the end of the log, as it is at some moment of this call. CorruptError where an entry is gone: its
        numbers would be given again."""
        report = self.numbers.report
        width = 1
        while True:
            first = self.numbers.sequence + 1
            found = await asyncio.gather(*(self._read(report, first + step) for step in range(width)))
            for log in found:
                if log is None:
                    if await self._is_end():
                        return self.numbers
                    break
                try:
                    self.numbers.apply(log)
                except NumberLogError as error:
                    raise _corrupt(str(error), keys.numbers(report, log.sequence)) from error
            width = min(2 * width, AHEAD)

    async def cite(self, wishes: Sequence[Wish], *, by: str, now: str) -> list[int]:
        """The number of each wish, which are given now where there were none. Again is harmless. Calls that wait for
        each other in this process go together: one look at the log, and one object, for all of them."""
        mine = _Call(tuple(wishes), by)
        self._waiting.append(mine)
        async with self._turn:
            if mine.answers is None:
                await self._answer([call for call in self._waiting if call.by == by][:TOGETHER], mine, by, now)
        assert mine.answers is not None
        return mine.answers

    async def _answer(self, calls: list[_Call], mine: _Call, by: str, now: str) -> None:
        """Answer calls that all waited before the log is looked at; where that fails, each tries for itself."""
        together = calls if mine in calls else [*calls, mine]
        found: list[int] = []

        def plan(numbers: Numbers) -> Sequence[NumberChange]:
            wishes = [wish for call in together for wish in call.wishes]
            changes, found[:] = changes_for(numbers, wishes, url_under(numbers.policy or self._policy))
            return changes

        try:
            await self._append(plan, by=by, now=now)
        except BaseException:
            self._waiting.remove(mine)
            raise
        done = iter(found)
        for call in together:
            call.answers = [next(done) for _ in call.wishes]
            self._waiting.remove(call)

    async def append(self, plan: Planner, *, by: str, now: str, policy: str | None = None) -> None:
        """Write down what `plan` asks for of the newest state; it is asked again after a lost race. Nothing is written
        where it asks for nothing. ValueError where it asks for more than an object holds."""
        async with self._turn:
            await self._append(plan, by=by, now=now, policy=policy)

    async def _append(self, plan: Planner, *, by: str, now: str, policy: str | None = None) -> None:
        for race in range(RACES):
            numbers = await self.refresh()
            changes = tuple(plan(numbers))
            if not changes:
                return
            if len(changes) > MAX_CHANGES:
                raise ValueError(f"{len(changes)} changes at once; {MAX_CHANGES} are the most")
            log = NumberLog(
                schema="citevault/number-log@1",
                report=numbers.report,
                sequence=numbers.sequence + 1,
                at=now,
                by=by,
                policy=policy or numbers.policy or self._policy,
                changes=changes,
            )
            key = keys.numbers(numbers.report, log.sequence)
            if await self._store.create(key, canonical_bytes(log), content_type="application/json"):
                numbers.apply(log)
                return
            await asyncio.sleep(random.uniform(0, PAUSE_SECONDS * min(race, 10) / 10))  # noqa: S311
        raise RetryableError(
            "others give numbers at the same time",
            where=keys.numbers_of(self.numbers.report),
            next_step="try again",
        )

    async def _is_end(self) -> bool:
        report, last = self.numbers.report, self.numbers.sequence
        if self._seen_whole:
            return await is_end_nearby(self._store, last, partial(keys.numbers, report))
        self._seen_whole = await is_end(self._store, keys.numbers_of(report), last, partial(keys.numbers, report))
        return self._seen_whole

    async def _read(self, report: str, sequence: int) -> NumberLog | None:
        try:
            return await read_object(self._store, keys.numbers(report, sequence), NumberLog)
        except ObjectMissingError:
            return None


def url_under(policy_id: str) -> UrlOf:
    """How a policy maps what is cited. PermanentError where this version does not have it."""
    name = policy_id.partition("+")[0]
    try:
        policy = load_policy(name)
    except LookupError:
        policy = None
    if policy is None or policy.id != policy_id:
        raise PermanentError(
            f"numbers are found under {policy_id}, which this version does not have",
            next_step="use the version that has it, or `cite migrate`",
        )

    def url_of(cited: CitedSnapshot) -> str:
        return citation_url(NormalizedUrl(cited.normalized_url), cited.fragment, policy).value

    return url_of


def _corrupt(what: str, where: str) -> CorruptError:
    return CorruptError(
        f"the log of citation numbers does not follow: {what}",
        where=where,
        next_step="restore the object from a copy of the bucket",
    )
