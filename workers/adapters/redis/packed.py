"""A connection whose commands hiredis writes out, as redis-py's synchronous one does.

The asynchronous one of redis-py 8 joins them in Python, argument by argument: 30 us a page, since a commit has some
fourteen arguments for each. The bytes are the same.
"""

from __future__ import annotations

from collections.abc import Iterable

import hiredis
from redis.asyncio.connection import Connection
from redis.connection import HiredisRespSerializer
from redis.typing import EncodableT

_SERIALIZER = HiredisRespSerializer()
PIECE_BYTES = 64 * 1024
"""Of commands that are sent together; a larger one is a piece of its own."""


class PackedConnection(Connection):
    """One TCP connection to Redis or Valkey."""

    def pack_command(self, *args: EncodableT) -> list[bytes]:
        """The command on the wire (RESP2), in one piece. DataError where an argument has no form there."""
        return _packed(args)

    def pack_commands(self, commands: Iterable[Iterable[EncodableT]]) -> list[bytes]:
        """Commands one after the other, gathered into pieces."""
        pieces: list[bytes] = []
        gathered: list[bytes] = []
        size = 0
        for command in commands:
            for packed in _packed(command):
                gathered.append(packed)
                size += len(packed)
            if size >= PIECE_BYTES:
                pieces.append(b"".join(gathered))
                gathered, size = [], 0
        return [*pieces, b"".join(gathered)] if gathered else pieces


def _packed(command: Iterable[EncodableT]) -> list[bytes]:
    """redis-py's serializer looks at each argument in Python first: it is asked about those alone that hiredis does not
    take as they are."""
    verb, *arguments = command
    words = verb.split() if isinstance(verb, str | bytes) else [verb]  # "SCRIPT LOAD" is two
    try:
        return [hiredis.pack_command((*words, *arguments))]
    except TypeError:
        return list(_SERIALIZER.pack(verb, *arguments))  # type: ignore[arg-type]  # (its annotation names one list, it takes values)
