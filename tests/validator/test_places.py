"""Places of values in a document: what stands at a place is the value that its pointer names, for any document."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from schemas.pointer import pointer
from validator.formats.places import find_places

NAMES = st.text(max_size=5).filter(str.isprintable)
"""A name that cannot be printed ends its pointer at the object that holds it."""
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
DOCUMENTS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


def values(value: Any, path: tuple[str | int, ...] = ()) -> dict[str, Any]:
    """Every value of a document by its pointer."""
    out = {pointer(path): value}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        out |= values(inner, (*path, name))
    return out


@given(DOCUMENTS, st.sampled_from([None, 0, 2]), st.booleans())
def test_what_stands_at_a_place_is_the_value_of_its_pointer(
    document: Any, indent: int | None, ascii_only: bool
) -> None:
    """In code points, however the document is written; lines and columns lead to the same place."""
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    wanted = values(document)
    places = find_places(text, wanted)
    assert set(places) == set(wanted)
    lines = text.split("\n")
    for where, region in places.items():
        assert json.loads(text[region.offset : region.offset + region.length]) == wanted[where]
        before = sum(len(line) + 1 for line in lines[: region.line - 1]) + region.column - 1
        assert before == region.offset
