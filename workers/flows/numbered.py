"""Logs of numbered objects (manifests, decisions, numbers, compactions): an entry is created under the number after the
last one. Who goes from number to number takes a hole for the end, and would fill it: two entries of one number, one of
them signed or printed. So whoever comes to the end looks once whether it is one.

That the very last entry is gone cannot be seen: nothing stands behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from workers.errors import CorruptError
from workers.ports import ObjectStore

KeyOf = Callable[[int], str]
"""Where the entry of a number lies."""
RESTORE = "restore the object from a copy of the bucket; nothing is added to this log before"


async def is_end(store: ObjectStore, prefix: str, last: int, key_of: KeyOf) -> bool:
    """Whether no entry stands behind the one that was read last, by all names below the prefix. False: the next one
    came meanwhile. CorruptError where it is gone and later ones are there."""
    return await _judged(store, last, highest([key async for key in store.list(prefix)], key_of), key_of)


async def is_end_nearby(store: ObjectStore, last: int, key_of: KeyOf) -> bool:
    """The same by one look behind the place of the next one, for who has seen the whole log before."""
    return await _judged(store, last, last + 2 if await store.info(key_of(last + 2)) is not None else 0, key_of)


def highest(keys: Iterable[str], key_of: KeyOf) -> int:
    """The highest number among the entries of a listing, which may hold other objects too; 0: there is none."""
    return max((number for key in keys if (number := _number(key)) and key_of(number) == key), default=0)


def gap(keys: Iterable[str], key_of: KeyOf) -> str | None:
    """The first entry that a listing lacks though it has later ones."""
    there = set(keys)
    return next((key for number in range(1, highest(there, key_of)) if (key := key_of(number)) not in there), None)


def gone(key: str) -> CorruptError:
    """What is said of a hole."""
    return CorruptError("an entry of a log is gone, and later ones are there", where=key, next_step=RESTORE)


async def _judged(store: ObjectStore, last: int, there: int, key_of: KeyOf) -> bool:
    if there <= last:
        return True
    if await store.info(key_of(last + 1)) is None:  # looked for again: it was written before what stands behind it
        raise gone(key_of(last + 1))
    return False


def _number(key: str) -> int:
    digits = key.rpartition("/")[2].removesuffix(".json")
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= 18 else 0
