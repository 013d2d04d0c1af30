"""Records of values that were made here and cannot but be valid, put together without being looked at again.

To validate the five records of a page takes as long as to hash it, and a worker makes them for every page. Who calls
this answers for the values: all fields, in the order of the class, each as validation would leave it. What comes from
anywhere else is validated, always.
"""

from __future__ import annotations

from typing import TypeVar

from schemas.records.base import Record

R = TypeVar("R", bound=Record)
_set = object.__setattr__


def trusted(kind: type[R], values: dict[str, object]) -> R:
    """A record of these values; it keeps the dictionary."""
    made = kind.__new__(kind)
    _set(made, "__dict__", values)
    _set(made, "__pydantic_fields_set__", set(values))
    _set(made, "__pydantic_extra__", {})
    _set(made, "__pydantic_private__", None)
    return made
