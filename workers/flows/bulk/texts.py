"""The distinct texts among the rows, each by the row that witnesses it. Rows are sorted by their digests in parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from workers.flows.bulk.parts import ROWS_AT_ONCE, Parts, parts_for, spread
from workers.flows.bulk.rows import Rows, RowTable, mapped

WITNESSES: Final = "witnesses.bin"
BRINGS: Final = "brings.bin"
_STAMP = slice(18, 34)  # of `snap-<12>-<stamp>-<8>`: the time of capture, by which witnesses are chosen
_SHOWN = np.dtype([("text", "S64"), ("snapshot", "S48"), ("segment", "<u4"), ("row", "<u8")])
_HEX: Final = np.zeros(256, dtype=np.int64)
_HEX[[ord(letter) for letter in "0123456789abcdef"]] = range(16)


@dataclass(frozen=True, slots=True)
class Texts:
    """Distinct texts in the order of their digests, in files that are read where they lie."""

    witness: npt.NDArray[np.int64]
    """Row of the first capture that shows it."""
    brings: npt.NDArray[np.int32]
    """Place of the segment that brings its pairs; -1: it is known, by the same witness."""


def texts_of(rows: Rows, known_segments: int, folder: Path) -> Texts:
    """Of all rows. The first `known_segments` segments of the plan are clustered already."""
    found = rows.rows
    with (
        Parts(folder / "shown", _SHOWN, parts_for(found.size)) as shown,
        (folder / WITNESSES).open("wb") as witnesses,
        (folder / BRINGS).open("wb") as brings,
    ):
        for start in range(0, found.size, ROWS_AT_ONCE):
            table = _shown(found[start : start + ROWS_AT_ONCE], start)
            shown.add(spread(_beginning(table["text"]), 1 << 16, shown.count), table)
        for part in range(shown.count):
            for table in shown.read(part):
                witness, brought = _first_seen(table, known_segments)
                witnesses.write(witness.tobytes())
                brings.write(brought.tobytes())
    return Texts(mapped(folder / WITNESSES, np.dtype(np.int64)), mapped(folder / BRINGS, np.dtype(np.int32)))


def _shown(rows: RowTable, start: int) -> RowTable:
    table = np.empty(rows.size, dtype=_SHOWN)
    for name in ("text", "snapshot", "segment"):
        table[name] = rows[name]
    table["row"] = np.arange(start, start + rows.size)
    return table


def _beginning(digests: npt.NDArray[np.bytes_]) -> npt.NDArray[np.int64]:
    """The first 16 bits of hexadecimal digests."""
    letters = digests.astype("S4").view(np.uint8).reshape(-1, 4)
    value: npt.NDArray[np.int64] = _HEX[letters] @ np.array([1 << 12, 1 << 8, 1 << 4, 1])
    return value


def _first_seen(shown: RowTable, known_segments: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The witness and the bringing segment of each text among these rows, sorted by text."""
    stamps = shown["snapshot"].astype("S48").view("S1").reshape(-1, 48)[:, _STAMP].copy().view("S16")[:, 0]
    order = np.lexsort((shown["snapshot"], stamps, shown["text"]))
    texts = shown["text"][order]
    first = np.append(True, texts[1:] != texts[:-1])[: texts.size]
    segments = shown["segment"][order].astype(np.int64)
    earliest = np.full(int(first.sum()), np.iinfo(np.int64).max)
    np.minimum.at(earliest, np.cumsum(first) - 1, segments)
    seen = segments[first]  # the segment of the witness itself
    brings = np.where(earliest >= known_segments, earliest, np.where(seen >= known_segments, seen, -1))
    return shown["row"][order][first].astype(np.int64), brings.astype(np.int32)
