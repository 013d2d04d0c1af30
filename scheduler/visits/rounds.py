"""Rounds in the store: planned under the next number, and noted as over in `schedules/position.json`.

A number is given once (If-None-Match), so of two schedulers that plan at the same time one loses, and reads what the
other has planned before it plans again.

What is damaged costs only itself. A round that cannot be read is left out and stays open, so that a restored one is
taken in; its pages are due by what their schedules say. Where the position cannot be read, all rounds are looked at
again: one that was over changes nothing, and the next that is closed writes the position anew.
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
FIRST: Final = VisitPosition(schema="citevault/visit-position@1", first_open=1)


@dataclass(frozen=True, slots=True)
class Rounds:
    """Those that are open, by number, the number of the next one, and the newest one of all."""

    open: dict[int, VisitRound]
    following: int
    newest: VisitRound | None
    damaged: tuple[CorruptError, ...] = ()


async def read_rounds(store: ObjectStore) -> Rounds:
    """Everything that is not over."""
    damaged: list[CorruptError] = []
    position = await _position(store, damaged)
    over, found = set(position.closed), {}
    number = position.first_open
    before = await _round(store, number - 1) if number > 1 else None
    newest = before if isinstance(before, VisitRound) else None
    while (planned := await _round(store, number)) is not None:
        if isinstance(planned, CorruptError):
            damaged.append(planned)
        else:
            newest = planned
            if number not in over:
                found[number] = planned
        number += 1
    return Rounds(found, number, newest, tuple(damaged))


async def create_round(store: ObjectStore, planned: VisitRound) -> bool:
    """Plan. False: another round has this number."""
    key = keys.visit_round(planned.sequence)
    return await store.create(key, canonical_bytes(planned), content_type="application/json")


async def close_round(store: ObjectStore, sequence: int) -> None:
    """Note that a round is over; again is harmless."""
    for _ in range(RACES):
        info = await store.info(keys.VISIT_POSITION)
        position = await _position(store, [])
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
        return FIRST


async def _position(store: ObjectStore, damaged: list[CorruptError]) -> VisitPosition:
    """The same, or that of a beginning where it is damaged, which is noted."""
    try:
        return await read_position(store)
    except CorruptError as error:
        damaged.append(error)
        return FIRST


async def _round(store: ObjectStore, sequence: int) -> VisitRound | CorruptError | None:
    """None: there is none of that number yet."""
    try:
        found = await read_object(store, keys.visit_round(sequence), VisitRound)
    except ObjectMissingError:
        return None
    except CorruptError as error:
        return error
    if found.sequence != sequence:
        return CorruptError(
            f"a round says that it is number {found.sequence}",
            where=keys.visit_round(sequence),
            next_step="restore the object from a copy of the bucket",
        )
    return found
