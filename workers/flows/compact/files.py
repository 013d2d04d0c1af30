"""Which files of captures stand now: those of receipts and of compactions that no later compaction has joined."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from schemas import keys
from schemas.records.compaction import Compaction
from schemas.records.receipt import Receipt
from workers.errors import CorruptError
from workers.flows.compact.log import compactions_after
from workers.flows.compact.plan import LooseFile
from workers.flows.compact.ports import Progress, told_nobody
from workers.flows.documents import read_object
from workers.ports import ObjectStore

READS_AT_ONCE: Final = 8


@dataclass(frozen=True, slots=True)
class Damaged:
    """An object that is not what it should be. It is left alone, and what hangs on it."""

    key: str
    why: str


@dataclass(slots=True)
class Standing:
    """The files that stand, as far as `sequence` entries of the log and the receipts that were read tell."""

    sequence: int = 0
    joined: set[str] = field(default_factory=set)
    """Keys of files that are part of another now."""
    made: dict[str, LooseFile] = field(default_factory=dict)
    """Files that compactions made and none has joined, by key."""
    loose: dict[str, LooseFile] = field(default_factory=dict)
    """Files of receipts that no compaction has joined, by key."""
    told_receipts: set[str] = field(default_factory=set)
    """Keys of receipts that need not be read: their file is known."""

    @property
    def files(self) -> list[LooseFile]:
        return [*self.loose.values(), *self.made.values()]

    def take(self, entry: Compaction) -> None:
        """Follow the log by one entry."""
        for source in entry.sources:
            key = source.warc.key
            self.joined.add(key)
            self.made.pop(key, None)
            self.loose.pop(key, None)
            if source.receipt_key is not None:
                self.told_receipts.add(source.receipt_key)
        self.made[entry.warc.key] = LooseFile(entry.warc, entry.cdxj, entry.collection, None)
        self.sequence = entry.sequence

    async def follow(self, store: ObjectStore) -> None:
        """Take in what others have added to the log."""
        async for entry in compactions_after(store, self.sequence):
            self.take(entry)


async def standing_files(
    store: ObjectStore, told: Callable[[Progress], None] = told_nobody
) -> tuple[Standing, list[Damaged]]:
    """Read the log, and the receipts whose files it does not know. A receipt that cannot be read is told, and its file
    left alone."""
    standing = Standing()
    await standing.follow(store)
    wanted = [key async for key in store.list(keys.COMMITS) if key not in standing.told_receipts]
    damaged: list[Damaged] = []
    for start in range(0, len(wanted), READS_AT_ONCE):
        some = wanted[start : start + READS_AT_ONCE]
        for key, file in zip(some, await asyncio.gather(*(_file_of(store, key) for key in some)), strict=True):
            standing.told_receipts.add(key)
            if isinstance(file, Damaged):
                damaged.append(file)
            elif file is not None and file.warc.key not in standing.joined:
                standing.loose[file.warc.key] = file
        told(Progress("receipts read", start + len(some), len(wanted), "receipts"))
    return standing, damaged


async def _file_of(store: ObjectStore, receipt_key: str) -> LooseFile | Damaged | None:
    """None where no URL of the receipt made a record."""
    try:
        receipt = await read_object(store, receipt_key, Receipt)
    except CorruptError as error:
        return Damaged(receipt_key, error.what)
    if receipt.warc is None:
        return None
    return LooseFile(receipt.warc, receipt.cdxj, receipt.collection, receipt_key)


def taken(files: Sequence[LooseFile], standing: Standing) -> bool:
    """Whether somebody else has joined one of these meanwhile."""
    return any(file.warc.key in standing.joined for file in files)
