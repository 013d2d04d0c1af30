"""SHA-256 where two digests are wanted at once: of a payload, and of the block that holds it.

One after the other they take as long as compressing the page. Compiled (`workers.native`), on a processor that has
instructions for SHA-256, both take little longer than one; else `hashlib` makes them, which is the definition.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from workers import native

SOURCE: Final = "sha256.c"
LOG = logging.getLogger(__name__)
_PROBES: Final = [(bytes(range(head)), b"\x5a" * size) for head in (0, 1, 64, 100) for size in (0, 27, 55, 63, 64, 200)]

Pair = Callable[[bytes, bytes], tuple[str, str]]


def pair(head: bytes, data: bytes) -> tuple[str, str]:
    """SHA-256 of `data`, and of `head` with the data after it, 64 lower-case hex each."""
    return (_compiled() or defined)(head, data)


def defined(head: bytes, data: bytes) -> tuple[str, str]:
    """The same by `hashlib`."""
    after = hashlib.sha256(head)
    after.update(data)
    return hashlib.sha256(data).hexdigest(), after.hexdigest()


@lru_cache(maxsize=1)
def _compiled() -> Pair | None:
    """None where nothing was compiled, this processor has no such instructions, or what comes out is wrong."""
    library = native.loaded(native.library_file(SOURCE))
    if library is None or not library.citevault_sha256_usable():
        return None
    call, new = library.citevault_sha256_pair, ctypes.c_char * 64
    call.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p]
    call.restype = None

    def made(head: bytes, data: bytes) -> tuple[str, str]:
        digests = new()
        call(head, len(head), data, len(data), digests)
        both = digests.raw.hex()
        return both[:64], both[64:]

    if any(made(*probe) != defined(*probe) for probe in _PROBES):
        LOG.error("compiled SHA-256 gives wrong values, hashlib is used instead")
        return None
    return made
