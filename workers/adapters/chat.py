"""An OpenAI-compatible endpoint: one POST to `<base>/chat/completions`, tried again where that can help.

The key goes into one header and nowhere else: no record, log or message has it, redirects are not followed, and it is
not sent in the clear to a public host. What an endpoint writes is bounded in size and never shown whole.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlsplit

import aiohttp

from workers.capture.pacing import retry_after
from workers.errors import CitevaultError, PermanentError, QuestionError, RetryableError

MAX_ANSWER_BYTES: Final = 1024 * 1024
TRIES: Final = 4
MOST_WAIT_SECONDS: Final = 60.0
"""An endpoint that asks for more is asked again by whoever runs the command again."""
_BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_THIS_QUESTION: Final = frozenset({400, 413, 422, 451})
"""Too long, filtered, or not understood: what endpoints say of one question and not of the next."""
_TOLD: Final = 200


class ChatEndpoint:
    """Belongs to the event loop that opened it."""

    def __init__(self, session: aiohttp.ClientSession, base: str, key: str, *, pause_seconds: float = 1.0) -> None:
        self._session = session
        self._url = f"{base.rstrip('/')}/chat/completions"
        self._key = key
        self._pause = pause_seconds
        self.host = urlsplit(base).netloc.rpartition("@")[2]

    async def ask(self, body: bytes) -> bytes:
        """The answer's bytes. Up to four tries, after what `Retry-After` says, else after 1, 2 and 4 seconds."""
        for attempt in range(TRIES):
            wait = self._pause * 2**attempt
            try:
                answer = await self._post(body)
            except RetryableError:
                if attempt + 1 == TRIES:
                    raise
            else:
                if isinstance(answer, bytes):
                    return answer
                wait = wait if answer.asked is None else answer.asked
                if attempt + 1 == TRIES or wait > MOST_WAIT_SECONDS:
                    raise answer.error
            await asyncio.sleep(wait)
        raise AssertionError("the last try returns or raises")

    async def _post(self, body: bytes) -> bytes | _Busy:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            async with self._session.post(self._url, data=body, headers=headers, allow_redirects=False) as answer:
                data = await _bounded(answer.content)
                status, fields = answer.status, answer.headers
        except TimeoutError:
            raise RetryableError(
                f"the endpoint did not answer within {self._session.timeout.total:g} s",
                where=self.host,
                next_step="see that it runs; CITEVAULT_JUDGE_SECONDS is how long it may take",
            ) from None
        except (aiohttp.ClientError, ValueError) as error:
            raise RetryableError(
                f"the endpoint did not answer: {self._clean(str(error)) or type(error).__name__}",
                where=self.host,
                next_step="see that it runs; CITEVAULT_JUDGE_SECONDS is how long it may take",
            ) from None
        if status == 200:
            return data
        told = self._told(data)
        if status in _BUSY:
            busy = RetryableError(f"the endpoint answered {status}{told}", where=self.host, next_step="try again")
            return _Busy(busy, retry_after(fields.get("Retry-After"), datetime.now(UTC)))
        raise self._refused(status, told)

    def _refused(self, status: int, told: str) -> PermanentError:
        steps = {
            **dict.fromkeys(_THIS_QUESTION, "quote less, or have a person judge this edge"),
            400: "correct what it names; CITEVAULT_JUDGE_FORMAT=none leaves out response_format",
            401: "set CITEVAULT_JUDGE_API_KEY to a key of this endpoint",
            403: "set CITEVAULT_JUDGE_API_KEY to a key that may use this model",
            404: "correct CITEVAULT_JUDGE_URL (it ends in /v1 for most servers) or CITEVAULT_JUDGE_MODEL",
        }
        step = steps.get(status, "correct CITEVAULT_JUDGE_URL" if 300 <= status < 400 else "ask who runs the endpoint")
        kind = QuestionError if status in _THIS_QUESTION else PermanentError
        return kind(f"the endpoint refused with {status}{told}", where=self.host, next_step=step)

    def _told(self, data: bytes) -> str:
        """What the endpoint says of its error, in one short line."""
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            return ""
        error = document.get("error") if isinstance(document, dict) else None
        message = error.get("message") if isinstance(error, dict) else error
        return f": {self._clean(message)}" if isinstance(message, str) and message.strip() else ""

    def _clean(self, text: str) -> str:
        if self._key:
            text = text.replace(self._key, "[key]")
        return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[:_TOLD]


class _Busy:
    def __init__(self, error: CitevaultError, asked: float | None) -> None:
        self.error = error
        self.asked = asked


async def _bounded(content: aiohttp.StreamReader) -> bytes:
    data = bytearray()
    async for piece in content.iter_chunked(64 * 1024):
        data += piece
        if len(data) > MAX_ANSWER_BYTES:
            raise QuestionError(
                f"the endpoint answered with more than {MAX_ANSWER_BYTES} bytes",
                next_step="check CITEVAULT_JUDGE_URL; an answer is some hundred bytes",
            )
    return bytes(data)


@asynccontextmanager
async def open_endpoint(
    base: str, key: str, *, seconds: float, pause_seconds: float = 1.0
) -> AsyncIterator[ChatEndpoint]:
    """An endpoint at `base`. PermanentError where it is none, or the key would cross a public network in the clear."""
    parts = urlsplit(base)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None or parts.query:
        raise PermanentError(
            "an endpoint is an http(s) address without user, password or query",
            where="CITEVAULT_JUDGE_URL",
            next_step="give it such as https://models.example/v1, and the key as CITEVAULT_JUDGE_API_KEY",
        )
    if key and parts.scheme == "http" and not _is_near(parts.hostname):
        raise PermanentError(
            "the key would be sent in the clear",
            where="CITEVAULT_JUDGE_URL",
            next_step="use https, or no key",
        )
    if not key.isascii() or not key.isprintable():
        raise PermanentError("the key is no printable ASCII", where="CITEVAULT_JUDGE_API_KEY", next_step="correct it")
    timeout = aiohttp.ClientTimeout(total=seconds)
    async with aiohttp.ClientSession(timeout=timeout, trust_env=False) as session:
        yield ChatEndpoint(session, base, key, pause_seconds=pause_seconds)


def _is_near(host: str) -> bool:
    """This machine, or an address of a private network."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return host == "localhost"
