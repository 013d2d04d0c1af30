"""Which epochs an archive has had, where the object that says so is gone: tokens of an earlier epoch must stay earlier.

Receipts name the epoch that they were made in, what was parked as damaged lies in the folder of one, and Redis may
still hold the mark of its own.
"""

from __future__ import annotations

from typing import Final

from schemas import keys
from schemas.reading import DocumentError, read_stored
from schemas.records.receipt import Receipt
from workers.errors import CorruptError
from workers.flows.ahead import read_ahead
from workers.frontier.epoch import REBUILDING, RESTORE_EPOCH
from workers.ports import ObjectStore

MAX_RECEIPT_BYTES: Final = 256 * 1024 * 1024


async def highest_epoch(store: ObjectStore, mark: str) -> int:
    """The highest epoch that receipts, parked objects or the mark of Redis speak of; 0 where nothing does. Reads all
    receipts, as the rebuild that follows does. CorruptError where there are receipts and none can be read."""
    digits = mark.removesuffix(REBUILDING)
    found = [int(digits)] if digits.isdecimal() else []
    async for key in store.list(keys.DAMAGED):
        folder = key.removeprefix(keys.DAMAGED).partition("/")[0]
        if folder.isdecimal():
            found.append(int(folder))

    async def read(key: str) -> int | None:
        receipt = read_stored(await store.get(key, limit=MAX_RECEIPT_BYTES), Receipt)
        return None if isinstance(receipt, DocumentError) else receipt.token.epoch

    receipts = [key async for key in store.list(keys.COMMITS)]
    epochs = [epoch async for _, epoch in read_ahead(receipts, read) if epoch is not None]
    if receipts and not epochs and not found:
        raise CorruptError(
            f"the epoch object is gone, and none of {len(receipts)} receipts can be read for the epoch they are of",
            where=keys.EPOCH,
            next_step=RESTORE_EPOCH,
        )
    return max([0, *found, *epochs])
