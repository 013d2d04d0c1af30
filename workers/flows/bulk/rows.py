"""The files of a run: a row for each citeable snapshot, its sketch, its bands, and its line.

rows.bin        text (64 hex), snapshot, segment, how its text is cut, place of its line
sketches.bin    32 bytes a row
band-NN.bin     the 64-bit hash of one band, a number a row: a bucket is what is equal in it
lines.bin       snapshot lines, one after the other
gathered.jsonl  how far each of them had come after each segment: what is longer is cut off again
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from workers.dedup.bands import band_hashes
from workers.dedup.minhash import Signature
from workers.dedup.parameters import BANDS, CHARACTER_PARAMS, PERMUTATIONS, WORD_PARAMS
from workers.dedup.sketch import SKETCH_BYTES, Sketches, sketches

ROW: Final = np.dtype(
    [("text", "S64"), ("snapshot", "S48"), ("segment", "<u4"), ("kind", "u1"), ("at", "<u8"), ("bytes", "<u4")]
)
D = TypeVar("D", bound=np.generic)
RowTable = npt.NDArray[np.void]
BAND_NAMES: Final = tuple(f"band-{band:02d}.bin" for band in range(BANDS))
NAMES: Final = ("rows.bin", "sketches.bin", "lines.bin", *BAND_NAMES)
JOURNAL: Final = "gathered.jsonl"
_NO_SIGNATURE = np.zeros(PERMUTATIONS, dtype=np.uint32)

KINDS: Final = (WORD_PARAMS, CHARACTER_PARAMS)


@dataclass(frozen=True, slots=True)
class Line:
    """What a row is made of."""

    text: str
    snapshot: str
    json: bytes
    kind: int
    """How its text is cut: the place in `KINDS`, from 1; 0: it has no signature. Only equal kinds are compared."""
    signature: Signature | None


class RowWriter:
    """Appends the rows of one segment after the other."""

    def __init__(self, folder: Path) -> None:
        self._open = ExitStack()
        self._journal = folder / JOURNAL
        done = self._journal.read_bytes().splitlines() if self._journal.exists() else []
        sizes = json.loads(done[-1]) if done else dict.fromkeys(NAMES, 0)
        self.segments = len(done)
        """How many are in."""
        self._files = {name: self._open.enter_context((folder / name).open("ab")) for name in NAMES}
        for name, file in self._files.items():
            file.truncate(sizes[name])

    def add(self, lines: Sequence[Line]) -> None:
        """All lines of the next segment."""
        rows = np.zeros(len(lines), dtype=ROW)
        at = self._files["lines.bin"].tell()
        for place, line in enumerate(lines):
            size = len(line.json)
            rows[place] = (line.text.encode(), line.snapshot.encode(), self.segments, line.kind, at, size)
            self._files["lines.bin"].write(line.json)
            at += size
        if lines:
            signatures = np.stack([_NO_SIGNATURE if line.signature is None else line.signature for line in lines])
            self._files["rows.bin"].write(rows.tobytes())
            self._files["sketches.bin"].write(sketches(signatures).tobytes())
            for name, column in zip(BAND_NAMES, band_hashes(signatures).T, strict=True):
                self._files[name].write(np.ascontiguousarray(column).tobytes())
        self._commit()

    def close(self) -> None:
        self._open.close()

    def _commit(self) -> None:
        for file in self._files.values():
            file.flush()
            os.fsync(file.fileno())
        sizes = {name: file.tell() for name, file in self._files.items()}
        with self._journal.open("ab") as journal:
            journal.write(json.dumps(sizes).encode() + b"\n")
            journal.flush()
            os.fsync(journal.fileno())
        self.segments += 1


class Rows:
    """The finished files, read where they lie."""

    def __init__(self, folder: Path) -> None:
        self.rows: RowTable = mapped(folder / "rows.bin", ROW)
        self.sketches: Sketches = mapped(folder / "sketches.bin", np.dtype(np.uint8)).reshape(-1, SKETCH_BYTES)
        self._folder = folder
        self._lines = (folder / "lines.bin").open("rb")

    def band(self, number: int) -> npt.NDArray[np.uint64]:
        """The hashes of one band, a number a row."""
        return mapped(self._folder / BAND_NAMES[number], np.dtype(np.uint64))

    def line(self, row: int) -> bytes:
        """The snapshot line of a row, as JSON."""
        found = self.rows[row]
        self._lines.seek(int(found["at"]))
        return self._lines.read(int(found["bytes"]))

    def close(self) -> None:
        self._lines.close()


def mapped(file: Path, dtype: np.dtype[D]) -> npt.NDArray[D]:
    """The rows of a file, read where they lie."""
    if not file.stat().st_size:
        return np.empty(0, dtype=dtype)
    return np.memmap(file, dtype=dtype, mode="r").view(np.ndarray)  # a plain array over it: single rows are cheaper
