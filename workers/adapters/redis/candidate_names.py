"""What both ways into the candidate index share: names of keys and texts, the scripts, and how it ends."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np

from workers.adapters.redis.candidate_levels import BUCKETS
from workers.dedup.parameters import CHARACTER_PARAMS, WORD_PARAMS
from workers.dedup.sketch import SKETCH_BYTES, Sketches
from workers.errors import PermanentError

SHARDS: Final = 4
TABLES: Final = 64
TABLE_TEXTS: Final = (1 << 24) // TABLES
DIGEST_BYTES: Final = 32
NAME_BYTES: Final = DIGEST_BYTES + SKETCH_BYTES
_PLACE_OF: Final = {WORD_PARAMS: 0, CHARACTER_PARAMS: 2}
"""So that the two lie in the two halves of a cluster's slots."""


def shard_of(params: str) -> int:
    """Where the index of a parameter id lies."""
    known = _PLACE_OF.get(params)
    return known if known is not None else int(_short(params), 16) % SHARDS


def prefix(params: str) -> str:
    """What the names of all keys of a parameter id begin with."""
    return f"{{l{shard_of(params)}}}:{_short(params)}:"


@cache
def tables(params: str) -> tuple[str, ...]:
    """The keys that hold the names of the texts, in the order of their numbers."""
    return tuple(f"{prefix(params)}n:{table}" for table in range(TABLES))


def packed_names(digests: bytes, own: Sketches) -> bytes:
    """The names of some texts, one behind the other. `digests`: 32 bytes each; `own`: their sketches."""
    names = np.empty((len(own), NAME_BYTES), dtype=np.uint8)
    names[:, :DIGEST_BYTES] = np.frombuffer(digests, dtype=np.uint8).reshape(-1, DIGEST_BYTES)
    names[:, DIGEST_BYTES:] = own
    return names.tobytes()


@cache
def script(name: str) -> str:
    """A script of the index. It is not behind the epoch check, whose key may lie on another node."""
    return files("workers.adapters.redis").joinpath("lua", f"{name}.lua").read_text("utf-8")


def no_room(params: str) -> PermanentError:
    """The index takes no more texts."""
    return PermanentError(
        f"the index of candidates holds {TABLES * TABLE_TEXTS} texts at most, and is full",
        where=params,
        next_step="cluster further collections in an archive of their own",
    )


@cache
def _short(params: str) -> str:
    """Keys are many, so a parameter id stands in them by the start of its digest."""
    return hashlib.sha256(f"{params} buckets of {BUCKETS}".encode("ascii")).hexdigest()[:4]
