"""datasketch's index over its own storage on Redis, with bands and rows like ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from datasketch import MinHashLSH

from deploy.bench.duplicates.redis_server import Server
from workers.dedup.parameters import BANDS, PERMUTATIONS, ROWS


@contextmanager
def their_index(server: Server) -> Iterator[MinHashLSH]:
    """It has a client for each band, and one for its keys, which it leaves to be closed by whoever made it."""
    storage = {"type": "redis", "basename": b"peer", "redis": {"host": "127.0.0.1", "port": server.port}}
    index = MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, ROWS), storage_config=storage)
    try:
        yield index
    finally:
        for part in (*index.hashtables, index.keys):
            part._redis.close()
