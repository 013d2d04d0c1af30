"""What is known of snapshots and their sources: the catalog's lines, texts out of WARC records, standing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlsplit

from scheduler.web.answers import SnapshotDetail, SnapshotList, SourceDetail, StandingView
from scheduler.web.room import Room
from schemas.records.snapshot import MemberLocation, SnapshotLine
from schemas.records.source import Source
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request
from workers.adapters.redis.replies import byte_list, number
from workers.catalog import names
from workers.catalog.packing import unpack_snapshot
from workers.errors import CitevaultError, ObjectMissingError, PermanentError
from workers.flows.decisions import manual_groups
from workers.flows.naming import NotNamed, is_id, snapshot_named
from workers.flows.reading import read_text
from workers.ports import Stage

LINE_SECONDS = 10.0


class BadUrlError(PermanentError):
    """What was given to look up is no http(s) URL."""


class TakenDownError(PermanentError):
    """There was a text, and it was taken down."""


async def newest_snapshots(room: Room, *, limit: int, before: str | None) -> SnapshotList:
    """Snapshots of the archive, newest first. ObjectMissingError where `before` names none."""
    if before is not None:
        await snapshot_line(room, before)
    ids = await room.look(f"newest {limit} {before}", lambda: room.archive.catalog.newest(limit=limit, before=before))
    items = await _lines(room, ids)
    return SnapshotList(
        items=tuple(line.snapshot for line in items), next_before=ids[-1] if len(ids) == limit else None
    )


async def snapshots_of_url(room: Room, url: str, *, start: int, limit: int) -> SnapshotList:
    """Snapshots of one resource, as requested or as final URL, newest first."""
    normalized = _normalized(url)
    ids = await room.look(f"of {normalized}", lambda: room.archive.catalog.snapshots_of(normalized))
    return await _slice(room, len(ids), ids[start : start + limit], start)


async def snapshots_of_job(room: Room, job_id: str, *, start: int, limit: int) -> SnapshotList:
    """Snapshots of a job, in order of retrieval."""
    total, ids = await job_snapshot_ids(room, job_id, start=start, limit=limit)
    return await _slice(room, total, ids, start)


async def job_snapshot_ids(room: Room, job_id: str, *, start: int, limit: int) -> tuple[int, list[str]]:
    """How many snapshots a job has, and the ids of some. Read beside the port `Catalog`, whose call gives all of them:
    a job of a million pages has a million."""
    key = names.job_snapshots(job_id)

    async def read() -> tuple[int, list[str]]:
        total, page = await room.archive.guard.read(
            lambda pipe: (pipe.zcard(key), pipe.zrange(key, start, start + limit - 1)), "snapshots of a job"
        )
        return number(total), [unpack_snapshot(packed) for packed in byte_list(page)]

    return await room.look(f"snapshots {job_id} {start} {limit}", read)


async def snapshot_line(room: Room, snapshot_id: str) -> SnapshotLine:
    """A snapshot. ObjectMissingError where the catalog has none of this id."""
    line = await room.look(
        f"snapshot {snapshot_id}", lambda: room.archive.catalog.snapshot(snapshot_id), fresh_seconds=LINE_SECONDS
    )
    if line is None:
        raise ObjectMissingError("there is no such snapshot", where=snapshot_id, next_step="see /api/v1/snapshots")
    return line


async def named_line(room: Room, name: str) -> SnapshotLine:
    """A snapshot by its id; or the newest of a URL that may be cited, and where none may, the newest. BadUrlError where
    the name is neither, ObjectMissingError where there is none."""
    if is_id(name):
        return await snapshot_line(room, name)
    normalized = _normalized(name)
    found = await room.look(
        f"named {normalized}", lambda: snapshot_named(room.archive.catalog, name), fresh_seconds=LINE_SECONDS
    )
    if not isinstance(found, NotNamed):
        return found
    if found.newest is None:
        raise ObjectMissingError(found.why, where=name[:200], next_step=found.next_step)
    return found.newest


async def snapshot_detail(room: Room, snapshot_id: str) -> SnapshotDetail:
    """A snapshot with where its records lie and what is known of its source."""
    line = await snapshot_line(room, snapshot_id)
    standing, unknown = None, None
    try:
        standing = await _standing(room, line)
    except CitevaultError as error:  # what could not be looked at is said, and the snapshot shown
        unknown = str(error)
    return SnapshotDetail(
        snapshot=line.snapshot,
        segment_id=line.segment_id,
        stage=await _stage(room, line),
        standing=standing,
        standing_unknown=unknown,
        locations=tuple(await _locations(room, line)),
    )


async def snapshot_text(room: Room, snapshot_id: str) -> str:
    """The text-v1 text, its digest checked. ObjectMissingError where there is none, TakenDownError where it was."""
    line = await snapshot_line(room, snapshot_id)
    status = line.snapshot.reader_status
    if line.conversion is None:
        reason = f": {line.snapshot.reader_reason}" if line.snapshot.reader_reason else ""
        raise ObjectMissingError(f"this snapshot has no text ({status.value}{reason})", where=snapshot_id)
    text = await room.look_once(f"text {snapshot_id}", lambda: read_text(room.archive.store, line))
    if text is None:
        raise TakenDownError("the text of this snapshot was taken down", where=snapshot_id)
    return text


async def source_by_id(room: Room, source_id: str) -> SourceDetail:
    """A source by its id. Ids are digests of URLs: one is found again only through the clusters of its texts."""
    clusters = room.archive.clusters

    async def find() -> str | None:
        for cluster_id in sorted(await clusters.clusters_of_source(source_id)):
            found = await clusters.members(cluster_id)
            for member in found.members if found else ():
                if member.source_id == source_id:
                    return member.snapshot_id
        return None

    snapshot_id = await room.look(f"source {source_id}", find)
    if snapshot_id is None:
        raise ObjectMissingError(
            "no text of such a source is clustered",
            where=source_id,
            next_step="ask by address: /api/v1/sources?url=…",
        )
    line = await snapshot_line(room, snapshot_id)
    return await source_by_url(room, line.snapshot.normalized_url)


async def source_by_url(room: Room, url: str) -> SourceDetail:
    """The source behind a URL, as its newest snapshot shows it."""
    normalized = _normalized(url)
    ids = await room.look(f"of {normalized}", lambda: room.archive.catalog.snapshots_of(normalized))
    if not ids:
        raise ObjectMissingError("nothing is archived of this address", where=normalized)
    line = await snapshot_line(room, ids[0])
    snapshot = line.snapshot
    standing = await _standing(room, line)
    source = Source(
        id=snapshot.source_id,
        normalized_url=snapshot.normalized_url,
        host=urlsplit(snapshot.normalized_url).netloc,
        author=snapshot.author,
        publisher=snapshot.publisher,
        tier=standing.tier,
        cluster_id=standing.cluster_id,
    )
    return SourceDetail(source=source, group=standing.group, snapshots=tuple(ids))


async def _standing(room: Room, line: SnapshotLine) -> StandingView:
    async def look() -> StandingView:
        decisions = await room.decisions()
        found = await room.archive.cluster_reader().standing(
            line, manual=manual_groups(decisions), decisions_sequence=len(decisions)
        )
        return StandingView(
            tier=found.tier,
            cluster_id=found.cluster_id,
            group=found.group,
            decisions_sequence=found.decisions_sequence,
        )

    return await room.look(f"standing {line.snapshot.id}", look, fresh_seconds=LINE_SECONDS)


async def _stage(room: Room, line: SnapshotLine) -> Stage | None:
    job_id = line.snapshot.job_id
    entries = await room.look(f"segments {job_id}", lambda: room.archive.ledger.of_job(job_id))
    return next((entry.stage for entry in entries if entry.segment_id == line.segment_id), None)


async def _locations(room: Room, line: SnapshotLine) -> list[MemberLocation]:
    records = line.snapshot.records
    wanted = [records.request, records.response, records.payload, records.metadata, records.conversion]
    found: list[MemberLocation] = []
    for record_id in dict.fromkeys(record for record in wanted if record is not None):
        place = await room.look(f"record {record_id}", _locator(room, record_id), fresh_seconds=LINE_SECONDS)
        if place is not None:
            found.append(place)
    return found


def _locator(room: Room, record_id: str) -> Callable[[], Awaitable[MemberLocation | None]]:
    return lambda: room.archive.catalog.locate(record_id)


async def _slice(room: Room, total: int, ids: Sequence[str], start: int) -> SnapshotList:
    lines = await _lines(room, ids)
    end = start + len(ids)
    return SnapshotList(items=tuple(line.snapshot for line in lines), next_start=end if ids and end < total else None)


async def _lines(room: Room, ids: Sequence[str]) -> list[SnapshotLine]:
    return [await snapshot_line(room, snapshot_id) for snapshot_id in ids]


def _normalized(url: str) -> str:
    found = identity_of_request(url)
    if isinstance(found, UrlError):
        raise BadUrlError(found.message, where="url", next_step="give an http or https address")
    return found.url
