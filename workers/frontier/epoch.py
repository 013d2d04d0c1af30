"""The epoch: which life of Redis the archive is in (deploy/protocol.md, Order of writes).

It lies in the store under `control/epoch` and is changed with If-Match. Redis holds a copy that every
script compares with what its caller believes. Whoever finds that Redis has lost its state raises the
epoch in the store first: from then on all that still speaks of the old state is refused.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.reading import DocumentError, read_document
from schemas.records.base import Count, Record, ShortText, UtcTime
from workers.errors import CorruptError, ObjectMissingError, RetryableError
from workers.ports import ObjectStore

MAX_BYTES = 64 * 1024
RACES = 10
REBUILDING = "+rebuilding"
RESTORE_EPOCH = "restore it from a copy, with a number above every epoch in the newest receipts"


class EpochRecord(Record):
    """`control/epoch`: the number in force, and why it was raised last."""

    schema_id: Literal["citevault/epoch@1"] = Field(alias="schema")
    epoch: Count
    raised_at: UtcTime
    reason: ShortText


class Epoch:
    """What this process believes the epoch to be. All adapters of a process share one, so they change together."""

    def __init__(self, store: ObjectStore | None = None, *, number: int | None = None) -> None:
        self._store = store
        self.number = number
        """None: not read yet, or the archive has none so far."""
        self.rebuilding = False
        """Set by the one process that restores the state while everybody else is refused."""

    @property
    def text(self) -> str:
        """What the epoch key must hold for a call of this process to be let in."""
        if self.number is None:
            return "unknown"
        return f"{self.number}{REBUILDING}" if self.rebuilding else str(self.number)

    async def refresh(self) -> None:
        """Believe what the store says."""
        if self._store is not None:
            record = await read_epoch(self._store)
            self.number = None if record is None else record.epoch


async def read_epoch(store: ObjectStore) -> EpochRecord | None:
    """The epoch in force; None where the archive never had one."""
    try:
        data = await store.get(keys.EPOCH, limit=MAX_BYTES)
    except ObjectMissingError:
        return None
    record = read_document(data, EpochRecord)
    if isinstance(record, DocumentError):
        raise CorruptError(
            f"the epoch object cannot be read: {record}",
            where=keys.EPOCH,
            next_step=RESTORE_EPOCH,
        )
    return record


async def raise_epoch(store: ObjectStore, *, now: str, reason: str, above: int = 0) -> EpochRecord:
    """Put the next epoch in force; where the store names none, the one after `above`, the highest that the archive is
    known to have had. Several callers get different numbers."""
    for _ in range(RACES):
        info = await store.info(keys.EPOCH)
        found = None if info is None else await read_epoch(store)
        before = above if found is None else found.epoch
        following = EpochRecord(schema="citevault/epoch@1", epoch=before + 1, raised_at=now, reason=reason)
        body = canonical_bytes(following)
        if info is None:
            won = await store.create(keys.EPOCH, body, content_type="application/json")
        else:
            won = await store.replace(keys.EPOCH, body, etag=info.etag)
        if won:
            return following
    raise RetryableError("the epoch was raised by others at the same time", where=keys.EPOCH, next_step="try again")
