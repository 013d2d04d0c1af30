"""Bytes to and from a child process with a deadline, so that neither side's silence can hold the other for ever."""

from __future__ import annotations

import os
import select
import time
from typing import IO

from workers.extract.frames import ANSWER_HEAD, MAX_ANSWER_BYTES

PIECE_BYTES = 1024 * 1024


class LateError(Exception):
    """The deadline has passed."""


class ClosedError(Exception):
    """The other side is gone, or said something that is no frame."""


def send(stream: IO[bytes], data: bytes, deadline: float) -> None:
    """Write everything by `deadline` (monotonic seconds)."""
    handle = stream.fileno()
    os.set_blocking(handle, False)
    view = memoryview(data)
    while view:
        _wait(handle, select.POLLOUT, deadline)
        try:
            view = view[os.write(handle, view[:PIECE_BYTES]) :]
        except BlockingIOError:
            continue
        except BrokenPipeError:
            raise ClosedError from None


def receive(stream: IO[bytes], deadline: float) -> bytes:
    """One answer by `deadline`."""
    (length,) = ANSWER_HEAD.unpack(_read(stream.fileno(), ANSWER_HEAD.size, deadline))
    if length > MAX_ANSWER_BYTES:
        raise ClosedError
    return _read(stream.fileno(), length, deadline)


def _read(handle: int, size: int, deadline: float) -> bytes:
    os.set_blocking(handle, False)
    out = bytearray()
    while len(out) < size:
        _wait(handle, select.POLLIN, deadline)
        try:
            piece = os.read(handle, min(PIECE_BYTES, size - len(out)))
        except BlockingIOError:
            continue
        if not piece:
            raise ClosedError
        out += piece
    return bytes(out)


def _wait(handle: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(handle, event)
    left = deadline - time.monotonic()
    if left <= 0 or not poll.poll(left * 1000):
        raise LateError
