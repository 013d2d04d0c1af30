"""SHA-256 where two digests are wanted at once: of a payload and of the block that holds it, of a file and its parts.

One after the other, those of a page take as long as compressing it. Compiled (`workers.native`), on a processor that
has instructions for SHA-256, both take little longer than one; else `hashlib` makes them, which is the definition.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
from functools import lru_cache
from typing import Final, Protocol

from workers import native

SOURCE: Final = "sha256.c"
BLOCK: Final = 64
LOG = logging.getLogger(__name__)
_PROBES: Final = [(bytes(range(head)), b"\x5a" * size) for head in (0, 1, 64, 100) for size in (0, 27, 55, 63, 64, 200)]


def pair(head: bytes, data: bytes) -> tuple[str, str]:
    """SHA-256 of `data`, and of `head` with the data after it, 64 lower-case hex each."""
    compiled = kernel()
    return defined_pair(head, data) if compiled is None else compiled.pair(head, data)


def defined_pair(head: bytes, data: bytes) -> tuple[str, str]:
    """The same by `hashlib`."""
    after = hashlib.sha256(head)
    after.update(data)
    return hashlib.sha256(data).hexdigest(), after.hexdigest()


class Parted(Protocol):
    """SHA-256 of what grows, and of each of its parts of one size, 64 lower-case hex each."""

    def update(self, data: bytes) -> None:
        """More of it."""

    def copy(self) -> Parted:
        """As it is now, to go on from."""

    @property
    def sha256(self) -> str:
        """Of all."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Of each part that is full, and of what stands after them, if anything does."""


def parted(part_bytes: int) -> Parted:
    """Digests of nothing as yet, to be cut into parts of so many bytes."""
    compiled = kernel()
    return DefinedParted(part_bytes) if compiled is None or part_bytes % BLOCK else CompiledParted(compiled, part_bytes)


class DefinedParted:
    """By `hashlib`."""

    def __init__(self, part_bytes: int) -> None:
        self._part_bytes = part_bytes
        self._whole, self._part = hashlib.sha256(), hashlib.sha256()
        self._full: tuple[str, ...] = ()
        self._size = 0
        """Bytes of the part that is not full."""

    def update(self, data: bytes) -> None:
        self._whole.update(data)
        view = memoryview(data)
        while view:
            piece = view[: self._part_bytes - self._size]
            view = view[len(piece) :]
            self._part.update(piece)
            self._size += len(piece)
            if self._size == self._part_bytes:
                self._full += (self._part.hexdigest(),)
                self._part, self._size = hashlib.sha256(), 0

    def copy(self) -> DefinedParted:
        other = DefinedParted(self._part_bytes)
        other._whole, other._part = self._whole.copy(), self._part.copy()
        other._full, other._size = self._full, self._size
        return other

    @property
    def sha256(self) -> str:
        return self._whole.hexdigest()

    @property
    def parts(self) -> tuple[str, ...]:
        return (*self._full, self._part.hexdigest()) if self._size else self._full


class CompiledParted:
    """By compiled code, block by block: parts are whole blocks."""

    def __init__(self, kernel: Kernel, part_bytes: int) -> None:
        self._kernel, self._part_bytes = kernel, part_bytes
        self._whole, self._part = kernel.begin(), kernel.begin()
        self._full: tuple[str, ...] = ()
        self._size = 0
        """Bytes of the part that is not full which are in the states; `_left` are to follow, fewer than a block."""
        self._left = b""

    def update(self, data: bytes) -> None:
        data = self._left + data if self._left else data
        at = 0
        while blocks := min(len(data) - at, self._part_bytes - self._size) // BLOCK:
            self._kernel.both(self._whole, self._part, data, at, blocks)
            at += blocks * BLOCK
            self._size += blocks * BLOCK
            if self._size == self._part_bytes:
                self._full += (self._kernel.end(self._part, b"", self._part_bytes),)
                self._part, self._size = self._kernel.begin(), 0
        self._left = data[at:]

    def copy(self) -> CompiledParted:
        other = CompiledParted(self._kernel, self._part_bytes)
        other._whole, other._part = State.from_buffer_copy(self._whole), State.from_buffer_copy(self._part)
        other._full, other._size, other._left = self._full, self._size, self._left
        return other

    @property
    def sha256(self) -> str:
        length = len(self._full) * self._part_bytes + self._size + len(self._left)
        return self._kernel.end(self._whole, self._left, length)

    @property
    def parts(self) -> tuple[str, ...]:
        size = self._size + len(self._left)
        return (*self._full, self._kernel.end(self._part, self._left, size)) if size else self._full


State = ctypes.c_uint32 * 8
_Digest, _TwoDigests = ctypes.c_char * 32, ctypes.c_char * 64


class Kernel:
    """The compiled functions. They run without the interpreter's lock."""

    def __init__(self, library: ctypes.CDLL) -> None:
        data, size, state = ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_uint32)
        self._pair, self._begin = library.citevault_sha256_pair, library.citevault_sha256_begin
        self._both, self._end = library.citevault_sha256_both, library.citevault_sha256_end
        self._pair.argtypes, self._begin.argtypes = [data, size, data, size, data], [state]
        self._both.argtypes, self._end.argtypes = [state, state, data, size, size], [state, data, size, size, data]
        self._pair.restype = self._begin.restype = self._both.restype = self._end.restype = None

    def pair(self, head: bytes, data: bytes) -> tuple[str, str]:
        digests = _TwoDigests()
        self._pair(head, len(head), data, len(data), digests)
        both = digests.raw.hex()
        return both[:64], both[64:]

    def begin(self) -> ctypes.Array[ctypes.c_uint32]:
        """The state before the first block."""
        state = State()
        self._begin(state)
        return state

    def both(
        self,
        first: ctypes.Array[ctypes.c_uint32],
        second: ctypes.Array[ctypes.c_uint32],
        data: bytes,
        at: int,
        blocks: int,
    ) -> None:
        """Take so many blocks of 64 bytes into two states."""
        self._both(first, second, data, at, blocks)

    def end(self, state: ctypes.Array[ctypes.c_uint32], left: bytes, length: int) -> str:
        """The digest of `length` bytes, of which `left` are not in the state yet. The state stays as it is."""
        digest = _Digest()
        self._end(state, left, len(left), length, digest)
        return digest.raw.hex()


@lru_cache(maxsize=1)
def kernel() -> Kernel | None:
    """None where nothing was compiled, this processor has no such instructions, or what comes out is wrong."""
    library = native.loaded(native.library_file(SOURCE))
    if library is None or not library.citevault_sha256_usable():
        return None
    found = Kernel(library)
    if any(found.pair(*probe) != defined_pair(*probe) for probe in _PROBES):
        LOG.error("compiled SHA-256 gives wrong values, hashlib is used instead")
        return None
    return found
