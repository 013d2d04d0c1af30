"""The pages for people. Everything in them comes from strangers: templates escape all, and `bdi` keeps text that
changes direction within its place. A part that is away leaves its section empty, with the reason in words."""

from __future__ import annotations

import asyncio
import hashlib
from functools import cache
from importlib import resources
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from scheduler.web import clusters, jobs, judgements, load, snapshots, views
from scheduler.web.answers import Problem, SnapshotDetail
from scheduler.web.api import SHA256, ClusterId, InRoom, JobId, NamedSnapshot, Purpose, SnapshotId, Start
from scheduler.web.load import Watch
from scheduler.web.manifests import StoredHead
from scheduler.web.room import Room
from workers.config import version
from workers.errors import CitevaultError
from workers.flows.cluster_explain import RULE_WORDS

PAGE_SECONDS = 1.2
"""The supervisor takes a page that needs two seconds for one that does not come."""
DETAIL_SECONDS = 10.0
JOBS_SHOWN, SNAPSHOTS_SHOWN, MISSING_SHOWN, PAGE_OF_SNAPSHOTS = 15, 8, 100, 25
SHOWN_CHARACTERS = 200_000
ASSETS = {
    "style.css": "text/css; charset=utf-8",
    "live.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}

router = APIRouter(include_in_schema=False)


@router.get("/")
async def overview(request: Request, room: InRoom) -> HTMLResponse:
    """Jobs as they move, what was archived last, the log, and whether work is done."""
    watch: Watch = request.app.state.watch
    health, found, newest, head, depths, visits, processes = await asyncio.gather(
        watch.health(room),
        views.section("jobs", jobs.recent_jobs(room, limit=JOBS_SHOWN), PAGE_SECONDS),
        views.section("snapshots", snapshots.newest_snapshots(room, limit=SNAPSHOTS_SHOWN, before=None), PAGE_SECONDS),
        views.section("log", newest_head(room), PAGE_SECONDS),
        views.section("stages", room.look("depths", room.archive.ledger.depths), PAGE_SECONDS),
        views.section("visits", room.look("visits", lambda: load.visits(room)), PAGE_SECONDS),
        views.section("processes", room.look("processes", lambda: load.processes(room)), PAGE_SECONDS),
    )
    return page(
        "overview.html",
        health=health,
        jobs=found,
        newest=newest,
        head=head,
        depths=depths,
        visits=visits,
        processes=processes,
    )


@router.get("/jobs/{job_id}")
async def job_page(room: InRoom, job_id: JobId, start: Start = 0) -> HTMLResponse:
    """One job: outcomes, stages, why each missing URL is missing, snapshots."""
    job = await jobs.job_detail(room, job_id)
    missing, others, found = await asyncio.gather(
        views.section("receipts", jobs.job_missing(room, job_id, start=0, limit=MISSING_SHOWN), DETAIL_SECONDS),
        views.section("seeds", jobs.job_spellings(room, job_id), DETAIL_SECONDS),
        views.section(
            "snapshots",
            snapshots.snapshots_of_job(room, job_id, start=start, limit=PAGE_OF_SNAPSHOTS),
            DETAIL_SECONDS,
        ),
    )
    return page("job.html", job=job, missing=missing, others=others, found=found, start=start)


@router.get("/snapshots")
async def snapshots_page(
    room: InRoom, url: Annotated[str, Query(max_length=65536)] = "", start: Start = 0
) -> HTMLResponse:
    """Snapshots of one address, or the newest."""
    wanted = url.strip()
    if wanted:
        look = snapshots.snapshots_of_url(room, wanted, start=start, limit=PAGE_OF_SNAPSHOTS)
    else:
        look = snapshots.newest_snapshots(room, limit=PAGE_OF_SNAPSHOTS, before=None)
    return page("snapshots.html", url=wanted, found=await views.section("snapshots", look, DETAIL_SECONDS))


@router.get("/snapshots/{snapshot_id}")
async def snapshot_page(room: InRoom, snapshot_id: SnapshotId) -> HTMLResponse:
    """One snapshot: what was asked and answered, every digest with what it is of, the text."""
    detail = await snapshots.snapshot_detail(room, snapshot_id)
    text = await views.section("text", _shown_text(room, detail), DETAIL_SECONDS)
    return page("snapshot.html", detail=detail, snapshot=detail.snapshot, text=text, shown=SHOWN_CHARACTERS)


@router.get("/clusters/{cluster_id}")
async def cluster_page(room: InRoom, cluster_id: ClusterId, purpose: Purpose = "tracing") -> HTMLResponse:
    """One story: every address that told it, who stands for all, and what confirmed each pair."""
    found = await clusters.cluster(room, cluster_id, purpose)
    members = await views.section("members", clusters.shown_members(room, found), DETAIL_SECONDS)
    witness = {member.text_sha256: member.snapshot_id for member in reversed(found.members)}
    return page("cluster.html", cluster=found, members=members, purpose=purpose, witness=witness, rules=RULE_WORDS)


@router.get("/pairs")
async def pair_page(room: InRoom, one: NamedSnapshot, other: NamedSnapshot) -> HTMLResponse:
    """Why two captures are, or are not, one story."""
    found = await clusters.pair(room, one, other)
    return page("pair.html", pair=found, rules=RULE_WORDS)


@router.get("/judgements")
async def judgements_page(
    room: InRoom,
    inputs: Annotated[str, Query(pattern=f"{SHA256}|^$")] = "",
    after: Annotated[str, Query(pattern=f"{SHA256}|^$")] = "",
) -> HTMLResponse:
    """What was judged, by whom and why, and how far they agree; or all that was said of one thing."""
    if inputs:
        look = judgements.only_judged(room, inputs)
    else:
        look = judgements.some_judged(room, limit=PAGE_OF_SNAPSHOTS, after=after or None)
    found, agreement = await asyncio.gather(
        views.section("judgements", look, DETAIL_SECONDS),
        views.section("agreement", judgements.agreement_view(room), DETAIL_SECONDS),
    )
    return page("judgements.html", found=found, agreement=agreement, most=judgements.MOST_COMPARED)


@router.get("/static/{name}")
async def asset(name: str) -> Response:
    """Style, script and icon; no page loads anything from elsewhere."""
    if name not in ASSETS:
        return problem_page(Problem(type="about:blank", title="Not Found", status=404, detail="no such file"))
    return Response(_asset(name), media_type=ASSETS[name], headers={"Cache-Control": "max-age=3600"})


async def newest_head(room: Room) -> StoredHead | None:
    """The newest head of the log, or None where nothing is published yet."""
    sequence = await room.look("newest manifest", room.heads.newest)
    return await room.heads.head(sequence) if sequence else None


def problem_page(problem: Problem) -> HTMLResponse:
    """An error, for people."""
    return page("problem.html", status=problem.status, problem=problem)


def page(template: str, *, status: int = 200, **shown: object) -> HTMLResponse:
    """A rendered page."""
    return HTMLResponse(_environment().get_template(template).render(shown), status_code=status)


async def _shown_text(room: Room, detail: SnapshotDetail) -> str | None:
    if detail.snapshot.text_sha256 is None:
        return None
    return await snapshots.snapshot_text(room, detail.snapshot.id)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("scheduler.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        moment=views.moment,
        link=views.web_link,
        grouped=views.grouped,
        size=views.size,
        kind=views.kind_of,
        seen=views.seen,
    )
    environment.globals.update(bar=views.job_bar, version=version(), assets=_assets_version(), say=_sentence)
    return environment


def _sentence(error: CitevaultError) -> str:
    """An error as one sentence and what to do next."""
    return error.what + (f" Next: {error.next_step}." if error.next_step else "")


@cache
def _asset(name: str) -> bytes:
    return (resources.files("scheduler.web") / "static" / name).read_bytes()


@cache
def _assets_version() -> str:
    """Changes with the files, so that a browser takes new ones at once."""
    return hashlib.sha256(b"".join(map(_asset, sorted(ASSETS)))).hexdigest()[:8]
