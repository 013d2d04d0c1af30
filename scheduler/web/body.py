"""How much a client may send: what is longer is refused by what it says of itself, or as soon as it has come."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scheduler.web.problems import answer, plain_problem

MAX_BODY_BYTES: Final = 2 * 1024 * 1024
"""Of a request. The API takes decisions and nothing longer: texts of 100,000 and 4,096 characters (`DecisionWish`),
which JSON may spell with twelve bytes each."""


class LimitedBody:
    """ASGI middleware that reads a body whole, within the limit, before anything else sees the request.

    Whoever sends no body, or says that it is too long, costs nothing. Where no length is told (chunked), the excess
    is noticed at the first piece beyond the limit, and nothing more is read.
    """

    def __init__(self, app: ASGIApp, most: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told = Headers(scope=scope).get("content-length", "0")
        if len(told) > 18 or (told.isdecimal() and int(told) > self._most):
            await self._refusal(scope, receive, send)
            return
        first: list[Message] = []
        size = 0
        while True:
            message = await receive()
            first.append(message)
            size += len(message.get("body", b""))
            if size > self._most:
                await self._refusal(scope, receive, send)
                return
            if message["type"] != "http.request" or not message.get("more_body", False):
                break
        waiting = iter(first)

        async def replayed() -> Message:
            return next(waiting, None) or await receive()

        await self._app(scope, replayed, send)

    async def _refusal(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = plain_problem(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"the body is longer than {self._most} bytes",
            where=scope["path"][:200],
            next_step="send a shorter one; lists of URLs are handed in with `citevault archive --from FILE`",
        )
        refused = answer(problem, {"Connection": "close"})
        await refused(scope, receive, send)
