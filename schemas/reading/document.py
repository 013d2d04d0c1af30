"""A JSON value to a record: schema id first, then every field, strictly."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from schemas.pointer import pointer
from schemas.reading.errors import DocumentError, DocumentProblem, describe
from schemas.reading.json_text import DEFAULT_LIMITS, ReadingLimits, read_json
from schemas.reading.locations import document_tokens
from schemas.reading.patterns import in_words, pattern_of
from schemas.records.base import ExtensionName

R = TypeVar("R", bound=BaseModel)

EXTENSION_NAME_PATTERN = pattern_of(ExtensionName)
"""What an unknown name has to match; the record type reports any other name as failing this pattern."""

_SCHEMA_ID = re.compile(r"citevault/[a-z-]{1,40}@[0-9]{1,4}")
_SNAPSHOT_ID_ALIAS = {
    # X13: version 1 of these documents may write a snapshot's own id as `snapshot_id` (R081).
    "citevault/bundle@1": ("snapshots",),
    "citevault/snapshot@1": (),
}


def read_document(data: bytes, model: type[R], *, limits: ReadingLimits = DEFAULT_LIMITS) -> R | DocumentError:
    """Read one record from its JSON bytes, or say what is wrong with them first.

    `model` must be closed and strict itself (`schemas.records.base.Record` is). Its `schema` field,
    where it has one, is compared before anything else, so that a newer version is told from a
    broken document.
    """
    value = read_json(data, limits=limits)
    if isinstance(value, DocumentError):
        return value
    wrong_schema = _check_schema(value, model)
    if wrong_schema is not None:
        return wrong_schema
    if _rename_snapshot_ids(value):
        data = json.dumps(value).encode("ascii")
    del value  # of a large bundle as large as the record: it is read again where there is an error to place
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        again = read_json(data, limits=limits)
        found = None if isinstance(again, DocumentError) else again
        return _from_pydantic(error.errors(include_url=False, include_input=False)[0], found, model)


@cache
def schema_id(model: type[BaseModel]) -> str | None:
    """The id that a record's `schema` field must hold, or None where it has no such field."""
    for name, field in model.model_fields.items():
        if (field.alias or name) == "schema":
            for part in (field.annotation, *get_args(field.annotation)):
                if get_origin(part) is Literal:
                    return str(get_args(part)[0])
    return None


def _check_schema(value: JsonValue, model: type[BaseModel]) -> DocumentError | None:
    expected = schema_id(model)
    if expected is None or not isinstance(value, dict):
        return None
    found = value.get("schema")
    if found == expected:
        return None
    required = any(field.is_required() for field in model.model_fields.values() if field.alias == "schema")
    if found is None and not required:
        return None
    if "schema" not in value:
        return DocumentError(
            DocumentProblem.MISSING_FIELD, "", "The document does not say what it is", f'"schema": "{expected}"', "none"
        )
    known_form = isinstance(found, str) and _SCHEMA_ID.fullmatch(found) is not None
    shown = str(found) if known_form else describe(found)
    if known_form and str(found).split("@")[0] == expected.split("@")[0]:
        code, message = DocumentProblem.UNKNOWN_VERSION, "This program does not know that version of the format"
    else:
        code, message = DocumentProblem.WRONG_SCHEMA, "The document is of another kind"
    return DocumentError(code, "/schema", message, expected, shown)


def _rename_snapshot_ids(value: JsonValue) -> bool:
    """Apply the alias of version 1 in place; say whether anything was renamed."""
    if not isinstance(value, dict):
        return False
    schema = value.get("schema")
    path = _SNAPSHOT_ID_ALIAS.get(schema) if isinstance(schema, str) else None
    if path is None:
        return False
    entries = value.get(path[0]) if path else [value]
    renamed = False
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and "id" not in entry and "snapshot_id" in entry:
            entry["id"] = entry.pop("snapshot_id")
            renamed = True
    return renamed


def _from_pydantic(detail: ErrorDetails, value: JsonValue, model: type[BaseModel]) -> DocumentError:
    tokens = document_tokens(model, detail["loc"])
    kind = detail["type"]
    if kind == "missing":
        name = str(tokens.pop())
        return DocumentError(
            DocumentProblem.MISSING_FIELD, pointer(tokens), "A field is missing", f"the field {name}", "none"
        )
    context = detail.get("ctx", {})
    if kind == "extra_forbidden" or context.get("pattern") == EXTENSION_NAME_PATTERN:
        return DocumentError(
            DocumentProblem.UNKNOWN_FIELD,
            pointer(tokens),
            "A field is unknown",
            "only the fields of this version, and names that match " + EXTENSION_NAME_PATTERN,
            "another name",
        )
    if kind == "too_short" and context.get("actual_length") == 0 and tokens and isinstance(tokens[-1], str):
        least = context.get("min_length", 1)
        return DocumentError(
            DocumentProblem.BAD_VALUE, pointer(tokens), f"There are no {tokens[-1]}", f"at least {least}", "none"
        )
    code = DocumentProblem.WRONG_TYPE if kind.endswith("_type") else DocumentProblem.BAD_VALUE
    expected = detail["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    if kind in ("too_short", "too_long"):
        limits = (("at least", context.get("min_length")), ("at most", context.get("max_length")))
        expected = " and ".join(f"{which} {count}" for which, count in limits if count is not None) + " entries"
    if kind == "string_pattern_mismatch":
        expected = in_words(str(context.get("pattern")))
    if kind.startswith("union_tag"):
        expected = "one of the known tags"  # pydantic's own sentence would repeat the tag that was found
    found = _at(value, tokens)
    message = "A value has the wrong type" if code is DocumentProblem.WRONG_TYPE else "A value is not allowed"
    if not tokens and code is DocumentProblem.WRONG_TYPE:
        needed = [field.alias or name for name, field in model.model_fields.items() if field.is_required()]
        message, expected = (
            "The document has the wrong type",
            f"an object with {', '.join(needed)}" if needed else expected,
        )
    return DocumentError(code, pointer(tokens), message, expected, describe(found))


def _at(value: JsonValue, tokens: list[str | int]) -> JsonValue:
    """The value that a location speaks of."""
    for token in tokens:
        if isinstance(value, dict) and isinstance(token, str):
            value = value.get(token)
        elif isinstance(value, list) and isinstance(token, int) and token < len(value):
            value = value[token]
        else:
            return None
    return value
