"""The canonical form of what a stranger wrote, where it has one.

A record may carry `x_*` fields with values that RFC 8785 in our narrower use refuses (a fraction, deep
nesting). Such a record is not in canonical form; that is a finding, not a failure of this program.
"""

from __future__ import annotations

from pydantic import BaseModel, JsonValue

from schemas.canonical import CanonicalError, canonical_bytes


def canonical_form(value: JsonValue | BaseModel) -> bytes | None:
    """RFC 8785 bytes, or None where there are none."""
    try:
        return canonical_bytes(value)
    except CanonicalError:
        return None
