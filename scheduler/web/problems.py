"""Errors as answers: RFC 9457 problem details. They say what, where and what to do next, never how we got there."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from scheduler.web.answers import Problem
from scheduler.web.snapshots import BadUrlError, TakenDownError
from workers.errors import CitevaultError, CorruptError, EpochError, ObjectMissingError, RetryableError

LOG = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = "5"
NEXT_STEPS: Mapping[int, str] = {
    HTTPStatus.BAD_REQUEST: "/api/v1/openapi.json says what is to be sent, as JSON in UTF-8",
    HTTPStatus.NOT_FOUND: "/api/v1/openapi.json lists the calls; their answers name what there is",
    HTTPStatus.METHOD_NOT_ALLOWED: "the header Allow says how it may be asked; /api/v1/openapi.json lists the calls",
    HTTPStatus.CONFLICT: "/api/v1/jobs says how the job stands",
}
"""Of errors that the framework or a call tells by their status."""


def problem_of(error: CitevaultError) -> Problem:
    """What an error of ours means to a client."""
    match error:
        case ObjectMissingError():
            name, status = "missing", HTTPStatus.NOT_FOUND
        case TakenDownError():
            name, status = "taken-down", HTTPStatus.GONE
        case BadUrlError():
            name, status = "bad-url", HTTPStatus.BAD_REQUEST
        case CorruptError():
            name, status = "corrupt", HTTPStatus.INTERNAL_SERVER_ERROR
        case EpochError():
            name, status = "rebuilding", HTTPStatus.SERVICE_UNAVAILABLE
        case RetryableError():
            name, status = "away", HTTPStatus.SERVICE_UNAVAILABLE
        case _:
            name, status = "refused", HTTPStatus.BAD_GATEWAY
    return Problem(
        type=f"urn:citevault:problem:{name}",
        title=status.phrase,
        status=status,
        detail=error.what,
        where=error.where or None,
        next_step=error.next_step or None,
    )


def plain_problem(status: int, detail: str, *, where: str | None = None, next_step: str | None = None) -> Problem:
    """A problem that the status says enough of."""
    title = HTTPStatus(status).phrase
    return Problem(type="about:blank", title=title, status=status, detail=detail, where=where, next_step=next_step)


def answer(problem: Problem, headers: dict[str, str] | None = None) -> Response:
    """The problem as a response."""
    extra = dict(headers or {})
    if problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        extra["Retry-After"] = RETRY_SECONDS
    return Response(
        problem.model_dump_json(exclude_none=True), status_code=problem.status, media_type=MEDIA_TYPE, headers=extra
    )


def install(app: FastAPI, page: Callable[[Problem], Response]) -> None:
    """Let every error end as a problem, and for people's browsers as a page, outside the API."""

    def say(request: Request, problem: Problem, headers: dict[str, str] | None = None) -> Response:
        if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
            return answer(problem, headers)
        return page(problem)

    async def ours(request: Request, error: Exception) -> Response:
        if not isinstance(error, CitevaultError):
            raise error
        if isinstance(error, CorruptError):
            LOG.error("corrupt error=%s", error)
        return say(request, problem_of(error))

    async def invalid(request: Request, error: Exception) -> Response:
        if not isinstance(error, RequestValidationError):
            raise error
        kind = request.headers.get("content-type", "")
        if request.method == "POST" and "json" not in kind.lower():
            told = f"the body is sent as {kind[:80] or 'nothing in particular'}, and is to be JSON"
            step = "send it with Content-Type: application/json"
            return say(request, plain_problem(HTTPStatus.BAD_REQUEST, told, next_step=step))
        named = "; ".join(f"{_place(item['loc'])}: {item['msg']}" for item in error.errors()[:5])
        problem = plain_problem(HTTPStatus.BAD_REQUEST, named[:1000], next_step="see /api/v1/openapi.json")
        return say(request, problem)

    async def http(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            raise error
        problem = plain_problem(error.status_code, str(error.detail), next_step=NEXT_STEPS.get(error.status_code))
        return say(request, problem, dict(error.headers or {}))

    async def defect(request: Request, _: Exception) -> Response:
        problem = plain_problem(
            HTTPStatus.INTERNAL_SERVER_ERROR, "a defect of ours; the log of the web process says more"
        )
        return say(request, problem)  # the server logs the error itself

    app.add_exception_handler(CitevaultError, ours)
    app.add_exception_handler(Exception, defect)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location[1:])) or "request"
