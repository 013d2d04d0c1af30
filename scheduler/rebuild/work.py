"""One rebuild as it goes on: what it has found so far, and how it reads.

What cannot be read is parked (`damage`) and the rest goes on: one bad object must not keep an archive of a million
good ones from working. A store that is away ends the rebuild, since nothing can be said of what it holds.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from scheduler.rebuild.comparison import Said
from scheduler.rebuild.damage import DamagedObject, park_damage
from scheduler.rebuild.ports import RebuildPorts
from schemas.reading import DocumentError, read_stored
from schemas.records.base import Record
from schemas.records.job import StoredJob
from workers.errors import CitevaultError, CorruptError, EpochError, PermanentError
from workers.flows.ahead import read_ahead
from workers.ports import SegmentEntry

TOLD_EACH: Final = 20
MAX_DOCUMENT_BYTES: Final = 64 * 1024 * 1024
T = TypeVar("T")
R = TypeVar("R", bound=Record)
Told = Callable[[str, int, int], None]
"""Hears of progress: the kind of object, how many of it are read, how many there are."""


def told_nobody(_kind: str, _done: int, _total: int) -> None:
    """For those who do not ask."""


@dataclass(slots=True)
class Rebuilt:
    """What was restored."""

    epoch: int
    objects: int = 0
    jobs: int = 0
    outcomes: int = 0
    queued: int = 0
    cancelled: int = 0
    """URLs without an outcome whose job is cancelled: known again, and written off again; none is fetched."""
    snapshots: int = 0
    receipts: set[str] = field(default_factory=set)
    """Keys of those that were read, so that later ones are told apart."""
    damaged: list[DamagedObject] = field(default_factory=list)
    """What could not be read, and is parked."""
    differences: list[str] = field(default_factory=list)
    """What is other in Redis than the objects say, in sentences: nothing, unless something is wrong."""


@dataclass(slots=True)
class Restoration:
    """What the kinds of objects share while one rebuild lasts."""

    ports: RebuildPorts
    rebuilt: Rebuilt
    now: str
    told: Told = told_nobody
    jobs: list[StoredJob] = field(default_factory=list)
    """Oldest first, once they are read."""
    entries: dict[str, SegmentEntry] = field(default_factory=dict)
    """Segments by id, as far as what was read so far has brought them."""
    cancelled: set[str] = field(default_factory=set)
    """Jobs that are, once the decisions are read."""
    linked: set[str] = field(default_factory=set)
    """Segments of jobs that follow links, where all links were written down."""

    said: Said = field(default_factory=Said)
    """Names of what the objects say, for the comparison in the end."""
    steps: Sequence[Awaitable[object]] = ()
    """What other parts restore meanwhile."""

    def admitted(self, job_id: str, urls: int) -> None:
        """Count URLs that a job has without an outcome."""
        if job_id in self.cancelled:
            self.rebuilt.cancelled += urls
        else:
            self.rebuilt.queued += urls

    async def park(self, key: str, error: CitevaultError) -> None:
        """Note an object that cannot be read or does not fit, durably, and go on."""
        found = await park_damage(self.ports.store, key, error, epoch=self.rebuilt.epoch, now=self.now)
        self.rebuilt.damaged.append(found)

    async def documents(self, kind: str, found: Sequence[str], type_: type[R]) -> AsyncIterator[tuple[str, R]]:
        """JSON documents with their keys, in the order of the keys given; damaged ones are parked and left out."""
        async for key, document in self.each(kind, found, lambda key: self._document(key, type_)):
            yield key, document

    async def each(
        self, kind: str, found: Sequence[str], read: Callable[[str], Awaitable[T]]
    ) -> AsyncIterator[tuple[str, T]]:
        """Read some ahead and give them in order; what is damaged is parked and left out."""
        done = 0
        async for key, value in read_ahead(found, lambda key: _tried(read, key)):
            done += 1
            if done % TOLD_EACH == 0 or done == len(found):
                self.told(kind, done, len(found))
            if isinstance(value, CitevaultError):
                await self.park(key, value)
                continue
            self.rebuilt.objects += 1
            yield key, value

    async def _document(self, key: str, type_: type[R]) -> R:
        return parsed(await self.ports.store.get(key, limit=MAX_DOCUMENT_BYTES), type_, key)


async def _tried(read: Callable[[str], Awaitable[T]], key: str) -> T | CitevaultError:
    """What was read, or why it never will be."""
    try:
        return await read(key)
    except EpochError:
        raise
    except (CorruptError, PermanentError) as error:
        return error


def parsed(data: bytes, kind: type[R], where: str) -> R:
    """A stored document. CorruptError where it is not what it should be."""
    document = read_stored(data, kind)
    if isinstance(document, DocumentError):
        raise CorruptError(
            f"a stored document cannot be read: {document}",
            where=where,
            next_step="restore it from a copy, then rebuild",
        )
    return document
