"""Redis' replies as typed values. A reply of another shape is a defect of ours and raises TypeError."""

from __future__ import annotations

from workers.adapters.redis.guard import Reply


def items(reply: Reply) -> list[Reply]:
    """A list of anything."""
    if not isinstance(reply, list):
        raise TypeError(f"expected a list, got {type(reply).__name__}")
    return reply


def byte_list(reply: Reply) -> list[bytes]:
    """A list of strings."""
    if not isinstance(reply, list):
        raise TypeError(f"expected a list of strings, got {type(reply).__name__}")
    return [one_bytes(item) for item in reply]


def maybe_byte_list(reply: Reply) -> list[bytes | None]:
    """A list of strings, some of which are absent."""
    if not isinstance(reply, list):
        raise TypeError(f"expected a list of strings, got {type(reply).__name__}")
    return [None if item is None else one_bytes(item) for item in reply]


def text_list(reply: Reply) -> list[str]:
    """A list of UTF-8 strings."""
    return [item.decode() for item in byte_list(reply)]


def text_map(reply: Reply) -> dict[str, str]:
    """A hash with UTF-8 names and values."""
    if not isinstance(reply, dict):
        raise TypeError(f"expected a hash, got {type(reply).__name__}")
    return {one_bytes(name).decode(): one_bytes(value).decode() for name, value in reply.items()}


def first_score(reply: Reply) -> int | None:
    """The score, in whole numbers, of the first member of a sorted set; None where there is none."""
    if not isinstance(reply, list):
        raise TypeError(f"expected members with scores, got {type(reply).__name__}")
    return round(reply[0][1]) if reply else None


def number(reply: Reply) -> int:
    """A number, also where it comes as a string."""
    if isinstance(reply, bytes):
        return int(reply)
    if not isinstance(reply, int):
        raise TypeError(f"expected a number, got {type(reply).__name__}")
    return reply


def one_bytes(reply: Reply) -> bytes:
    """A string."""
    if not isinstance(reply, bytes):
        raise TypeError(f"expected a string, got {type(reply).__name__}")
    return reply
