"""Tables that are larger than memory, split into files that each fit: what is sorted is sorted part by part."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final

import numpy as np
import numpy.typing as npt

ROWS_AT_ONCE: Final = 1 << 18
"""Of a table that are in memory together: some 30 MB of the widest."""
MOST_PARTS: Final = 256
"""Files that are open at once; 67 million rows make so many parts."""


class Parts:
    """Rows of one type, in order of their coming within each part. The files go with the block."""

    def __init__(self, folder: Path, kind: np.dtype[np.void], count: int) -> None:
        self.count = count
        self._folder, self._kind = folder, kind
        self._open = ExitStack()

    def __enter__(self) -> Parts:
        shutil.rmtree(self._folder, ignore_errors=True)  # of a run that was killed
        self._folder.mkdir()
        self._files = [self._open.enter_context(self._file(part).open("wb")) for part in range(self.count)]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def add(self, parts: npt.NDArray[np.int64], rows: npt.NDArray[np.void]) -> None:
        """Each row to its part."""
        order = np.argsort(parts, kind="stable")
        sorted_parts, sorted_rows = parts[order], rows[order]
        found, starts = np.unique(sorted_parts, return_index=True)
        for part, start, end in zip(found, starts, np.append(starts, parts.size)[1:], strict=True):
            self._files[part].write(sorted_rows[start:end].tobytes())

    def read(self, part: int, at_once: int = -1) -> Iterator[npt.NDArray[np.void]]:
        """The rows of a part, `at_once` of them at a time; without, all together, also where there are none."""
        self._files[part].flush()
        with self._file(part).open("rb") as file:
            while True:
                rows = np.fromfile(file, dtype=self._kind, count=at_once)
                if rows.size or at_once < 0:
                    yield rows
                if at_once < 0 or rows.size < at_once:
                    return

    def _file(self, part: int) -> Path:
        return self._folder / f"{part:03d}"


def parts_for(rows: int) -> int:
    """How many parts so many rows want."""
    return min(MOST_PARTS, max(1, -(-rows // ROWS_AT_ONCE)))


def spread(values: npt.NDArray[np.int64], bound: int, parts: int) -> npt.NDArray[np.int64]:
    """The part of each value in 0..bound, in their order; equal values share one. `bound` * `parts` is below 2^63."""
    return values * parts // bound
