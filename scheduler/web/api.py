"""`/api/v1`: everything is read, and jobs are controlled. Each route names its question; what is looked up, or done,
stands in the modules beside this one."""

from __future__ import annotations

import base64
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from scheduler.web import clusters, controls, jobs, judgements, schedules, snapshots
from scheduler.web.answers import (
    ClusterList,
    DecisionDone,
    DecisionWish,
    JobDetail,
    JobLinks,
    JobList,
    ManifestList,
    ManifestSummary,
    ManifestView,
    MissingList,
    PairAnswer,
    Problem,
    ScheduleCounts,
    ScheduleList,
    SnapshotDetail,
    SnapshotList,
    SourceDetail,
    SpellingList,
)
from scheduler.web.judgements import AgreementView, Judged, JudgedList
from scheduler.web.manifests import StoredHead
from scheduler.web.room import Room
from schemas.records.base import ID_PATTERN
from schemas.records.cluster import Cluster
from schemas.records.schedule import Schedule, ScheduleId

MOST = 200
HEAD_SECONDS = 3600.0


def room_of(request: Request) -> Room:
    """The room that the application opened."""
    room: Room = request.app.state.room
    return room


InRoom = Annotated[Room, Depends(room_of)]
Limit = Annotated[int, Query(ge=1, le=MOST, description="most items of the answer")]
Start = Annotated[int, Query(ge=0, le=10**9, description="items to pass over")]
Before = Annotated[str | None, Query(pattern=ID_PATTERN, description="only what is older than this id")]
Address = Annotated[str, Query(min_length=1, max_length=65536, description="an http or https address")]
JobId = Annotated[str, Path(pattern=r"^job-[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{26}$")]
SNAPSHOT_PATTERN = r"^snap-[0-9a-f]{12}-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}$"
SnapshotId = Annotated[str, Path(pattern=SNAPSHOT_PATTERN)]
NamedSnapshot = Annotated[
    str, Query(min_length=1, max_length=65536, description="id of a snapshot, or a URL: its newest that may be cited")
]
Purpose = Annotated[
    clusters.Purpose, Query(description="specification: the most official source stands for all; tracing: the earliest")
]
SHA256 = r"^[0-9a-f]{64}$"
Inputs = Annotated[str, Path(pattern=SHA256)]
SourceId = Annotated[str, Path(pattern=r"^src-[0-9a-f]{16}$")]
ClusterId = Annotated[str, Path(pattern=r"^cl-[0-9a-f]{16}$")]
Sequence = Annotated[int, Path(ge=1, le=9_999_999_999)]

