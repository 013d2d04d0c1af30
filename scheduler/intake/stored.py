"""The objects of a job, spooled to local files first: parts of seeds, and the bad lines."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Final

from isal import isal_zlib

from scheduler.intake.collapse import SeedTable
from scheduler.intake.lines import SeedLines
from schemas.canonical import canonical_bytes
from schemas.records.job import BadLine

SEEDS_A_PART: Final = 20_000
PART_BYTES: Final = 32 * 1024 * 1024
"""Of plain JSON: what a reader of a part may have to hold."""
PIECE_BYTES: Final = 1024 * 1024
PACK_LEVEL: Final = 2
"""Of ISA-L: a twentieth of the time of zlib's level 6, for a tenth more bytes."""
GZIP_WINDOW: Final = 31  # zlib's 15 bits, and the gzip wrapper
PROGRESS_EACH: Final = 50_000


@dataclass(slots=True)
class PackedFile:
    """A gzip JSONL file that is being written; equal records give equal bytes, since no clock is in it."""

    path: Path
    records: int = 0
    _packed_bytes: int = 0
    _raw: IO[bytes] = field(init=False, repr=False)
    _packer: isal_zlib.Compress = field(init=False, repr=False)
    _waiting: list[bytes] = field(init=False, repr=False, default_factory=list)
    _waiting_bytes: int = 0

    def __enter__(self) -> PackedFile:
        self._raw = self.path.open("wb")
        self._packer = isal_zlib.compressobj(PACK_LEVEL, isal_zlib.DEFLATED, GZIP_WINDOW)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pack()
        self._raw.write(self._packer.flush())
        self._raw.close()

    def write(self, line: bytes) -> None:
        """Append one line, which has its LF."""
        self._waiting.append(line)
        self._waiting_bytes += len(line)
        self.records += 1
        if self._waiting_bytes >= PIECE_BYTES:
            self._pack()

    @property
    def plain_bytes(self) -> int:
        """So far."""
        return self._packed_bytes + self._waiting_bytes

    def _pack(self) -> None:
        self._raw.write(self._packer.compress(b"".join(self._waiting)))
        self._packed_bytes += self._waiting_bytes
        self._waiting.clear()
        self._waiting_bytes = 0

    def sha256(self) -> str:
        """Of the closed file."""
        with self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Spooled:
    """What one input came to."""

    parts: tuple[PackedFile, ...]
    bad_lines: PackedFile
    first_bad: tuple[BadLine, ...]
    seeds: int


def spool(lines: SeedLines, folder: Path, told: Callable[[int], None], *, shown: int = 20) -> Spooled:
    """Write all of it below `folder`. `told` hears the number of lines now and then."""
    first_bad: list[BadLine] = []
    bad = PackedFile(folder / "bad-lines.jsonl.gz")
    table = SeedTable(_made(folder / "table"))
    with bad, closing(table):

        def keep(line: BadLine) -> None:
            bad.write(canonical_bytes(line) + b"\n")
            if len(first_bad) < shown:
                first_bad.append(line)

        for number, refused in enumerate(lines.read(table), 1):
            if number % PROGRESS_EACH == 0:
                told(number)
            if refused is not None:
                keep(refused)
        parts = tuple(_parts(lines.seeds(table), folder, keep))
    return Spooled(parts, bad, tuple(first_bad), sum(part.records for part in parts))


def _parts(lines: Iterable[bytes | BadLine], folder: Path, keep: Callable[[BadLine], None]) -> Iterator[PackedFile]:
    """Parts as they are full, closed."""
    open_parts = ExitStack()
    current: PackedFile | None = None
    number = 0
    with open_parts:
        for line in lines:
            if isinstance(line, BadLine):
                keep(line)
                continue
            if current is not None and (current.records >= SEEDS_A_PART or current.plain_bytes >= PART_BYTES):
                open_parts.close()
                yield current
                current = None
            if current is None:
                current = open_parts.enter_context(PackedFile(folder / f"seeds-{number:05d}.jsonl.gz"))
                number += 1
            current.write(line)
    if current is not None:
        yield current


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
