"""Noticing that Redis is older than it was: remembering its pulse outside of it, in this process and in the store.

A scheduler that finds so rebuilds by itself (`deploy/decisions/0042-…`).
"""

from __future__ import annotations

from typing import Literal, Protocol

from pydantic import Field

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.reading import DocumentError, read_document
from schemas.records.base import Count, Record
from workers.errors import EpochError, ObjectMissingError, RetryableError
from workers.frontier.epoch import Epoch
from workers.frontier.lineage import Sighting, forgotten
from workers.ports import ObjectStore

MAX_BYTES = 4096


class Past(Protocol):
    """What Redis says of its own past, and the pulse in it."""

    async def seen(self) -> Sighting: ...

    async def note(self, pulse: int) -> None: ...

    async def beat(self) -> int: ...


class PulseRecord(Record):
    """`control/pulse`: a pulse that Redis had in this epoch; it may have a higher one, never a lower one."""

    schema_id: Literal["citevault/pulse@1"] = Field(alias="schema")
    epoch: Count
    pulse: Count


class Lineage:
    """One archive's Redis, as one process has seen it. What was seen in another epoch counts for nothing."""

    def __init__(self, store: ObjectStore, epoch: Epoch, past: Past) -> None:
        self._store = store
        self._epoch = epoch
        self._past = past
        self._highest = (0, 0)
        """Epoch and pulse."""

    async def lost(self) -> str | None:
        """Why Redis, which is in the epoch that we believe in, may lack writes; None: nothing says so. One in which
        nobody has noted anything is taken as it is."""
        seen = await self._past.seen()
        if seen.noted is None:
            await self.note(since=seen.promotion)
            return None
        return forgotten(seen, max(self._seen_here(), await self._stored()))

    async def promotion(self) -> str:
        """After which Redis speaks, so that `note` can tell whether it is the same one still."""
        return (await self._past.seen()).promotion

    async def note(self, *, since: str) -> None:
        """The state is whole now: it was restored since this promotion, or nobody knows better. RetryableError where
        another took over meanwhile."""
        seen = await self._past.seen()
        if seen.promotion != since:
            raise RetryableError("a replica took over during the rebuild", where="Redis", next_step="try again")
        await self._past.note(1 + max(seen.pulse, self._seen_here(), await self._stored()))

    async def look(self) -> int:
        """One look, and one more pulse; the tick's number of pieces of work, which is none. EpochError where writes
        were lost: what is to be done next rests on a state that is gone."""
        epoch, known = self._epoch.number or 0, self._seen_here()
        reason = forgotten(await self._past.seen(), known)
        if reason is None:
            pulse = await self._past.beat()
            if self._epoch.number != epoch:
                return 0  # somebody else has rebuilt the state since
            reason = forgotten(Sighting("", "", pulse), known + 1)
        if reason is not None:
            raise EpochError(reason, where="Redis", next_step="nothing: the scheduler rebuilds the state")
        self._highest = (epoch, pulse)
        return 0

    async def remember(self) -> int:
        """Write down the highest pulse that was seen, for who comes after this process."""
        epoch, pulse = self._highest
        if pulse and epoch == self._epoch.number:
            record = PulseRecord(schema="citevault/pulse@1", epoch=epoch, pulse=pulse)
            await self._store.put(keys.PULSE, canonical_bytes(record), content_type="application/json")
        return 0

    def _seen_here(self) -> int:
        epoch, pulse = self._highest
        return pulse if epoch == self._epoch.number else 0

    async def _stored(self) -> int:
        """0 where there is none of this epoch; one that cannot be read tells nothing."""
        try:
            data = await self._store.get(keys.PULSE, limit=MAX_BYTES)
        except ObjectMissingError:
            return 0
        record = read_document(data, PulseRecord)
        if isinstance(record, DocumentError) or record.epoch != self._epoch.number:
            return 0
        return record.pulse
