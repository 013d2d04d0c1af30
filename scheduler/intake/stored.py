"""The objects of a job, spooled to local files first: parts of seeds, and the bad lines."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Final

from schemas.canonical import canonical_bytes
from schemas.records.job import BadLine, Seed

SEEDS_A_PART: Final = 20_000
PART_BYTES: Final = 32 * 1024 * 1024
"""Of plain JSON: what a reader of a part may have to hold."""
PROGRESS_EACH: Final = 10_000


@dataclass(slots=True)
class PackedFile:
    """A gzip JSONL file that is being written; equal records give equal bytes, since no clock is in it."""

    path: Path
    records: int = 0
    plain_bytes: int = 0
    _raw: IO[bytes] = field(init=False, repr=False)
    _packed: gzip.GzipFile = field(init=False, repr=False)

    def __enter__(self) -> PackedFile:
        self._raw = self.path.open("wb")
        self._packed = gzip.GzipFile(filename="", mode="wb", fileobj=self._raw, mtime=0, compresslevel=6)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._packed.close()
        self._raw.close()

    def write(self, record: Seed | BadLine) -> None:
        """Append one line."""
        line = canonical_bytes(record) + b"\n"
        self._packed.write(line)
        self.records += 1
        self.plain_bytes += len(line)

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


def spool(lines: Iterable[Seed | BadLine], folder: Path, told: Callable[[int], None], *, shown: int = 20) -> Spooled:
    """Write all of it below `folder`. `told` hears the number of lines now and then."""
    parts: list[PackedFile] = []
    first_bad: list[BadLine] = []
    current: PackedFile | None = None
    bad = PackedFile(folder / "bad-lines.jsonl.gz")
    with bad:
        try:
            for number, line in enumerate(lines, 1):
                if number % PROGRESS_EACH == 0:
                    told(number)
                if isinstance(line, BadLine):
                    bad.write(line)
                    if len(first_bad) < shown:
                        first_bad.append(line)
                    continue
                if current is None or current.records >= SEEDS_A_PART or current.plain_bytes >= PART_BYTES:
                    if current is not None:
                        current.__exit__(None, None, None)
                    current = PackedFile(folder / f"seeds-{len(parts):05d}.jsonl.gz").__enter__()
                    parts.append(current)
                current.write(line)
        finally:
            if current is not None:
                current.__exit__(None, None, None)
    return Spooled(tuple(parts), bad, tuple(first_bad), sum(part.records for part in parts))
