"""One new file on disk, from the files that it joins: streamed, and each held against what its receipt says of it."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from ulid import ULID

from schemas import keys
from schemas.ids import segment_id, utc_string
from schemas.records.compaction import JoinedFile
from schemas.records.outcome import RecordLocation
from schemas.records.receipt import StoredFile
from workers.archive import cdxj
from workers.archive.packing import ENDINGS, packer
from workers.archive.record import new_record_id
from workers.archive.warcinfo import Warcinfo
from workers.errors import CorruptError, ObjectMissingError
from workers.flows.compact.files import Damaged
from workers.flows.compact.plan import Group, LooseFile
from workers.flows.compact.ports import CompactPorts, Progress
from workers.ports import ObjectStore

if TYPE_CHECKING:
    from hashlib import _Hash

PIECE_BYTES: Final = 8 * 1024 * 1024
"""A larger file is read in pieces of this size, smaller ones some at once."""
READS_AT_ONCE: Final = 8
MAX_INDEX_BYTES: Final = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Built:
    """A new file and its index, on disk, and what they are made of."""

    warc: StoredFile
    warc_path: Path
    cdxj: StoredFile
    cdxj_path: Path
    warcinfo: RecordLocation
    sources: tuple[JoinedFile, ...]

    def remove(self) -> None:
        """Give the room back."""
        _remove(self.warc_path)


@dataclass(slots=True)
class _Growing:
    """The new file as it is written."""

    stream: BinaryIO
    key: str
    digest: _Hash = field(default_factory=hashlib.sha256)
    size: int = 0
    sources: list[JoinedFile] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)

    def write(self, data: bytes) -> None:
        self.stream.write(data)
        self.digest.update(data)
        self.size += len(data)


async def build(group: Group, ports: CompactPorts) -> Built | Damaged:
    """Write the new file and its index into the folder. Damaged: the first of the files, or of their indexes, that is
    not what its receipt says. OSError where the disk is full."""
    path = ports.folder / secrets.token_hex(8)
    try:
        built = await _build(group, ports, path)
    except BaseException:
        _remove(path)
        raise
    if isinstance(built, Damaged):
        _remove(path)
    return built


async def _build(group: Group, ports: CompactPorts, path: Path) -> Built | Damaged:
    now = utc_string(ports.clock.now())
    identifier, ending = segment_id(now, str(ULID())), ENDINGS[group.compression]
    with path.open("wb") as stream:
        new = _Growing(stream, keys.warc(identifier, keys.JOINED, ending))
        warcinfo = _open(new, group, ports.software, now)
        for some in _windows(group.files):
            for file, read in zip(
                some, await asyncio.gather(*(_read(ports.store, each) for each in some)), strict=True
            ):
                damage = read if isinstance(read, Damaged) else await _append(new, file, read, ports.store)
                if damage is not None:
                    return damage
            ports.told(Progress(f"{len(new.sources)} of {len(group.files)} files", new.size, group.bytes, "bytes"))
    index = cdxj.sort_lines(new.lines)
    index_path = _index_path(path)
    index_path.write_bytes(index)
    return Built(
        warc=StoredFile(key=new.key, bytes=new.size, sha256=new.digest.hexdigest(), entries=1 + group.records),
        warc_path=path,
        cdxj=StoredFile(
            key=keys.cdxj(identifier, keys.JOINED),
            bytes=len(index),
            sha256=hashlib.sha256(index).hexdigest(),
            entries=index.count(b"\n"),
        ),
        cdxj_path=index_path,
        warcinfo=warcinfo,
        sources=tuple(new.sources),
    )


def _index_path(path: Path) -> Path:
    return path.with_suffix(".cdxj")


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    _index_path(path).unlink(missing_ok=True)


def _open(new: _Growing, group: Group, software: str, now: str) -> RecordLocation:
    """Write the record that opens the file, and say where it lies."""
    told = f"{len(group.files)} files, each with the warcinfo record that it was written with, joined unchanged"
    info = Warcinfo(software=software, is_part_of=group.collection, description=told)
    record = info.record(new_record_id(), now, new.key.rpartition("/")[2])
    new.write(packer(group.compression).pack(b"".join(record.pieces())))
    return RecordLocation(record_id=record.id, type="warcinfo", offset=0, length=new.size)


def _windows(files: Sequence[LooseFile]) -> Iterator[list[LooseFile]]:
    """Files that are read at once."""
    window: list[LooseFile] = []
    for file in files:
        if window and (len(window) == READS_AT_ONCE or file.warc.bytes > PIECE_BYTES):
            yield window
            window = []
        window.append(file)
        if file.warc.bytes > PIECE_BYTES:
            yield window
            window = []
    if window:
        yield window


@dataclass(frozen=True, slots=True)
class _Read:
    """What was fetched of a file: all of it, where it is small, and its index."""

    warc: bytes | None
    index: bytes


async def _read(store: ObjectStore, file: LooseFile) -> _Read | Damaged:
    key = file.warc.key
    try:
        small = file.warc.bytes <= PIECE_BYTES
        warc = await store.get_range(key, 0, file.warc.bytes) if small else None
        if file.cdxj is None:
            return _Read(warc, b"")
        key = file.cdxj.key
        index = await store.get(key, limit=MAX_INDEX_BYTES)
    except (CorruptError, ObjectMissingError) as error:
        return Damaged(key, error.what)
    if hashlib.sha256(index).hexdigest() != file.cdxj.sha256:
        return Damaged(key, f"its SHA-256 is not {file.cdxj.sha256}")
    return _Read(warc, index)


async def _append(new: _Growing, file: LooseFile, read: _Read, store: ObjectStore) -> Damaged | None:
    """Append a file, whole, and its lines. None: it is what its receipt says."""
    start, digest = new.size, hashlib.sha256()
    try:
        async for piece in _pieces(store, file, read):
            digest.update(piece)
            new.write(piece)
    except (CorruptError, ObjectMissingError) as error:
        return Damaged(file.warc.key, error.what)
    if digest.hexdigest() != file.warc.sha256:
        return Damaged(file.warc.key, f"its SHA-256 is {digest.hexdigest()}, not {file.warc.sha256}")
    name = new.key.removeprefix(keys.WARC)
    try:
        new.lines += [cdxj.moved(line, by=start, filename=name) for line in read.index.splitlines()]
    except ValueError as error:
        return Damaged(file.cdxj.key if file.cdxj else "", f"a line of it cannot be read: {error}")
    new.sources.append(JoinedFile(warc=file.warc, start=start, cdxj=file.cdxj, receipt_key=file.receipt_key))
    return None


async def _pieces(store: ObjectStore, file: LooseFile, read: _Read) -> AsyncIterator[bytes]:
    if read.warc is not None:
        yield read.warc
        return
    for offset in range(0, file.warc.bytes, PIECE_BYTES):
        yield await store.get_range(file.warc.key, offset, min(PIECE_BYTES, file.warc.bytes - offset))
