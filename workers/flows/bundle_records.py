"""Copying the records that a snapshot rests on into a bundle's WARC file, member by member."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import BinaryIO

from schemas.records.bundle import BundleMember
from schemas.records.manifest import Inclusion
from schemas.records.snapshot import MemberLocation, SnapshotLine
from workers.cite.problem import DraftProblem
from workers.errors import CorruptError
from workers.flows.bundle_members import RESTORE, Copied, Members, TakenDown
from workers.publish.bundle_warc import WarcLayout

ANSWER = ("response", "revisit")
CONTENTLESS = ("request", "metadata")
"""Records that hold nothing of the page: all that a page has of which only quotes may be handed on."""


class RecordCopier:
    """Writes each record once, in the order in which snapshots name them, warcinfo and originals first."""

    def __init__(self, members: Members, warc: BinaryIO) -> None:
        self._members = members
        self._warc = warc
        self._layout = WarcLayout()
        self._warcinfo_of: dict[str, str | None] = {}

    async def copy(self, line: SnapshotLine, inclusion: Inclusion) -> tuple[BundleMember, ...] | DraftProblem:
        """The places of all records of one snapshot. CorruptError where one is not what the signed leaf binds."""
        bound = {record.record_id: record.block_sha256 for record in inclusion.leaf.records}
        places: dict[str, BundleMember] = {}
        withholds = line.snapshot.retention == "quote_only"
        for record_id, types, known in _records(line):
            if withholds and types[0] not in CONTENTLESS:
                continue
            place = known or await self._members.place(record_id)
            if self._layout.find(record_id) is None:
                copied = await self._members.copy(record_id, types, place)
                if isinstance(copied, TakenDown):
                    return _taken_down(line, record_id)
                if bound.get(record_id, copied.block_sha256) != copied.block_sha256:
                    raise CorruptError(
                        "a record's block is not the one that the signed log binds",
                        where=f"{place.key} at {place.offset}, {record_id}",
                        next_step=RESTORE,
                    )
                await self._warcinfo(copied, place)
                self._warcinfo_of[record_id] = copied.warcinfo_id
                await self._append(copied)
            for wanted in (self._warcinfo_of[record_id], record_id):
                member = self._layout.find(wanted) if wanted is not None else None
                if member is not None:
                    places[member.record_id] = member
        if not places:  # a page without a request: the warcinfo of its answer tells at least who captured it
            place = await self._members.place(line.snapshot.records.response)
            answer = await self._members.copy(line.snapshot.records.response, ANSWER, place)
            if isinstance(answer, TakenDown):
                return _taken_down(line, line.snapshot.records.response)
            await self._warcinfo(answer, place)
            member = self._layout.find(answer.warcinfo_id or "")
            places = {} if member is None else {member.record_id: member}
        return tuple(places.values())

    async def _warcinfo(self, copied: Copied, place: MemberLocation) -> None:
        wanted = copied.warcinfo_id
        if wanted is not None and self._layout.find(wanted) is None:
            await self._append(await self._members.warcinfo(wanted, place))

    async def _append(self, copied: Copied) -> None:
        await asyncio.to_thread(self._warc.write, copied.data)
        self._layout.append(copied.record_id, copied.type, len(copied.data))


def _records(line: SnapshotLine) -> Iterator[tuple[str, tuple[str, ...], MemberLocation | None]]:
    """Ids of the records with their types; the original of a revisit before what refers to it."""
    records = line.snapshot.records
    if records.payload != records.response:
        yield records.payload, ("response",), None
    if records.request is not None:
        yield records.request, ("request",), None
    yield records.response, ANSWER, None
    if records.metadata is not None:
        yield records.metadata, ("metadata",), None
    if records.conversion is not None:
        yield records.conversion, ("conversion",), line.conversion


def _taken_down(line: SnapshotLine, record_id: str) -> DraftProblem:
    return DraftProblem(
        "draft.taken-down",
        "",
        f"the record {record_id} of {line.snapshot.id} was taken down",
        "cite another page, or another version of it",
    )
