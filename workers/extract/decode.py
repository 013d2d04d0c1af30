"""Content codings removed, within bounds (RFC 9110, 8.4; `schemas/README.md, Digests`: `decoded_sha256`).

Strict on purpose: an unknown coding, a body that is not what its header says, or one that stops
early gives a failure and no bytes, since a digest over a guess could not be recomputed by somebody
else. Lenient only where readers agree: several gzip members or zstd frames, bytes after the end of the
content, both spellings of `deflate`. What is empty is empty under every coding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from workers.extract.inflate import CODINGS, BrokenCodingError, TruncatedCodingError

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class DecodeLimits:
    """What one body may become. 64 MiB is 500 times a large page; a ratio of 500 is far above what text reaches
    (gzip cannot exceed 1,032, brotli and zstd can), and it is only asked once 1 MiB has come out."""

    max_bytes: int = 64 * MIB
    max_ratio: int = 500
    ratio_free_bytes: int = MIB
    max_codings: int = 4


DEFAULT_LIMITS = DecodeLimits()


class DecodeProblem(StrEnum):
    """Why a body could not be decoded."""

    UNKNOWN_CODING = "unknown-coding"
    TOO_MANY_CODINGS = "too-many-codings"
    BROKEN = "broken"
    TRUNCATED = "truncated"
    TOO_LARGE = "too-large"
    RATIO = "ratio"


@dataclass(frozen=True, slots=True)
class Decoded:
    """The body without its content codings; `codings` in the order in which they had been applied."""

    data: bytes
    codings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DecodeFailure:
    """Which coding failed, and how."""

    problem: DecodeProblem
    coding: str
    message: str


def read_codings(values: Iterable[str]) -> tuple[str, ...]:
    """Coding names of all `Content-Encoding` fields of a message, lower case, `identity` left out."""
    names = (name.strip().lower() for value in values for name in value.split(","))
    return tuple(name for name in names if name not in ("", "identity"))


def remove_codings(
    content: bytes, codings: tuple[str, ...], limits: DecodeLimits = DEFAULT_LIMITS
) -> Decoded | DecodeFailure:
    """Undo content codings, the one applied last first. `codings` as `read_codings` gives them.

    A body without codings is given back as it is, whatever its size.
    """
    if not content or not codings:
        return Decoded(content, codings)
    if len(codings) > limits.max_codings:
        message = f"{len(codings)} content codings; {limits.max_codings} are undone at most"
        return DecodeFailure(DecodeProblem.TOO_MANY_CODINGS, codings[-1][:40], message)
    allowed = min(limits.max_bytes, max(limits.ratio_free_bytes, limits.max_ratio * len(content)))
    data = content
    for coding in reversed(codings):
        if not data:
            break
        stage = _remove_one(data, coding, allowed, limits)
        if isinstance(stage, DecodeFailure):
            return stage
        data = stage
    return Decoded(data, codings)


def _remove_one(data: bytes, coding: str, allowed: int, limits: DecodeLimits) -> bytes | DecodeFailure:
    name = coding[:40]
    failure: DecodeFailure | None = None
    for pieces in CODINGS.get(coding, ()):
        result = _joined(pieces(data), name, allowed, limits)
        if isinstance(result, bytes) or result.problem in (DecodeProblem.TOO_LARGE, DecodeProblem.RATIO):
            return result
        if failure is None or result.problem is DecodeProblem.TRUNCATED:
            failure = result
    message = f"content coding {name!a} cannot be undone here"
    return failure or DecodeFailure(DecodeProblem.UNKNOWN_CODING, name, message)


def _joined(pieces: Iterator[bytes], coding: str, allowed: int, limits: DecodeLimits) -> bytes | DecodeFailure:
    """All pieces of one reading."""
    out = bytearray()
    try:
        for piece in pieces:
            out += piece
            if len(out) > allowed:
                return _too_much(coding, allowed, limits)
    except TruncatedCodingError:
        return DecodeFailure(DecodeProblem.TRUNCATED, coding, f"the {coding} stream stops before its end")
    except BrokenCodingError as error:
        return DecodeFailure(DecodeProblem.BROKEN, coding, f"the body is no {coding} stream: {error}")
    return bytes(out)


def _too_much(coding: str, allowed: int, limits: DecodeLimits) -> DecodeFailure:
    if allowed < limits.max_bytes:
        message = f"the {coding} stream grows more than {limits.max_ratio} times"
        return DecodeFailure(DecodeProblem.RATIO, coding, message)
    return DecodeFailure(DecodeProblem.TOO_LARGE, coding, f"the {coding} stream holds more than {allowed} bytes")
