"""Reading from a place that may have moved: files that were joined are deleted some days later, and who had their
place from a receipt, or from a look-up of before, finds the same bytes where the catalog says."""

from __future__ import annotations

from schemas.records.snapshot import MemberLocation
from workers.errors import ObjectMissingError
from workers.ports import Catalog, FilePlace, ObjectStore


async def read_range(store: ObjectStore, catalog: Catalog, key: str, offset: int, length: int) -> bytes:
    """These bytes, wherever they lie now. ObjectMissingError where the file is gone and was not joined."""
    try:
        return await store.get_range(key, offset, length)
    except ObjectMissingError:
        now = await moved(catalog, key, offset)
        return await store.get_range(now.key, now.offset, length)


async def present_place(store: ObjectStore, catalog: Catalog, place: MemberLocation) -> MemberLocation:
    """The place itself while its file is there, else the one that it moved to: for who reads it in pieces."""
    if await store.info(place.key) is not None:
        return place
    now = await moved(catalog, place.key, place.offset)
    return place.model_copy(update={"key": now.key, "offset": now.offset})


async def moved(catalog: Catalog, key: str, offset: int) -> FilePlace:
    """Where lies now what lay there. ObjectMissingError where the catalog knows of no other place."""
    now = await catalog.moved(key, offset)
    if now is None:
        raise ObjectMissingError(
            "a file of the archive is gone", where=key, next_step="restore the object from a copy of the bucket"
        )
    return now
