"""Stored documents: what does not read as its record type is corrupt, with its place named."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from schemas.canonical import canonical_bytes
from schemas.reading import DocumentError, read_stored
from schemas.records.base import Record
from workers.errors import CorruptError
from workers.packed import pack, unpack
from workers.ports import ObjectStore

MAX_OBJECT_BYTES = 256 * 1024 * 1024
LARGE_BYTES = 64 * 1024
"""From here on unpacking takes a millisecond or more, and a change of threads is little."""
R = TypeVar("R", bound=Record)
M = TypeVar("M", bound=BaseModel)


async def read_object(store: ObjectStore, key: str, kind: type[R]) -> R:
    """One JSON document of the store. CorruptError where it cannot be read as `kind`."""
    return parse(await store.get(key, limit=MAX_OBJECT_BYTES), kind, key)


async def read_lines_object(store: ObjectStore, key: str, kind: type[R]) -> list[R]:
    """A gzip JSONL object of the store. CorruptError names the line that cannot be read."""
    return parse_lines(await read_packed(store, key), kind, key)


async def read_packed(store: ObjectStore, key: str) -> list[bytes]:
    """The lines of a gzip JSONL object of the store, as they stand."""
    return await beside(unpack, await store.get(key, limit=MAX_OBJECT_BYTES), key)


async def beside(unpacking: Callable[[bytes, str], list[bytes]], data: bytes, where: str) -> list[bytes]:
    """The lines of a packed object; those of a large one are unpacked in a thread, so that the loop has work beside."""
    if len(data) < LARGE_BYTES:
        return unpacking(data, where)
    return await asyncio.to_thread(unpacking, data, where)


def parse_lines(lines: Iterable[bytes], kind: type[R], key: str) -> list[R]:
    """Lines of the object `key`. CorruptError names the one that cannot be read."""
    return [parse(line, kind, f"{key}, line {number}") for number, line in enumerate(lines, 1)]


def pack_lines(records: Sequence[Record]) -> bytes:
    """Records as gzip JSONL, one RFC 8785 object a line, with no clock in it: equal records, equal bytes."""
    return pack(canonical_bytes(record) for record in records)


def parse(data: bytes, kind: type[M], where: str) -> M:
    """A document that we wrote ourselves; CorruptError where it does not read back."""
    document = read_stored(data, kind)
    if isinstance(document, DocumentError):
        raise CorruptError(
            f"a stored document cannot be read: {document.message}",
            where=f"{where} {document.pointer}".rstrip(),
            next_step="restore the object from a copy of the bucket",
        )
    return document
