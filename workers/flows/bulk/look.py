"""Step 3: the look at both texts of each pair, from copies of the stored texts. A file of verdicts a segment."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from schemas.records.cluster import EdgeVerdict
from schemas.records.snapshot import SnapshotLine
from workers.flows.bulk.pairs import Brought, brought_by
from workers.flows.bulk.plan import write_whole
from workers.flows.bulk.rows import Rows
from workers.flows.bulk.texts import Texts
from workers.flows.cluster_looking import Looks
from workers.flows.documents import MAX_OBJECT_BYTES, pack_lines, parse
from workers.packed import unpack
from workers.ports import ObjectStore

VERDICTS: Final = "verdicts"
TEXTS: Final = "texts"
OPEN_FILES: Final = 128


class StoredCopies:
    """`TextSource` over files: each object is fetched whole when it is first wanted, and lies in the folder. Some are
    kept open."""

    def __init__(self, store: ObjectStore, folder: Path) -> None:
        self._store = store
        self._folder = folder
        self._open: OrderedDict[str, BinaryIO] = OrderedDict()
        folder.mkdir(exist_ok=True)

    async def get_range(self, key: str, offset: int, length: int) -> bytes:
        """Exactly these bytes of an object."""
        stream = self._open.get(key) or await self._opened(key)
        found = os.pread(stream.fileno(), length, offset)
        return found if len(found) == length else await self._store.get_range(key, offset, length)

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()

    async def _opened(self, key: str) -> BinaryIO:
        file = self._folder / hashlib.sha256(key.encode()).hexdigest()
        if not file.exists():
            write_whole(file, await self._store.get(key, limit=MAX_OBJECT_BYTES))
        if len(self._open) == OPEN_FILES:
            self._open.popitem(last=False)[1].close()
        stream = self._open[key] = file.open("rb")
        return stream


class GatheredLines:
    """`SnapshotSource` over the gathered lines."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._wanted: dict[str, int] = {}

    def expect(self, row: int) -> str:
        """The snapshot of a row, which `snapshot` will be asked for."""
        snapshot = bytes(self._rows.rows["snapshot"][row]).decode()
        self._wanted[snapshot] = row
        return snapshot

    def forget(self) -> None:
        self._wanted.clear()

    async def snapshot(self, snapshot_id: str) -> SnapshotLine | None:
        row = self._wanted.get(snapshot_id)
        return None if row is None else parse(self._rows.line(row), SnapshotLine, snapshot_id)


async def look_at_pairs(
    rows: Rows, texts: Texts, store: ObjectStore, folder: Path, told: Callable[[int], None]
) -> dict[int, int]:
    """Verdicts on all pairs; `told` hears how many pairs are done. By segment, how many pairs were left out."""
    (folder / VERDICTS).mkdir(exist_ok=True)
    lines = GatheredLines(rows)
    left_out: dict[int, int] = {}
    done = 0
    with closing(StoredCopies(store, folder / TEXTS)) as copies:
        looks = Looks(copies, lines)
        for brought in brought_by(folder):
            left_out[brought.segment] = brought.left_out
            file = verdicts_file(folder, brought.segment)
            if not file.exists():
                told_so_far = partial(_told_from, told, done)
                write_whole(file, pack_lines(await _look(brought, rows, texts, lines, looks, told_so_far)))
            done += len(brought.pairs)
            told(done)
    return left_out


def _told_from(told: Callable[[int], None], start: int, at: int) -> None:
    told(start + at)


def verdicts_file(folder: Path, segment: int) -> Path:
    """Where the verdicts on the pairs of a segment lie, by its place in the plan."""
    return folder / VERDICTS / f"{segment:07d}.jsonl.gz"


def read_verdicts(folder: Path, segment: int) -> list[EdgeVerdict]:
    """Those of one segment; none where it brings no pairs."""
    file = verdicts_file(folder, segment)
    if not file.exists():
        return []
    return [parse(line, EdgeVerdict, str(file)) for line in unpack(file.read_bytes(), str(file))]


async def _look(
    brought: Brought, rows: Rows, texts: Texts, lines: GatheredLines, looks: Looks, told: Callable[[int], None]
) -> list[EdgeVerdict]:
    witnesses: dict[str, str] = {}
    pairs: list[tuple[str, str]] = []
    for pair in brought.pairs:
        found = [int(texts.witness[place]) for place in pair]
        one, other = (bytes(rows.rows["text"][row]).decode() for row in found)
        witnesses[one], witnesses[other] = (lines.expect(row) for row in found)
        pairs.append((one, other))
    done = 0

    async def between() -> None:
        nonlocal done
        done += 1
        if done % 200 == 0:
            told(done)
            await asyncio.sleep(0)

    verdicts = await looks.at(pairs, witnesses, between)
    looks.forget()
    lines.forget()
    return verdicts
