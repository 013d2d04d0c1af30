"""What every store accepts as a key, so that an archive can move from one to another.

(`schemas/README.md, Object keys`.)

SeaweedFS refuses `..`, folds `a//b` and cannot hold `x` beside `x/y`; a directory cannot either.
"""

from __future__ import annotations

import re

from workers.errors import PermanentError

LONGEST_KEY = 900  # S3 allows 1,024 bytes; the rest is for the store's own prefix
_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@+=-]{0,254}")


def checked(key: str) -> str:
    """The key itself, or PermanentError where some store would not take it or would take it for another."""
    if len(key) <= LONGEST_KEY and all(_SEGMENT.fullmatch(segment) for segment in key.split("/")):
        return key
    raise PermanentError(
        "not a key of this archive", where=repr(key[:200]), next_step="build keys with schemas.keys only"
    )


def checked_prefix(prefix: str) -> str:
    """A prefix to list: the beginning of a key, or empty for everything."""
    if prefix:
        checked(prefix.removesuffix("/"))
    return prefix
