"""`Catalog` on Redis, over the objects that hold the truth.

Redis bytes, measured on Valkey 9.1: 77 a record (two or three a capture), 367 a snapshot whose
requested and final URL are one resource, the set of that resource included; a test holds the bounds
below. The snapshot itself is read from its file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from schemas.records.compaction import Compaction
from schemas.records.outcome import RecordLocation
from schemas.records.receipt import Receipt
from schemas.records.snapshot import MemberLocation, SnapshotLine
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request
from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.replies import byte_list, number, text_list
from workers.catalog import names
from workers.catalog.packing import milliseconds, pack_record, pack_snapshot, unpack_snapshot
from workers.catalog.receipts import records
from workers.catalog.snapshot_files import SnapshotFiles
from workers.errors import PermanentError
from workers.frontier.scripts import guarded
from workers.ports import CataloguedLine, CataloguedPlace, FilePlace, ObjectStore

BYTES_A_RECORD: Final = 100
BYTES_A_SNAPSHOT: Final = 450
CHUNK: Final = 500
PACKAGE: Final = "workers.adapters.redis"
_AS_SENT: Final = re.compile(r"[!-\[\]-~]+")
"""A URL that goes out as it is written: printable ASCII without blank and backslash."""


@dataclass(frozen=True)
class RedisCatalog:
    """The port `Catalog`."""

    guard: Guard
    store: ObjectStore

    async def add_receipt(self, receipt: Receipt) -> None:
        """Remember where the records of a committed segment lie; again is harmless."""
        if receipt.warc is not None:
            await self._add_places(receipt.warc.key, records(receipt))

    async def add_snapshots(self, snapshots_key: str, lines: Sequence[CataloguedLine]) -> None:
        """Remember all snapshots of one file, in the order of its lines; again is harmless. A later extraction of the
        same snapshot takes the place of an earlier one."""
        await self._add_locations([line.conversion for line in lines if line.conversion is not None])
        for start in range(0, len(lines), CHUNK):
            sets: dict[str, int] = {}
            args: list[Argument] = [snapshots_key]
            for place, line in enumerate(lines[start : start + CHUNK], start):
                snapshot = line.snapshot
                args += [pack_snapshot(snapshot.id), f":{place:x}", milliseconds(snapshot.retrieved_at)]
                wanted = [names.job_snapshots(snapshot.job_id), *_resources(line)]
                args += [len(wanted), *(sets.setdefault(key, len(sets) + 1) for key in wanted)]
            keys = [names.FILES, names.FILE_NAMES, names.SNAPSHOTS, names.NEWEST, *sets]
            await self._add_snapshots(keys, args)

    async def locate(self, record_id: str) -> MemberLocation | None:
        """Where a record lies now; None where no receipt or snapshot file names it."""
        found = await self._located(pack_record(record_id))
        if not found:
            return None
        key, offset, length, _ = found
        return MemberLocation(key=key, record_id=record_id, offset=int(offset, 16), length=int(length, 16))

    async def add_compaction(self, compaction: Compaction) -> None:
        """Remember where the files that it joined lie now. Again is harmless, and does not depend on when the receipts
        of these files come, or come again."""
        sources = compaction.sources
        for start in range(0, len(sources), CHUNK):
            last = start + CHUNK >= len(sources)
            args: list[Argument] = [compaction.sequence if last else "", compaction.warc.key]
            for source in sources[start : start + CHUNK]:
                args += [source.warc.key, f"{source.start:x}"]
            await self._add_moves([names.FILES, names.FILE_NAMES, names.MOVED, names.COMPACTED], args)

    async def compacted(self) -> int:
        """Number of the last entry of the compaction log that was added; 0: none."""
        (reply,) = await self.guard.read(lambda pipe: pipe.get(names.COMPACTED), "compactions")
        return 0 if reply is None else number(reply)

    async def moved(self, key: str, offset: int) -> FilePlace | None:
        """Where lies now what lay there in a file that was joined since. None: the file was not joined."""
        found = await self._located("", key, f"{offset:x}")
        if not found or found[3] == "0":
            return None
        return FilePlace(found[0], int(found[1], 16))

    async def snapshots_of(self, normalized_url: str) -> list[str]:
        """Snapshots of a resource, newest first."""
        return await self._snapshots(names.resource(normalized_url), 0, -1, newest_first=True)

    async def snapshot(self, snapshot_id: str) -> SnapshotLine | None:
        """The snapshot as its file has it."""
        try:
            packed = pack_snapshot(snapshot_id)
        except ValueError:
            return None
        found = text_list(await self._look_up([names.SNAPSHOTS, names.FILE_NAMES], [packed]))
        return await self._files.line(found[0], int(found[1], 16)) if found else None

    async def newest(self, *, limit: int = 100, before: str | None = None) -> list[str]:
        """Snapshots of the archive, newest first, after the one named `before` in that order."""
        start = 0
        if before is not None:
            start = await self._rank(before) + 1
        return await self._snapshots(names.NEWEST, start, start + limit - 1, newest_first=True)

    async def snapshots_of_job(self, job_id: str) -> list[str]:
        """Snapshots of a job, in order of retrieval."""
        return await self._snapshots(names.job_snapshots(job_id), 0, -1, newest_first=False)

    # --- within -------------------------------------------------------------------------------

    async def _located(self, *args: Argument) -> list[str]:
        keys = [names.RECORDS, names.FILE_NAMES, names.MOVED, names.FILES]
        return text_list(await self._locate(keys, args))

    async def _snapshots(self, key: str, start: int, stop: int, *, newest_first: bool) -> list[str]:
        (reply,) = await self.guard.read(lambda pipe: pipe.zrange(key, start, stop, desc=newest_first), "snapshots")
        return [unpack_snapshot(packed) for packed in byte_list(reply)]

    async def _rank(self, snapshot_id: str) -> int:
        try:
            packed = pack_snapshot(snapshot_id)
        except ValueError:
            packed = b""
        (rank,) = await self.guard.read(lambda pipe: pipe.zrevrank(names.NEWEST, packed), "snapshots")
        if not isinstance(rank, int):
            raise PermanentError("there is no such snapshot to go on from", where=snapshot_id[:80])
        return rank

    async def _add_locations(self, members: Sequence[CataloguedPlace]) -> None:
        by_key: dict[str, list[CataloguedPlace]] = {}
        for member in members:
            by_key.setdefault(member.key, []).append(member)
        for key, of_file in by_key.items():
            await self._add_places(key, of_file)

    async def _add_places(self, key: str, members: Sequence[CataloguedPlace | RecordLocation]) -> None:
        for start in range(0, len(members), CHUNK):
            args: list[Argument] = [key]
            for member in members[start : start + CHUNK]:
                args += [pack_record(member.record_id), f":{member.offset:x}:{member.length:x}"]
            await self._add_records([names.FILES, names.FILE_NAMES, names.RECORDS], args)

    @cached_property
    def _files(self) -> SnapshotFiles:
        return SnapshotFiles(self.store)

    @cached_property
    def _add_records(self) -> Script:
        return self.guard.script(guarded(PACKAGE, "add_records"), "catalog records")

    @cached_property
    def _add_moves(self) -> Script:
        return self.guard.script(guarded(PACKAGE, "add_moves"), "catalog moves")

    @cached_property
    def _locate(self) -> Script:
        return self.guard.script(guarded(PACKAGE, "locate"), "catalog places")

    @cached_property
    def _add_snapshots(self) -> Script:
        return self.guard.script(guarded(PACKAGE, "add_snapshots"), "catalog snapshots")

    @cached_property
    def _look_up(self) -> Script:
        return self.guard.script(guarded(PACKAGE, "look_up"), "catalog look-up")


def _resources(line: CataloguedLine) -> list[str]:
    """The resources under which a snapshot is found: the final URL and, where it is another one, the requested."""
    final, asked = str(line.snapshot.normalized_url), line.snapshot.requested_url
    if asked == final and _AS_SENT.fullmatch(asked):
        return [names.resource(final)]  # the usual case: normal, and sent as it stands
    requested = identity_of_request(asked)
    urls = [final] if isinstance(requested, UrlError) else dict.fromkeys((final, str(requested.url)))
    return [names.resource(url) for url in urls]
