"""JSON Pointers (RFC 6901): how every error and finding says where it looked."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue

MAX_TOKEN_CHARACTERS = 128  # longer names come from a stranger's document; a pointer is not the place to repeat them


def pointer(tokens: Iterable[str | int]) -> str:
    """Join reference tokens: `("claims", 0, "a/b")` gives `/claims/0/a~1b`; none gives the whole document, ``.

    A name that is long or not printable ends the pointer at the object that holds it, so that a
    message never repeats what a hostile document wrote there.
    """
    out: list[str] = []
    for token in tokens:
        name = str(token)
        if len(name) > MAX_TOKEN_CHARACTERS or not name.isprintable():
            break
        out.append("/" + name.replace("~", "~0").replace("/", "~1"))
    return "".join(out)


def value_at(document: JsonValue, place: str) -> JsonValue:
    """The value that a pointer names; None where there is none."""
    value = document
    for token in place.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value
