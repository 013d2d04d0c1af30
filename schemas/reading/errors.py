"""Why a document is refused: a value that says what, where and what was expected, and never the content."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DocumentProblem(StrEnum):
    """In the order in which they are looked for. The values may stand in a report."""

    TOO_LARGE = "too-large"
    TRUNCATED = "truncated"  # a compressed file without its end
    NOT_GZIP = "broken-gzip"
    BOM = "byte-order-mark"
    NOT_UTF8 = "not-utf-8"
    EMPTY = "empty"
    TOO_MANY = "too-many-values"
    NOT_JSON = "not-json"
    TOO_DEEP = "too-deep"
    DUPLICATE_NAME = "duplicate-name"
    NOT_FINITE = "number-not-finite"
    NUMBER_RANGE = "number-out-of-range"
    LONE_SURROGATE = "lone-surrogate"
    WRONG_SCHEMA = "wrong-schema"
    UNKNOWN_VERSION = "unknown-version"
    MISSING_FIELD = "missing-field"
    UNKNOWN_FIELD = "unknown-field"
    WRONG_TYPE = "wrong-type"
    BAD_VALUE = "bad-value"


@dataclass(frozen=True, slots=True)
class DocumentError:
    """One refusal. `actual` describes the kind of what was found, it does not quote it."""

    code: DocumentProblem
    pointer: str
    """JSON Pointer (RFC 6901); empty for the whole document."""
    message: str
    expected: str
    actual: str

    def __str__(self) -> str:
        where = f" at {self.pointer}" if self.pointer else ""
        return f"{self.message}{where}: expected {self.expected}, found {self.actual}"


def describe(value: object) -> str:
    """The kind of a JSON value in words, without its content."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return f"a string of {len(value)} characters"
        case list():
            return f"an array of {len(value)}"
        case _:
            return "an object"
