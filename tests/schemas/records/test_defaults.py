"""Defaults are not validated each time a record is made; here they are, once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from schemas import export
from schemas.records.base import Record

assert export, "imports every record"


def _records(kind: type[Record] = Record) -> Iterator[type[Record]]:
    for each in kind.__subclasses__():
        yield each
        yield from _records(each)


def _defaults() -> list[tuple[str, FieldInfo]]:
    return [
        (f"{kind.__name__}.{name}", field)
        for kind in dict.fromkeys(_records())
        for name, field in kind.model_fields.items()
        if not field.is_required() and field.default_factory is None
    ]


@pytest.mark.parametrize(("name", "field"), _defaults(), ids=lambda value: value if isinstance(value, str) else "")
def test_a_default_is_a_value_that_the_field_would_take(name: str, field: FieldInfo) -> None:
    kind: Any = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    value = field.default
    assert TypeAdapter(kind).validate_python(value, strict=not isinstance(value, tuple)) == value, name
