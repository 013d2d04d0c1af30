"""What the types of the capture path have in common: values that nobody assigns to, and that cost little to make.

`@dataclass(frozen=True)` sets each field through `object.__setattr__`: 1.3 us for five fields where a plain one takes
0.3, and a page makes some fifteen of them. So the type checker alone forbids the assignment here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def light(cls: type[T]) -> type[T]:
    """A dataclass with slots, compared and hashed by its fields, whose fields are read-only to the type checker."""
    return dataclass(slots=True, unsafe_hash=True)(cls)
