"""The ledger of judgements over the object store: append-only, one object a judgement, nothing of it in Redis.

Who loses a race for a number reads the winner's and takes the next. An entry whose digests are not those of its inputs
or of its place is corrupt, never a judgement.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.judging import instant, judgement_key
from schemas.records.claim import Support
from schemas.records.judgement import JudgementEntry, JudgementInputs
from workers.errors import CorruptError, RetryableError
from workers.flows.documents import read_object
from workers.judge.question import digest_of
from workers.ports import ObjectStore

AT_ONCE = 16
RACES = 1_000
DIGEST_CHARS = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """What a judgement answers: inputs, the passage that was shown, and whom."""

    inputs: JudgementInputs
    context_sha256: str
    checker_version: str
    checker_sha256: str | None

    @property
    def inputs_sha256(self) -> str:
        return digest_of(self.inputs)

    @property
    def key(self) -> str:
        return judgement_key(self.inputs_sha256, self.context_sha256, self.checker_version, self.checker_sha256)


class JudgementLedger:
    """All judgements that were ever made."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    async def of(self, inputs: str) -> tuple[JudgementEntry, ...]:
        """Every judgement of these inputs, by whichever checker, in order of time."""
        names = await self._names(keys.judgements_of(inputs))
        return tuple(sorted([await self._read(name) for name in names], key=_order))

    async def of_each(self, inputs: Iterable[str]) -> dict[str, tuple[JudgementEntry, ...]]:
        """The same for many; where nobody has judged anything yet, by one look."""
        wanted = sorted(set(inputs))
        if len(wanted) > AT_ONCE and await anext(self._store.list(keys.JUDGEMENTS), None) is None:
            return dict.fromkeys(wanted, ())
        room = asyncio.Semaphore(AT_ONCE)

        async def one(digest: str) -> tuple[JudgementEntry, ...]:
            async with room:
                return await self.of(digest)

        return dict(zip(wanted, await asyncio.gather(*map(one, wanted)), strict=True))

    async def judged_inputs(self) -> list[str]:
        """Digests of all inputs that somebody judged, sorted."""
        found = {name.split("/")[1] async for name in self._store.list(keys.JUDGEMENTS)}
        return sorted(name for name in found if len(name) == DIGEST_CHARS)

    async def everything(self) -> AsyncIterator[JudgementEntry]:
        """The whole ledger, in no order that may be relied on."""
        names = await self._names(keys.JUDGEMENTS)
        for start in range(0, len(names), AT_ONCE):
            for entry in await asyncio.gather(*map(self._read, names[start : start + AT_ONCE])):
                yield entry

    async def append(self, asked: Asked, support: Support, rationale: str, *, by: str, now: str) -> JudgementEntry:
        """Write a judgement down, under the next number of its key."""
        inputs, key = asked.inputs_sha256, asked.key
        taken = [name async for name in self._store.list(f"{keys.judgements_of(inputs)}{key}-")]
        first = max((_number(name) for name in taken), default=0) + 1
        for sequence in range(first, first + RACES):
            entry = JudgementEntry(
                schema="citevault/judgement@1",
                sequence=sequence,
                inputs=asked.inputs,
                inputs_sha256=inputs,
                context_sha256=asked.context_sha256,
                checker_version=asked.checker_version,
                checker_sha256=asked.checker_sha256,
                support=support,
                rationale=rationale,
                judged_at=now,
                by=by,
            )
            name = keys.judgement(inputs, key, sequence)
            if await self._store.create(name, canonical_bytes(entry), content_type="application/json"):
                return entry
        raise RetryableError("others judge the same at the same time", where=name, next_step="try again")

    async def _names(self, prefix: str) -> list[str]:
        """All names below a prefix. CorruptError where one of a row is missing, also when looked at again: a listing
        may have passed the place of one that was written meanwhile."""
        names = [name async for name in self._store.list(prefix)]
        if _gap(names) is not None:
            names = [name async for name in self._store.list(prefix)]
        gone = _gap(names)
        if gone is not None:
            raise CorruptError(
                "a judgement is gone, and later ones under its key are there",
                where=gone,
                next_step="restore the object from a copy of the bucket: what it said may decide",
            )
        return names

    async def _read(self, name: str) -> JudgementEntry:
        entry = await read_object(self._store, name, JudgementEntry)
        asked = Asked(entry.inputs, entry.context_sha256, entry.checker_version, entry.checker_sha256)
        if keys.judgement(asked.inputs_sha256, asked.key, entry.sequence) != name:
            raise CorruptError(
                "a judgement is not of the inputs that its name says",
                where=name,
                next_step="restore the object from a copy of the bucket",
            )
        if entry.inputs_sha256 != asked.inputs_sha256:
            raise CorruptError("a judgement misstates its inputs", where=name, next_step="restore the object")
        return entry


def _gap(names: Iterable[str]) -> str | None:
    """The name of an entry that is gone: they are numbered from 1 without gaps, so all but the last are missed."""
    numbers: dict[str, list[int]] = {}
    for name in names:
        numbers.setdefault(name.rpartition("-")[0], []).append(_number(name))
    for key, found in sorted(numbers.items()):
        for place, number in enumerate(sorted(found), 1):
            if place != number:
                return f"{key}-{place:010d}.json"
    return None


def _order(entry: JudgementEntry) -> tuple[str, str, int]:
    return instant(entry.judged_at), entry.checker_version, entry.sequence


def _number(name: str) -> int:
    digits = name.rpartition("-")[2].removesuffix(".json")
    return int(digits) if digits.isdecimal() else 0
