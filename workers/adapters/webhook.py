"""Handing a message to somebody's server: one POST, and an answer of 2xx, or an error that says why not."""

from __future__ import annotations

from collections.abc import Mapping

import aiohttp

from workers.errors import PermanentError, RetryableError

SECONDS = 20.0


async def post(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    """Redirects are not followed: a signed message goes to the address that somebody named."""
    if not url.startswith(("https://", "http://")):
        raise PermanentError("a webhook has an http(s) address", where=url[:200], next_step="correct the address")
    try:
        timeout = aiohttp.ClientTimeout(total=SECONDS)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(url, data=body, headers=dict(headers), allow_redirects=False) as answer,
        ):
            status = answer.status
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise RetryableError(
            f"the webhook could not be delivered: {error or 'no answer'}", where=url[:200], next_step="try again"
        ) from error
    if not 200 <= status < 300:
        raise RetryableError(f"the webhook was refused with {status}", where=url[:200], next_step="ask its receiver")
