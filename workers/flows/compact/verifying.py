"""Whether a joined file holds what it joined: read back from the store whole, before anything is deleted.

Every joined file's bytes by its SHA-256, every record by its digests, every index line by the record that it names.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from pathlib import Path
from typing import Final

from schemas.records.compaction import Compaction
from workers.archive.parsing import CorruptRecord
from workers.archive.reading import read_file
from workers.errors import CorruptError, ObjectMissingError
from workers.flows.compact.building import MAX_INDEX_BYTES, PIECE_BYTES
from workers.flows.compact.files import Damaged
from workers.flows.compact.ports import CompactPorts, Progress


async def verify(entry: Compaction, ports: CompactPorts) -> Damaged | None:
    """None: the new file and its index are whole. Needs room for the file in the folder."""
    path = ports.folder / f"{secrets.token_hex(8)}.verify"
    try:
        return await _verify(entry, ports, path)
    except (CorruptError, ObjectMissingError) as error:
        return Damaged(error.where, error.what)
    finally:
        path.unlink(missing_ok=True)


async def _verify(entry: Compaction, ports: CompactPorts, path: Path) -> Damaged | None:
    digest = await _fetch(entry, ports, path)
    if digest != entry.warc.sha256:
        return Damaged(entry.warc.key, f"its SHA-256 is {digest}, not {entry.warc.sha256}")
    for source in entry.sources:
        if await asyncio.to_thread(_sha256_of, path, source.start, source.warc.bytes) != source.warc.sha256:
            return Damaged(entry.warc.key, f"it does not hold {source.warc.key} at {source.start}")
    index = await ports.store.get(entry.cdxj.key, limit=MAX_INDEX_BYTES)
    if hashlib.sha256(index).hexdigest() != entry.cdxj.sha256:
        return Damaged(entry.cdxj.key, f"its SHA-256 is not {entry.cdxj.sha256}")
    ports.told(Progress("reading its records", 0, entry.warc.entries, "records"))
    return await asyncio.to_thread(_read_all, entry, path, index)


async def _fetch(entry: Compaction, ports: CompactPorts, path: Path) -> str:
    """The file as the store has it, on disk; its SHA-256. CorruptError where it is shorter."""
    digest = hashlib.sha256()
    with path.open("wb") as stream:
        for offset in range(0, entry.warc.bytes, PIECE_BYTES):
            length = min(PIECE_BYTES, entry.warc.bytes - offset)
            piece = await ports.store.get_range(entry.warc.key, offset, length)
            digest.update(piece)
            stream.write(piece)
            ports.told(Progress("reading back", offset + length, entry.warc.bytes, "bytes"))
    return digest.hexdigest()


def _sha256_of(path: Path, start: int, length: int) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        stream.seek(start)
        while length and (piece := stream.read(min(length, _READ_BYTES))):
            digest.update(piece)
            length -= len(piece)
    return digest.hexdigest()


def _read_all(entry: Compaction, path: Path, index: bytes) -> Damaged | None:
    """Every record, its digests checked as it is read, and that each index line names one of them."""
    waiting = _places(index)
    count = 0
    with path.open("rb") as stream:
        for located in read_file(stream):
            if isinstance(located.record, CorruptRecord):
                return Damaged(entry.warc.key, f"the record at {located.offset} is damaged: {located.record.what}")
            located.record.block.close()
            count += 1
            if waiting.pop(located.offset, located.length) != located.length:
                return Damaged(entry.cdxj.key, f"its line for the record at {located.offset} has another length")
    if count != entry.warc.entries:
        return Damaged(entry.warc.key, f"it has {count} records, not {entry.warc.entries}")
    if waiting:
        return Damaged(entry.cdxj.key, f"no record begins at {min(waiting)}, which a line of it names")
    return None


def _places(index: bytes) -> dict[int, int]:
    """Offset to length of the records that an index names."""
    found: dict[int, int] = {}
    for line in index.splitlines():
        fields = json.loads(line[line.index(b" {") :])
        found[int(fields["offset"])] = int(fields["length"])
    return found


_READ_BYTES: Final = 1024 * 1024
