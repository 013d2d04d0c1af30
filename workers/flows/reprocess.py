"""Reprocess: what this version makes of every committed segment, beside what others made of it.

Nothing that is there is changed or replaced, and neither catalog nor log hears of it: what is published and cited rests
on the text that was made first (R057). Every segment ends with one `create`, so a run that was stopped goes on where it
was, and two runs at once do each segment once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from schemas import keys
from schemas.records.cluster import Fingerprint
from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers.dedup.fingerprint import fingerprint
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.errors import CorruptError, ObjectMissingError, PermanentError
from workers.extract.decode import DEFAULT_LIMITS, DecodeLimits
from workers.extract.options import FOCUSES, Focus, html_extractor_id
from workers.flows.documents import pack_lines, read_lines_object, read_object
from workers.flows.extract import TextExtractor, write_outputs
from workers.flows.reading import read_text
from workers.ports import Catalog, Clock, ObjectStore

EXTRACTORS: tuple[str, ...] = FOCUSES
"""What HTML can be extracted with, by short names; the first is what pages are extracted with."""

PARAMS: tuple[str, ...] = (PIPELINE_PARAMS,)
"""What texts can be fingerprinted under."""


def extractor_named(name: str) -> Focus:
    """By its short name or its id. PermanentError says which there are."""
    for focus in FOCUSES:
        if name in (focus, html_extractor_id(focus)):
            return focus
    known = ", ".join(f"{focus} ({html_extractor_id(focus)})" for focus in FOCUSES)
    raise PermanentError("this version has no such extractor", where=name[:80], next_step=f"name one of: {known}")


def extractor_id(name: str) -> str:
    """The id that a short name stands for now; an id is its own, also one that only older versions made."""
    return next((html_extractor_id(focus) for focus in FOCUSES if focus == name), name)


class OwnExtractor(TextExtractor, Protocol):
    """A sandbox that one worker has to itself."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ReprocessPorts:
    store: ObjectStore
    catalog: Catalog
    extractor: OwnExtractor
    clock: Clock
    software: str
    decoding: DecodeLimits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class Left:
    """A segment that could not be done, and why."""

    segment_id: str
    why: str


@dataclass(slots=True)
class Reprocessed:
    """What a run found and did. A segment counts once."""

    extractor: str
    segments: int = 0
    """Segments with answers, of the collection."""
    there: int = 0
    """Had everything."""
    made: int = 0
    """Extracted now, or fingerprinted from the texts that were there."""
    snapshots: int = 0
    """In what was made."""
    left: list[Left] = field(default_factory=list)


async def reprocess(
    workers: Sequence[ReprocessPorts],
    *,
    focus: Focus = "balanced",
    collection: str | None = None,
    extract: bool = True,
    dry: bool = False,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> Reprocessed:
    """Bring every segment to this version's outputs, as many at a time as there are workers. Not `extract`: only
    fingerprints of texts that the extractor has made. `dry`: only count. `told` hears of segments done, of how many."""
    store = workers[0].store
    done = Reprocessed(html_extractor_id(focus))
    receipts = sorted([key async for key in store.list("commits/")])
    waiting = iter(receipts)
    seen = 0

    async def work(ports: ReprocessPorts) -> None:
        nonlocal seen
        for key in waiting:  # shared: each takes the next
            try:
                await _segment(key, ports, focus, collection, done, extract=extract, dry=dry)
            except (CorruptError, ObjectMissingError) as error:
                done.left.append(Left(key.rpartition("/")[2].removesuffix(".json"), str(error)))
            seen += 1
            told(seen, len(receipts))

    await asyncio.gather(*(work(ports) for ports in workers))
    return done


async def _segment(
    key: str,
    ports: ReprocessPorts,
    focus: Focus,
    collection: str | None,
    done: Reprocessed,
    *,
    extract: bool,
    dry: bool,
) -> None:
    receipt = await read_object(ports.store, key, Receipt)
    if receipt.warc is None or not receipt.outcomes or collection not in (None, receipt.collection):
        return
    done.segments += 1
    has_texts = await ports.store.info(keys.snapshots(done.extractor, receipt.segment_id)) is not None
    has_prints = await ports.store.info(keys.prints(PIPELINE_PARAMS, done.extractor, receipt.segment_id)) is not None
    if (has_texts and has_prints) or not (has_texts or extract):
        done.there += has_texts
        return
    if dry:
        done.made += 1
        return
    lines = await _print_again(receipt, ports, done.extractor) if has_texts else await _extract(receipt, ports, focus)
    done.made += 1
    done.snapshots += len(lines)


async def _extract(receipt: Receipt, ports: ReprocessPorts, focus: Focus) -> Sequence[SnapshotLine]:
    return await write_outputs(receipt, ports, focus) or ()


async def _print_again(receipt: Receipt, ports: ReprocessPorts, extractor: str) -> Sequence[SnapshotLine]:
    """Fingerprints of texts that an earlier version made, under this one's parameters."""
    lines = await read_lines_object(ports.store, keys.snapshots(extractor, receipt.segment_id), SnapshotLine)
    prints: list[Fingerprint] = []
    for line in lines:
        text = await read_text(ports.store, line) if line.snapshot.citeable else None
        if text is not None:
            prints.append(fingerprint(text, text_sha256=line.snapshot.text_sha256 or "", snapshot_id=line.snapshot.id))
    prints_key = keys.prints(PIPELINE_PARAMS, extractor, receipt.segment_id)
    await ports.store.create(prints_key, pack_lines(prints), content_type="application/gzip")
    return lines
