"""pydantic's error locations as JSON Pointers.

A location names fields and indexes, but also the tag of each union it went through, which stands
in no document. Only the type tells the two apart (a tag may equal a field's name), so the location
is followed through the record's compiled schema.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pydantic import BaseModel

_Schema: TypeAlias = Mapping[str, object]

_UNKNOWN: _Schema = {"type": "any"}
_WRAPPERS = ("schema", "json_schema")  # where nullable, default, function-*, model, json-or-python keep the inner type


def document_tokens(model: type[BaseModel], location: Sequence[str | int]) -> list[str | int]:
    """The reference tokens of a location: itself without union tags and key markers."""
    definitions: dict[str, _Schema] = {}
    schema: _Schema = model.__pydantic_core_schema__
    tokens: list[str | int] = []
    for step in location:
        schema = _unwrap(schema, definitions)
        kind = schema["type"]
        if kind in ("tagged-union", "union"):
            choices = schema.get("choices")
            schema = _schema(choices.get(step)) if isinstance(choices, Mapping) else _UNKNOWN
            continue
        if step == "[key]":
            continue
        tokens.append(step)
        schema = _inside(schema, step)
    return tokens


def _unwrap(schema: _Schema, definitions: dict[str, _Schema]) -> _Schema:
    """Down to the type that a location step speaks of."""
    while True:
        listed = schema.get("definitions")
        if isinstance(listed, Sequence):
            definitions.update({str(item["ref"]): item for item in listed})
        if schema["type"] == "definition-ref":
            schema = definitions.get(str(schema["schema_ref"]), _UNKNOWN)
            continue
        inner = next((schema[name] for name in _WRAPPERS if isinstance(schema.get(name), Mapping)), None)
        if inner is None:
            return schema
        schema = _schema(inner)


def _inside(schema: _Schema, step: str | int) -> _Schema:
    """The type of a field, an item or a value."""
    fields = schema.get("fields")
    if isinstance(fields, Mapping):
        for name, field in fields.items():
            if step in (name, field.get("validation_alias")):
                return _schema(field["schema"])
        return _UNKNOWN
    items = schema.get("items_schema", schema.get("values_schema"))
    if isinstance(items, list) and items and isinstance(step, int):
        variadic = schema.get("variadic_item_index")
        items = items[min(step, len(items) - 1) if variadic is None else min(step, int(str(variadic)))]
    return _schema(items)


def _schema(value: object) -> _Schema:
    return value if isinstance(value, Mapping) and "type" in value else _UNKNOWN
