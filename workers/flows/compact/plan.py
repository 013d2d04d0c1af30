"""Which files are joined with which. Pure.

A file over half of the wanted size is left alone. Files of one collection and one packing are joined in the order of
their ids, which begin with a time, and behind them those that a compaction made. Such a file is joined again only
where the others with it bring at least as much: so each time the file of a record is written anew it has doubled, and
a record of a file that ends at 1 GB is copied some ten times at most (2^10 x 1 MB), however often compaction runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from schemas.records.receipt import StoredFile
from workers.archive.packing import Compression

WARCINFO_ROOM: Final = 4096
"""For the record that opens a new file."""
ENDS_IN: Final[dict[str, Compression]] = {"gz": "gzip", "zst": "zstd"}


@dataclass(frozen=True, slots=True)
class LooseFile:
    """A file of captures as it stands now: of a receipt, or (without a receipt) of an earlier compaction."""

    warc: StoredFile
    cdxj: StoredFile | None
    collection: str
    receipt_key: str | None

    @property
    def name(self) -> str:
        return self.warc.key.rpartition("/")[2]

    @property
    def keys(self) -> tuple[str, ...]:
        """Of the file and of its index."""
        return (self.warc.key,) if self.cdxj is None else (self.warc.key, self.cdxj.key)

    @property
    def packing(self) -> str:
        """How its name ends: `gz` or `zst`."""
        return self.warc.key.rpartition(".")[2]

    @property
    def lines(self) -> int:
        return 0 if self.cdxj is None else self.cdxj.entries


@dataclass(frozen=True, slots=True)
class JoinLimits:
    """How large a new file may become."""

    bytes: int = 1_000_000_000
    files: int = 10_000
    """So that an entry of the log stays below 10 MB."""
    lines: int = 250_000
    """Of its index, which is sorted in memory: some 150 MB."""


@dataclass(frozen=True, slots=True)
class Group:
    """Files that become one."""

    collection: str
    compression: Compression
    files: tuple[LooseFile, ...]

    @property
    def bytes(self) -> int:
        return sum(file.warc.bytes for file in self.files)

    @property
    def records(self) -> int:
        return sum(file.warc.entries for file in self.files)


def plan(files: Iterable[LooseFile], limits: JoinLimits) -> list[Group]:
    """The groups that are worth joining now, none of which has a file in common with another."""
    groups: list[Group] = []
    ordered = sorted(files, key=lambda file: (file.collection, file.packing, file.name))
    for (collection, packing), some in groupby(ordered, key=lambda file: (file.collection, file.packing)):
        compression = ENDS_IN.get(packing)
        if compression is None:
            continue
        small = [file for file in some if file.warc.bytes * 2 <= limits.bytes and file.lines * 2 <= limits.lines]
        for run in _runs(sorted(small, key=_order), limits):
            worth = _worth_joining(run)
            if len(worth) > 1:
                groups.append(Group(collection, compression, worth))
    return groups


def _order(file: LooseFile) -> tuple[bool, int, str]:
    """Files of receipts as they came, then those that were joined before, small ones first: what will not double stands
    in nobody's way."""
    made = file.receipt_key is None
    return made, file.warc.bytes if made else 0, file.name


def _runs(files: Iterable[LooseFile], limits: JoinLimits) -> Iterator[list[LooseFile]]:
    """Neighbours, as many as a new file holds."""
    run: list[LooseFile] = []
    size, lines = WARCINFO_ROOM, 0
    for file in files:
        full = size + file.warc.bytes > limits.bytes or lines + file.lines > limits.lines or len(run) == limits.files
        if run and full:
            yield run
            run, size, lines = [], WARCINFO_ROOM, 0
        run.append(file)
        size += file.warc.bytes
        lines += file.lines
    if run:
        yield run


def _worth_joining(run: Sequence[LooseFile]) -> tuple[LooseFile, ...]:
    """The run without files that were joined before and would not double."""
    left = list(run)
    for file in sorted(run, key=lambda file: file.warc.bytes, reverse=True):
        if file.receipt_key is None and file.warc.bytes * 2 > sum(each.warc.bytes for each in left):
            left.remove(file)
    return tuple(left)
