"""Bytes to a JSON value, refusing what JSON parsers wave through.

Order: size, byte-order mark, UTF-8, number of values, syntax and depth, then names and numbers. Python's own parser
is used, since it can show every pair of names and every number as it is written; what it finds is
marked in place, and the place is looked up only when there is something to report.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from schemas.pointer import pointer
from schemas.reading.errors import DocumentError, DocumentProblem

MAX_INTEGER = 2**53 - 1  # RFC 7493, 2.2: what every reader holds exactly
MAX_INTEGER_CHARACTERS = 17  # a sign and 16 digits; longer ones are never turned into an int
MAX_FLOAT_CHARACTERS = 64
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89abAB]|\\u[dD][c-fC-F]")
_MARKS = b",[{"
_OTHER_BYTES = bytes(sorted(set(range(256)) - set(_MARKS + b'"')))
_STRING = re.compile(rb'"[^"]*+"')
_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What a document may cost. 64 MiB holds a bundle of some 50,000 evidence edges."""

    max_bytes: int = 64 * 1024 * 1024
    max_depth: int = 64
    max_values: int = 4_000_000
    """Names, strings, numbers, lists: a bundle of that size has half of it. Each costs a hundred bytes once parsed."""
    max_extension_values: int = 100_000
    """Values in `x_*` fields, all together: they are read for nobody."""


DEFAULT_LIMITS = ReadingLimits()


@dataclass(frozen=True, slots=True)
class _Refused:
    """Stands in the parsed value where something was refused."""

    code: DocumentProblem
    message: str
    expected: str
    actual: str


def read_json(data: bytes, *, limits: ReadingLimits = DEFAULT_LIMITS) -> JsonValue | DocumentError:
    """The value of a JSON text, or the first thing that is wrong with it."""
    if len(data) > limits.max_bytes:
        return DocumentError(
            DocumentProblem.TOO_LARGE,
            "",
            "The document is too large to be read",
            f"at most {limits.max_bytes} bytes",
            f"{len(data)} bytes",
        )
    if data.startswith(b"\xef\xbb\xbf"):
        return DocumentError(DocumentProblem.BOM, "", "The document starts with a byte-order mark", "none", "one")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return DocumentError(
            DocumentProblem.NOT_UTF8, "", "The document is not UTF-8", "UTF-8", f"another byte at offset {error.start}"
        )
    if not text.strip(" \t\r\n"):
        return DocumentError(DocumentProblem.EMPTY, "", "The document is empty", "a JSON value", "nothing")
    if _holds_more(data, limits.max_values):
        return DocumentError(
            DocumentProblem.TOO_MANY, "", "The document holds too many values", f"at most {limits.max_values}", "more"
        )
    return _parse(text, limits)


def _holds_more(data: bytes, most: int) -> bool:
    """Whether there are more values than that: each stands behind one of the marks, which count outside of strings
    only. Cheap, since it decides whether anything dear is done."""
    if sum(data.count(bytes([mark])) for mark in _MARKS) <= most:
        return False
    left = data.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _OTHER_BYTES).replace(b'""', b"")
    count = at = 0
    for string in _STRING.finditer(left):
        count += string.start() - at
        at = string.end()
        if count > most:
            return True
    return count + len(left) - at > most


def _parse(text: str, limits: ReadingLimits) -> JsonValue | DocumentError:
    hooks = _Hooks(limits)
    try:
        value: JsonValue = json.loads(
            text,
            object_pairs_hook=hooks.pairs,
            parse_constant=hooks.constant,
            parse_int=hooks.integer,
            parse_float=hooks.decimal,
        )
    except json.JSONDecodeError as error:
        return DocumentError(
            DocumentProblem.NOT_JSON,
            "",
            "The document is not JSON",
            "JSON (RFC 8259)",
            f"a syntax error in line {error.lineno}, column {error.colno}",
        )
    except RecursionError:
        return _too_deep("", limits)
    if not (hooks.refused or _SURROGATE_ESCAPE.search(text) or _is_deeper(value, limits.max_depth)):
        return value
    return _first_problem(value, limits) or value