PROBLEMS: dict[int | str, dict[str, object]] = {
    status: {
        "description": about,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status, about in (
        ("4XX", "RFC 9457: the request, or what it asks for, is not there"),
        ("5XX", "RFC 9457: a part is away, or what is stored cannot be read"),
    )
}
router = APIRouter(prefix="/api/v1", responses=PROBLEMS)


@router.get("/jobs", tags=["jobs"])
async def list_jobs(room: InRoom, limit: Limit = 50, before: Before = None) -> JobList:
    """Jobs, newest first."""
    return await jobs.recent_jobs(room, limit=limit, before=before)


@router.get("/jobs/{job_id}", tags=["jobs"])
async def get_job(room: InRoom, job_id: JobId) -> JobDetail:
    """One job: what was asked for, and how far it is."""
    return await jobs.job_detail(room, job_id)


@router.post("/jobs/{job_id}/decisions", tags=["jobs"], status_code=HTTPStatus.CREATED)
async def decide(room: InRoom, job_id: JobId, wish: DecisionWish) -> DecisionDone:
    """Pause a job, let it go on, cancel it for good, or try again what failed. 409: it would have no effect."""
    return await controls.take(room, job_id, wish)


@router.get("/jobs/{job_id}/links", tags=["jobs"])
async def get_links(room: InRoom, job_id: JobId) -> JobLinks:
    """What was found by links and sitemaps, and which links were not followed, with the reasons."""
    return await jobs.job_links(room, job_id)


@router.get("/jobs/{job_id}/missing", tags=["jobs"])
async def get_missing(room: InRoom, job_id: JobId, limit: Limit = 100, start: Start = 0) -> MissingList:
    """URLs that ended without a response, and why."""
    await jobs.stored_job(room, job_id)
    return await jobs.job_missing(room, job_id, start=start, limit=limit)


@router.get("/jobs/{job_id}/spellings", tags=["jobs"])
async def get_spellings(room: InRoom, job_id: JobId) -> SpellingList:
    """Spellings of the input that another one of the same resource stood for."""
    return await jobs.job_spellings(room, job_id)


@router.get("/jobs/{job_id}/snapshots", tags=["jobs"])
async def get_job_snapshots(room: InRoom, job_id: JobId, limit: Limit = 50, start: Start = 0) -> SnapshotList:
    """Snapshots of a job, in order of retrieval."""
    await jobs.stored_job(room, job_id)
    return await snapshots.snapshots_of_job(room, job_id, start=start, limit=limit)


@router.get("/snapshots", tags=["snapshots"])
async def list_snapshots(
    room: InRoom,
    url: Annotated[str | None, Query(max_length=65536, description="only those of this address")] = None,
    limit: Limit = 50,
    before: Before = None,
    start: Start = 0,
) -> SnapshotList:
    """Snapshots, newest first: of the archive (go on with `before`), or of one address (go on with `start`)."""
    if url is not None:
        return await snapshots.snapshots_of_url(room, url, start=start, limit=limit)
    return await snapshots.newest_snapshots(room, limit=limit, before=before)


@router.get("/snapshots/{snapshot_id}", tags=["snapshots"])
async def get_snapshot(room: InRoom, snapshot_id: SnapshotId) -> SnapshotDetail:
    """One snapshot: the record, where its WARC records lie now, and the standing of its source."""
    return await snapshots.snapshot_detail(room, snapshot_id)


@router.get(
    "/snapshots/{snapshot_id}/text",
    tags=["snapshots"],
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def get_text(room: InRoom, snapshot_id: SnapshotId) -> Response:
    """The text-v1 text as stored. `Repr-Digest` (RFC 9530) carries `text_sha256`."""
    data = (await snapshots.snapshot_text(room, snapshot_id)).encode()
    line = await snapshots.snapshot_line(room, snapshot_id)
    digest = base64.b64encode(bytes.fromhex(line.snapshot.text_sha256 or "")).decode()
    return Response(data, media_type="text/plain; charset=utf-8", headers={"Repr-Digest": f"sha-256=:{digest}:"})


@router.get("/sources", tags=["sources"])
async def find_source(room: InRoom, url: Address) -> SourceDetail:
    """The source behind an address."""
    return await snapshots.source_by_url(room, url)


@router.get("/sources/{source_id}", tags=["sources"])
async def get_source(room: InRoom, source_id: SourceId) -> SourceDetail:
    """A source by its id; found only if a text of it is clustered."""
    return await snapshots.source_by_id(room, source_id)


@router.get("/clusters", tags=["clusters"])
async def list_clusters(
    room: InRoom,
    limit: Limit = 50,
    least_sources: Annotated[int, Query(ge=1, le=10**6, description="2: only what several sources say")] = 1,
) -> ClusterList:
    """Clusters of near-duplicates, those with most sources first."""
    return await clusters.largest_clusters(room, limit=limit, least_sources=least_sources)


@router.get("/clusters/explain", tags=["clusters"])
async def explain_pair(room: InRoom, one: NamedSnapshot, other: NamedSnapshot) -> PairAnswer:
    """Why two captures are, or are not, one story: the rule that decided, its figures, what they say otherwise."""
    return await clusters.pair(room, one, other)


@router.get("/clusters/{cluster_id}", tags=["clusters"])
async def get_cluster(room: InRoom, cluster_id: ClusterId, purpose: Purpose = "tracing") -> Cluster:
    """One cluster with every member, and the figures that confirmed it."""
    return await clusters.cluster(room, cluster_id, purpose)


@router.get("/judgements", tags=["judgements"])
async def list_judged(
    room: InRoom,
    limit: Limit = 50,
    after: Annotated[str | None, Query(pattern=SHA256, description="only what comes behind this digest")] = None,
) -> JudgedList:
    """Claims and quotes that somebody judged, with all that was said of them."""
    return await judgements.some_judged(room, limit=limit, after=after)


@router.get("/judgements/agreement", tags=["judgements"])
async def get_agreement(room: InRoom) -> AgreementView:
    """How far evaluators agree with people, and people with each other; what is unresolved between them."""
    return await judgements.agreement_view(room)


@router.get("/judgements/{inputs_sha256}", tags=["judgements"])
async def get_judged(room: InRoom, inputs_sha256: Inputs) -> Judged:
    """Everything that was said of one claim and one quote."""
    return await judgements.one_judged(room, inputs_sha256)


@router.get("/schedules", tags=["schedules"])
async def list_schedules(
    room: InRoom,
    limit: Limit = 50,
    after: Annotated[ScheduleId | None, Query(description="only what comes behind this id")] = None,
    collection: Annotated[str | None, Query(max_length=64, description="only of this collection")] = None,
) -> ScheduleList:
    """Schedules, in order of ids."""
    return await schedules.some_schedules(room, limit=limit, after=after, collection=collection)


@router.get("/schedules/counts", tags=["schedules"])
async def count_schedules(room: InRoom) -> ScheduleCounts:
    """How many schedules wait for their next visit, and how many of these are due."""
    return await schedules.counts(room)


@router.get("/schedules/{schedule_id}", tags=["schedules"])
async def get_schedule(room: InRoom, schedule_id: Annotated[ScheduleId, Path()]) -> Schedule:
    """One schedule: when it is due, and what its last visits found."""
    return await schedules.schedule(room, schedule_id)


@router.get("/manifests", tags=["manifests"])
async def list_manifests(
    room: InRoom, limit: Limit = 50, before: Annotated[int | None, Query(ge=1, le=10**10)] = None
) -> ManifestList:
    """Heads of the signed log, newest first."""
    newest = await room.look("newest manifest", room.heads.newest)
    first = newest if before is None else min(newest, before - 1)
    heads = [await _head(room, sequence) for sequence in range(first, max(0, first - limit), -1)]
    return ManifestList(
        items=tuple(ManifestSummary(head=stored.head, head_sha256=stored.sha256) for stored in heads),
        next_before=heads[-1].head.sequence if heads and heads[-1].head.sequence > 1 else None,
    )


@router.get("/manifests/{sequence}", tags=["manifests"])
async def get_manifest(room: InRoom, sequence: Sequence) -> ManifestView:
    """One head, its digest, and who claims to have signed it."""
    stored = await _head(room, sequence)
    keyids = await room.look(f"keyids {sequence}", lambda: room.heads.keyids(stored), fresh_seconds=HEAD_SECONDS)
    return ManifestView(head=stored.head, head_sha256=stored.sha256, keyids=keyids)


@router.get("/manifests/{sequence}/head", tags=["manifests"], response_class=Response)
async def get_head(room: InRoom, sequence: Sequence) -> Response:
    """The stored bytes of a head (RFC 8785): what the signature and the next head speak of."""
    return Response((await _head(room, sequence)).data, media_type="application/json")


@router.get("/manifests/{sequence}/envelope", tags=["manifests"], response_class=Response)
async def get_envelope(room: InRoom, sequence: Sequence) -> Response:
    """The signature of a head: a DSSE envelope, as stored."""
    stored = await _head(room, sequence)
    data = await room.look_once(f"envelope {sequence}", lambda: room.heads.envelope(stored))
    return Response(data, media_type="application/vnd.dsse.envelope+json")


@router.get("/{rest:path}", include_in_schema=False)
async def nothing_here(rest: str) -> Response:
    """What is not above, within the API: a problem, not a page."""
    raise HTTPException(404, "there is no such address in the API; see /api/v1/openapi.json")


async def _head(room: Room, sequence: int) -> StoredHead:
    return await room.look(f"manifest {sequence}", lambda: room.heads.head(sequence), fresh_seconds=HEAD_SECONDS)


def install(app: FastAPI) -> None:
    """Add the API. Its description names problems once, as a schema of its own."""
    app.include_router(router)
    written = app.openapi

    def described() -> dict[str, object]:
        description: dict[str, object] = written()
        components = description.setdefault("components", {})
        if isinstance(components, dict):
            components.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
        return description

    app.openapi = described  # type: ignore[method-assign]
