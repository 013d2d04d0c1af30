"""The two inner loops of fingerprints in C, where they were compiled (`workers.native`): ten times as fast, and the
same numbers. Without it numpy does the work (`sha1_lanes.py`, `minhash.py`), which is the definition.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from workers import native

SOURCE: Final = "lanes.c"
LOG = logging.getLogger(__name__)
_PROBES: Final = (b"", b"abc", bytes(55), bytes(range(56)), bytes(range(119)))


class Kernel:
    """The compiled functions. All arrays are contiguous."""

    def __init__(self, library: ctypes.CDLL) -> None:
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        self._sha1, self._minima = library.citevault_sha1, library.citevault_minima
        self._sha1.argtypes = [pointer, size, pointer, pointer, size, pointer, pointer]
        self._minima.argtypes = [pointer, size, pointer, pointer, pointer]
        self._sha1.restype = self._minima.restype = None

    def sha1(
        self, data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.uint32]:
        """As `sha1_words`; columns of messages with more than 119 bytes are left as they happen to be."""
        words = np.empty((2, starts.size), dtype=np.uint32)
        data, starts, lengths = map(np.ascontiguousarray, (data, starts, lengths))
        rows = words[0].ctypes.data, words[1].ctypes.data
        self._sha1(data.ctypes.data, data.size, starts.ctypes.data, lengths.ctypes.data, starts.size, *rows)
        return words

    def minima(
        self, first: npt.NDArray[np.uint32], multiplier: npt.NDArray[np.uint32], offset: npt.NDArray[np.uint32]
    ) -> npt.NDArray[np.uint32]:
        """128 minima of `multiplier * h + offset`, h being fmix32 of each first word with its bytes turned."""
        lowest = np.full(128, 0xFFFFFFFF, dtype=np.uint32)
        first = np.ascontiguousarray(first)
        self._minima(first.ctypes.data, first.size, multiplier.ctypes.data, offset.ctypes.data, lowest.ctypes.data)
        return lowest


def library_file() -> Path:
    """Where the compiled source belongs."""
    return native.library_file(SOURCE)


@lru_cache(maxsize=1)
def kernel() -> Kernel | None:
    """None where nothing was compiled, or what was does not work here."""
    file = library_file()
    library = native.loaded(file)
    if library is None:
        return None
    found = Kernel(library)
    if not _is_right(found):
        LOG.error("compiled fingerprints give wrong values, numpy is used instead file=%s", file)
        return None
    return found


def _is_right(found: Kernel) -> bool:
    lengths = np.array([len(probe) for probe in _PROBES], dtype=np.int64)
    words = found.sha1(np.frombuffer(b"".join(_PROBES), dtype=np.uint8), np.cumsum(lengths) - lengths, lengths)
    expected = [hashlib.sha1(probe, usedforsecurity=False).digest()[:8] for probe in _PROBES]
    return [column.astype(">u4").tobytes() for column in words.T] == expected
