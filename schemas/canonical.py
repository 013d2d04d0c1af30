"""Canonical JSON (RFC 8785): the one form of a document that is hashed and signed.

Narrower than the RFC in one point: **no floats**. None of our records holds one (ratios are parts
per million), and a float does not survive a round trip under our strict reading: `1e20` is written
as an integer of 21 digits, which the reader refuses. A fraction in an `x_*` field is a string.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias

import rfc8785
from pydantic import BaseModel, JsonValue

from schemas.pointer import pointer

MAX_DEPTH = 64  # nesting of our deepest record is below 10; the rest is room for `x_*` and policies
MAX_INTEGER = 2**53 - 1  # RFC 8785, 3.2.2.3 by way of RFC 7493: what a double holds exactly

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
_LEAVES = frozenset((str, bool, type(None)))
"""What most values are, and nothing is wrong with: asked first, so that a step down is taken for the others alone."""
_Path: TypeAlias = "tuple[_Path, str | int] | None"
"""Linked from the value up to the root, so that walking down copies nothing."""


class CanonicalProblem(StrEnum):
    """Why a value has no canonical form here."""

    FLOAT = "float"
    INTEGER_RANGE = "integer-range"
    SURROGATE = "lone-surrogate"
    DEPTH = "too-deep"
    KEY = "key-is-no-string"
    TYPE = "not-json"


class CanonicalError(ValueError):
    """A value cannot be written as canonical JSON. `pointer` says where, `problem` why."""

    def __init__(self, problem: CanonicalProblem, where: str, message: str) -> None:
        super().__init__(f"{message} (at {where or 'the top'})")
        self.problem = problem
        self.pointer = where


def canonical_bytes(value: JsonValue | BaseModel) -> bytes:
    """RFC 8785 bytes, UTF-8, no final LF. Records are written by alias, with every nullable field present.

    Raises `CanonicalError` for floats, integers from 2^53 up, lone surrogates, nesting over
    `MAX_DEPTH` and anything that JSON does not have.
    """
    plain: JsonValue = value.model_dump(mode="json", by_alias=True) if isinstance(value, BaseModel) else value
    try:
        _check(plain, None, 0)
        written = _ENCODER.encode(plain)
        # Equal to RFC 8785 where keys are ASCII and numbers are integers, and several times faster.
        return written.encode("utf-8") if written.isascii() or _has_ascii_keys(plain) else rfc8785.dumps(plain)
    except (UnicodeEncodeError, rfc8785.CanonicalizationError):
        _locate_surrogate(plain, None)
        raise


def sha256_hex(data: bytes) -> str:
    """SHA-256 as 64 lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def canonical_sha256(value: JsonValue | BaseModel) -> str:
    """SHA-256 of the canonical bytes: what policies, options and judgement inputs are named by."""
    return sha256_hex(canonical_bytes(value))


def _check(value: object, path: _Path, depth: int) -> None:
    """Refuse what has no canonical form."""
    kind = value.__class__
    if kind in _LEAVES or isinstance(value, str):
        return
    if isinstance(value, int):
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise _error(CanonicalProblem.INTEGER_RANGE, path, "an integer of 2^53 or more; write it as a string")
        return
    if isinstance(value, float):
        raise _error(CanonicalProblem.FLOAT, path, "a float; write parts per million, or a string")
    if depth >= MAX_DEPTH:
        raise _error(CanonicalProblem.DEPTH, path, f"nested deeper than {MAX_DEPTH}")
    if isinstance(value, (dict, Mapping)):  # the concrete type first: asking an abstract one is slow
        for key, item in value.items():
            if not isinstance(key, str):
                raise _error(CanonicalProblem.KEY, path, "an object name that is no string")
            kind = item.__class__
            if kind not in _LEAVES and not (kind is int and -MAX_INTEGER <= item <= MAX_INTEGER):
                _check(item, (path, key), depth + 1)
    elif isinstance(value, (list, tuple, Sequence)) and not isinstance(value, (bytes, bytearray, memoryview)):
        for index, item in enumerate(value):
            if item.__class__ not in _LEAVES:
                _check(item, (path, index), depth + 1)
    else:
        raise _error(CanonicalProblem.TYPE, path, f"a {type(value).__name__} is no JSON value")


def _has_ascii_keys(value: object) -> bool:
    """Of a value that has been checked."""
    if isinstance(value, (dict, Mapping)):
        return all(map(str.isascii, value)) and all(
            _has_ascii_keys(item) for item in value.values() if item.__class__ not in _LEAVES
        )
    if isinstance(value, (list, tuple)):
        return all(_has_ascii_keys(item) for item in value if item.__class__ not in _LEAVES)
    return True


def _locate_surrogate(value: object, path: _Path) -> None:
    """Raise for the first string that is no Unicode text."""
    if isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise _error(CanonicalProblem.SURROGATE, path, "a string with a lone surrogate is no Unicode text")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _locate_surrogate(key, path)
            _locate_surrogate(item, (path, key))
    elif isinstance(value, Sequence):
        for index, item in enumerate(value):
            _locate_surrogate(item, (path, index))


def _error(problem: CanonicalProblem, path: _Path, message: str) -> CanonicalError:
    tokens: list[str | int] = []
    while path is not None:
        path, token = path
        tokens.append(token)
    return CanonicalError(problem, pointer(reversed(tokens)), message)
