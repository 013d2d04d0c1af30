"""Which segments a run is about: written down first, so that a run that was killed goes on with the same."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Final

from schemas import keys
from schemas.records.job import Lane
from workers.flows.cluster import ClusterPorts
from workers.flows.cluster_log import log_order
from workers.ports import SegmentEntry

FILE: Final = "plan.jsonl"
MAX_SEGMENTS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Planned:
    """One segment. `entry` None: it is clustered already, and read for the texts that new ones may be alike to."""

    segment_id: str
    snapshots_key: str
    prints_key: str
    entry: SegmentEntry | None


async def plan(ports: ClusterPorts, folder: Path) -> Sequence[Planned]:
    """What an unfinished run planned; else what is extracted and waits, after what is clustered."""
    file = folder / FILE
    if file.exists():
        return [_read(line) for line in file.read_bytes().splitlines()]
    waiting = sorted(await ports.ledger.at("extracted", limit=MAX_SEGMENTS), key=lambda entry: entry.segment_id)
    if not waiting:
        return []
    told = [
        Planned(segment, keys.snapshots(extractor, segment), keys.prints(ports.params, extractor, segment), None)
        for key, segment in await log_order(ports.store, ports.params, keep=_nothing)
        if (extractor := keys.extractor_of(key)) and await _is_of_a_segment(ports, extractor, segment)
    ]
    standing = {each.snapshots_key for each in told}
    told += [
        Planned(entry.segment_id, entry.snapshots_key, entry.prints_key, entry)
        for entry in waiting
        if entry.snapshots_key not in standing
    ]
    write_whole(file, b"".join(json.dumps(asdict(each)).encode() + b"\n" for each in told))
    return told


def forget(folder: Path) -> None:
    """Remove all files of a run."""
    (folder / FILE).unlink(missing_ok=True)  # first: without its plan nothing of it is taken up
    for entry in folder.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        elif entry.name != "lock":
            entry.unlink()


def write_whole(file: Path, data: bytes) -> None:
    """Write a file so that it is there as a whole or not at all."""
    with whole_file(file) as stream:
        stream.write(data)


@contextmanager
def whole_file(file: Path) -> Iterator[IO[bytes]]:
    """For writing a file that is there as a whole after the block, or not at all."""
    part = file.with_name(file.name + ".part")
    with part.open("wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(file)


async def _is_of_a_segment(ports: ClusterPorts, extractor: str, segment: str) -> bool:
    """Verdicts that were judged again stand in objects without texts of their own."""
    return await ports.store.info(keys.snapshots(extractor, segment)) is not None


def _read(line: bytes) -> Planned:
    fields = json.loads(line)
    entry = fields.pop("entry")
    if entry is not None:
        entry = SegmentEntry(**{**entry, "lane": Lane(entry["lane"])})
    return Planned(**fields, entry=entry)


async def _nothing() -> None:
    return None
