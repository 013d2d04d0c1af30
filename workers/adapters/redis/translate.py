"""The errors that our own scripts answer with, beside those of Redis and of the connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from redis.exceptions import RedisError

from workers.adapters.redis.client import translated
from workers.errors import CitevaultError, EpochError, PermanentError
from workers.frontier.scripts import EPOCH_ERROR, NO_JOB_ERROR

REBUILD = "wait until the scheduler has rebuilt the state from the store, or run `citevault rebuild`"


@contextmanager
def script_errors(call: str) -> Iterator[None]:
    """Translate what a call raises; `call` names it, never its data."""
    try:
        yield
    except (RedisError, TimeoutError, OSError) as foreign:
        raise _ours(foreign, call) from foreign


def _ours(foreign: RedisError | OSError, call: str) -> CitevaultError:
    message = str(foreign)
    word, _, rest = message.partition(" ")
    if word == EPOCH_ERROR:
        return EpochError(f"Redis is in another epoch: {rest}", where=call, next_step=REBUILD)
    if word == NO_JOB_ERROR:
        return PermanentError("the frontier does not know this job", where=call, next_step="resume its intake")
    error = translated(foreign)
    error.where = call
    return error
