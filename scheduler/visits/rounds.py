"""Rounds in the store: planned under the next number, and noted as over in `schedules/position.json`.

A number is given once (If-None-Match), so of two schedulers that plan at the same time one loses, and reads what the
other has planned before it plans again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.schedule import VisitPosition, VisitRound
from workers.errors import CorruptError, ObjectMissingError, RetryableError
from workers.flows.documents import read_object
from workers.ports import ObjectStore

RACES: Final = 20


@dataclass(frozen=True, slots=True)
class Rounds:
    """Those that are open, by number, the number of the next one, and the newest one of all."""

    open: dict[int, VisitRound]
    following: int
    newest: VisitRound | None


async def read_rounds(store: ObjectStore) -> Rounds:
    """Everything that is not over."""
    position = await read_position(store)
    over, found = set(position.closed), {}
    number = position.first_open
    newest = await _round(store, number - 1) if number > 1 else None
    while (planned := await _round(store, number)) is not None:
        newest = planned
        if number not in over:
            found[number] = planned
        number += 1
    return Rounds(found, number, newest)


async def create_round(store: ObjectStore, planned: VisitRound) -> bool:
    """Plan. False: another round has this number."""
    key = keys.visit_round(planned.sequence)
    return await store.create(key, canonical_bytes(planned), content_type="application/json")


async def close_round(store: ObjectStore, sequence: int) -> None:
    """Note that a round is over; again is harmless."""
    for _ in range(RACES):
        info = await store.info(keys.VISIT_POSITION)
        position = await read_position(store)
        following = closed(position, sequence)
        if following == position and info is not None:
            return
        body = canonical_bytes(following)
        if info is None:
            stored = await store.create(keys.VISIT_POSITION, body, content_type="application/json")
        else:
            stored = await store.replace(keys.VISIT_POSITION, body, etag=info.etag)
        if stored:
            return
    raise RetryableError("others close rounds at the same time", where=keys.VISIT_POSITION, next_step="try again")


def closed(position: VisitPosition, sequence: int) -> VisitPosition:
    """The position with one more round over; those without a gap are named by `first_open` alone."""
    over, first_open = {*position.closed, sequence}, position.first_open
    while first_open in over:
        first_open += 1
    left = tuple(sorted(number for number in over if number > first_open))
    return position.model_copy(update={"first_open": first_open, "closed": left})


async def read_position(store: ObjectStore) -> VisitPosition:
    """Which rounds are over; none where nothing says so."""
    try:
        return await read_object(store, keys.VISIT_POSITION, VisitPosition)
    except ObjectMissingError:
        return VisitPosition(schema="citevault/visit-position@1", first_open=1)


async def _round(store: ObjectStore, sequence: int) -> VisitRound | None:
    try:
        found = await read_object(store, keys.visit_round(sequence), VisitRound)
    except ObjectMissingError:
        return None
    if found.sequence != sequence:
        raise CorruptError(
            f"a round says that it is number {found.sequence}",
            where=keys.visit_round(sequence),
            next_step="restore the object from a copy of the bucket",
        )
    return found
