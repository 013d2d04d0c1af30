"""Puts the web process together: API, pages, health, metrics, behind the access rules."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from scheduler.web import api, pages, problems
from scheduler.web.access import Access
from scheduler.web.answers import Health
from scheduler.web.api import InRoom
from scheduler.web.body import LimitedBody
from scheduler.web.heads import Heads
from scheduler.web.load import Watch
from scheduler.web.room import open_room
from scheduler.web.scrape import exposition
from schemas import keys
from workers.config import Settings, version

READY_SECONDS = 3.0


def create_app(settings: Settings) -> FastAPI:
    """The application over the stores of these settings, which are opened when it starts and not connected before
    they are used."""

    @asynccontextmanager
    async def opened(app: FastAPI) -> AsyncIterator[None]:
        async with open_room(settings) as room:
            app.state.room = room
            yield

    app = FastAPI(
        title="Citevault",
        version=version(),
        summary="API of an archive of web pages as evidence: everything is read, and jobs are controlled.",
        description="What is served here is what the archive's records say. The validator checks it; this does not.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        lifespan=opened,
    )
    app.state.watch = Watch()
    problems.install(app, pages.problem_page)
    api.install(app)
    app.include_router(pages.router)
    app.add_api_route("/healthz", healthz, methods=["GET"], include_in_schema=False)
    app.add_api_route("/readyz", readyz, methods=["GET"], include_in_schema=False)
    app.add_api_route("/metrics", metrics, methods=["GET"], include_in_schema=False)
    app.add_middleware(Heads)
    app.add_middleware(LimitedBody)
    app.add_middleware(Access, tokens=settings.api_tokens)
    return app


async def healthz(request: Request, room: InRoom) -> Response:
    """200 where work is done or nothing waits; 503 where it stalls, or nobody can tell."""
    watch: Watch = request.app.state.watch
    health: Health = await watch.health(room)
    good = health.status in ("idle", "working")
    return JSONResponse(
        health.model_dump(mode="json", exclude_none=True),
        status_code=HTTPStatus.OK if good else HTTPStatus.SERVICE_UNAVAILABLE,
    )


async def readyz(room: InRoom) -> Response:
    """200 where Redis and the store answer; else 503 and which does not, as a problem."""
    await room.look("redis", room.archive.frontier.jobs, within_seconds=READY_SECONDS)
    await room.look("store", lambda: room.archive.store.info(keys.EPOCH), within_seconds=READY_SECONDS)
    return JSONResponse({"status": "ready"})


async def metrics(room: InRoom) -> Response:
    """The numbers of all processes of this machine, for Prometheus."""
    folder = room.archive.settings.metrics_dir
    data = await room.look("metrics", lambda: asyncio.to_thread(exposition, folder))
    return Response(data, media_type=CONTENT_TYPE_LATEST)
