"""Nobody can have the web process keep what it would refuse anyway: bodies end at a limit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from scheduler.web.answers import DecisionWish
from scheduler.web.body import MAX_BODY_BYTES, LimitedBody

PIECE = bytes(1000)


def ask(pieces: Iterator[bytes], **headers: str) -> tuple[int, Any, int]:
    """The status, what was said, and how many pieces were taken from the client. The application tells the length."""
    taken, sent = 0, list[Message]()

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        await PlainTextResponse(str(len(body)))(scope, receive, send)

    async def receive() -> Message:
        nonlocal taken
        piece = next(pieces, None)
        taken += piece is not None
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    async def send(message: Message) -> None:
        sent.append(message)

    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/api/v1/jobs/x/decisions", "headers": named}
    asyncio.run(LimitedBody(inside, most=10_000)(scope, receive, send))
    said = b"".join(message.get("body", b"") for message in sent[1:]).decode()
    return sent[0]["status"], json.loads(said) if sent[0]["status"] != 200 else said, taken


@pytest.mark.parametrize("length", ["10001", "300000000", "9" * 5000])
def test_a_body_that_says_that_it_is_too_long_is_refused_unread(length: str) -> None:
    status, problem, taken = ask(iter([PIECE] * 20), content_length=length)
    assert (status, taken) == (413, 0)
    assert problem["where"] == "/api/v1/jobs/x/decisions"
    assert "10000 bytes" in problem["detail"]
    assert "citevault archive --from" in problem["next_step"]


@pytest.mark.parametrize("told", [{}, {"content_length": "5"}, {"content_length": "x"}])
def test_a_body_that_says_nothing_of_it_is_read_up_to_the_limit(told: dict[str, str]) -> None:
    status, problem, taken = ask(iter(lambda: PIECE, None), **told)
    assert (status, taken) == (413, 11)
    assert problem["next_step"]


@pytest.mark.parametrize("count", [0, 1, 10])
def test_a_body_within_the_limit_comes_whole(count: int) -> None:
    assert ask(iter([PIECE] * count)) == (200, str(1000 * count), count)


def test_the_longest_decision_fits() -> None:
    texts = {"by": "\U0001f30a" * 4_096, "why": "\U0001f30a" * 100_000}
    longest = json.dumps({"action": "pause", **texts}).encode()
    assert DecisionWish.model_validate_json(longest).why == texts["why"]
    assert len(longest) < MAX_BODY_BYTES