class _Hooks:
    """Callbacks of the parser. They mark what they refuse and remember that there is something to find."""

    def __init__(self, limits: ReadingLimits) -> None:
        self.refused = False
        self._left = self._most = limits.max_extension_values

    def pairs(self, pairs: list[tuple[str, object]]) -> object:
        out = dict(pairs)
        if len(out) == len(pairs):
            for name in out:
                if name[:2] == "x_":
                    out[name] = self._extension(out[name])
            return out
        return self._mark(
            DocumentProblem.DUPLICATE_NAME, "An object has a name twice", "every name once", "a repetition"
        )

    def _extension(self, value: object) -> object:
        """The value of an `x_*` field, as long as there is room for it. Inner ones count for their outer ones too."""
        waiting = [value]
        while waiting and self._left >= 0:
            item = waiting.pop()
            self._left -= 1
            if isinstance(item, dict):
                waiting += item.values()
            elif isinstance(item, list):
                waiting += item[: self._left + 1]
        if self._left >= 0:
            return value
        message = "The x_ fields hold too many values"
        return self._mark(DocumentProblem.TOO_MANY, message, f"at most {self._most} in all of them", "more")

    def constant(self, _name: str) -> object:
        return self._mark(DocumentProblem.NOT_FINITE, "A number is not finite", "a JSON number", "NaN or Infinity")

    def integer(self, digits: str) -> object:
        if len(digits) <= MAX_INTEGER_CHARACTERS and abs(number := int(digits)) <= MAX_INTEGER:
            return number
        return self._mark(
            DocumentProblem.NUMBER_RANGE, "An integer is too large", "below 2^53", f"{len(digits)} characters of digits"
        )

    def decimal(self, digits: str) -> object:
        if len(digits) > MAX_FLOAT_CHARACTERS:
            return self._mark(
                DocumentProblem.NUMBER_RANGE,
                "A number is too long",
                f"at most {MAX_FLOAT_CHARACTERS} characters",
                f"{len(digits)} characters",
            )
        number = float(digits)
        if math.isfinite(number):
            return number
        return self._mark(DocumentProblem.NOT_FINITE, "A number is not finite", "a finite number", "one too large")

    def _mark(self, code: DocumentProblem, message: str, expected: str, actual: str) -> _Refused:
        self.refused = True
        return _Refused(code, message, expected, actual)


def _is_deeper(value: object, levels: int) -> bool:
    """Whether containers are nested deeper than that. Level by level: a large document is wide, not deep."""
    level = [value] if isinstance(value, (dict, list)) else []
    while level:
        if levels == 0:
            return True
        levels -= 1
        level = [
            inner
            for container in level
            for inner in (container.values() if isinstance(container, dict) else container)
            if isinstance(inner, (dict, list))
        ]
    return False


def _first_problem(value: object, limits: ReadingLimits) -> DocumentError | None:
    """The first problem in document order. Iterative, so that depth costs no stack."""
    stack: list[Iterator[tuple[_Path, object]]] = [iter([((), value)])]
    while stack:
        path, item = next(stack[-1], ((), stack))  # the stack itself marks the end: no document holds it
        if item is stack:
            stack.pop()
            continue
        match item:
            case _Refused():
                return DocumentError(item.code, pointer(path), item.message, item.expected, item.actual)
            case str() if not _is_text(item):
                return _surrogate(path)
            case dict():
                if any(not _is_text(name) for name in item):
                    return _surrogate(path)
                stack.append(iter([((*path, name), inner) for name, inner in item.items()]))
            case list():
                stack.append(iter([((*path, index), inner) for index, inner in enumerate(item)]))
            case _:
                continue
        if len(stack) > limits.max_depth + 1:
            return _too_deep(pointer(path), limits)
    return None


def _is_text(value: str) -> bool:
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)


def _surrogate(path: _Path) -> DocumentError:
    return DocumentError(
        DocumentProblem.LONE_SURROGATE,
        pointer(path),
        "A string is no Unicode text",
        "surrogates in pairs only",
        "one alone",
    )


def _too_deep(where: str, limits: ReadingLimits) -> DocumentError:
    return DocumentError(
        DocumentProblem.TOO_DEEP,
        where,
        "The document is nested too deeply",
        f"at most {limits.max_depth} levels",
        "more",
    )
