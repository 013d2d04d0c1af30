"""Documents that we wrote ourselves, out of our own store.

The strict reader is for what strangers hand in: it looks at every name and number in Python, since a JSON parser lets
duplicate names and large integers pass, and takes some four times as long as the record type's own check. Of our own
objects the question is only whether they still are what was written, and that the record type answers.
"""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from schemas.reading.document import read_document
from schemas.reading.errors import DocumentError

R = TypeVar("R", bound=BaseModel)


def read_stored(data: bytes, model: type[R]) -> R | DocumentError:
    """Read one record of ours from its JSON bytes; what is wrong is told by the strict reader."""
    try:
        return model.model_validate_json(data)
    except ValidationError:
        return read_document(data, model)
