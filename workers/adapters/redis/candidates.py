"""`CandidateIndex` on Redis: one script call for a whole batch, which puts texts in and answers with candidates.

A text has a number, its place in the tables of names (digest and sketch, 64 bytes). Of the 64-bit hash of each of its
bands, 8 bits or more choose one of the buckets (`candidate_levels.py`), and the next 16 are the tag by which it is
found there; a bucket is a string of 5-byte entries, tag and number. Buckets only ever get appended to, so that the
append-only file and replicas take 5 bytes an entry. A tag that two bands share by chance makes a candidate too many,
and so do texts that agree in one band of 20 and in little else: who agrees in too few places of the sketches is dropped
(`workers/dedup/sketch.py`). About 230 bytes a text at 100,000 texts; 16,777,216 texts fit.

All keys of one parameter id carry one tag, `{l0}` to `{l3}`, and the script declares every key, so that the index may
lie on other nodes than the frontier. It is not behind the epoch check, whose key lies elsewhere: it is a cache of the
prints in the store, what it lacks costs recall only, and it is filled again together with the cluster state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt
from redis.asyncio import Redis

from schemas.records.cluster import Fingerprint
from workers.adapters.redis.candidate_filling import RedisFilling
from workers.adapters.redis.candidate_levels import ends, fallen
from workers.adapters.redis.candidate_names import (
    DIGEST_BYTES,
    NAME_BYTES,
    TABLE_TEXTS,
    TABLES,
    no_room,
    packed_names,
    prefix,
    script,
    shard_of,
    tables,
)
from workers.adapters.redis.replies import items, number, one_bytes
from workers.adapters.redis.translate import script_errors
from workers.dedup.bands import band_hashes
from workers.dedup.fingerprint import signature
from workers.dedup.minhash import Signature
from workers.dedup.parameters import BANDS
from workers.dedup.sketch import may_be_alike, sketches

BATCH: Final = 1000
"""Texts a round trip: some 40 ms of one Redis, which serves nobody else meanwhile. Most of a call is keys, and twice
the texts fall into few keys more."""
NO_ROOM, MORE_LEVELS = -1, -2
"""What the script answers where the index is full, and where it has more levels than it was asked for."""


@dataclass(frozen=True)
class RedisCandidates:
    """The port `CandidateIndex`. `nodes`: clients by shard, where the shards do not all lie at `client`."""

    client: Redis
    nodes: Mapping[int, Redis] = field(default_factory=dict)
    _levels: dict[str, int] = field(default_factory=dict, compare=False)
    """By parameter id, how many levels the index had when it was asked last."""

    async def insert(self, prints: Sequence[Fingerprint]) -> Mapping[str, frozenset[str]]:
        """Put texts in, and tell for each which earlier ones may be alike (of one batch, each pair is told by one of
        its two at least)."""
        sketched: dict[str, dict[str, Signature]] = defaultdict(dict)
        for print_ in prints:
            values = signature(print_)
            if values is not None:
                sketched[print_.params][print_.text_sha256] = values
        found: dict[str, frozenset[str]] = {print_.text_sha256: frozenset() for print_ in prints}
        for params, signatures in sketched.items():
            texts, values_of = list(signatures), np.stack(list(signatures.values()))
            for start in range(0, len(texts), BATCH):
                found |= await self.insert_signatures(
                    params, texts[start : start + BATCH], values_of[start : start + BATCH]
                )
        return found

    async def insert_signatures(
        self, params: str, texts: Sequence[str], signatures: npt.NDArray[np.uint32]
    ) -> dict[str, frozenset[str]]:
        """The same for one batch of distinct texts under one parameter id; `signatures` has a row of 128 for each."""
        own = sketches(signatures)
        while True:
            levels = self._levels.get(params, 1)
            keys, arguments = _packed(params, texts, signatures, own, levels)
            with script_errors("insert candidates"):
                inserting = self._node(shard_of(params)).register_script(script("lsh_insert"))
                told = await inserting(keys=keys, args=arguments)
            if told != MORE_LEVELS:
                break
            self._levels[params] = levels + 1
        if told == NO_ROOM:
            raise no_room(params)
        *packed, _count = items(told)
        return _candidates(texts, own, [one_bytes(reply) for reply in packed])

    def filling(self) -> RedisFilling:
        """For who puts many texts in and asks for no candidates."""
        return RedisFilling(lambda params: self._node(shard_of(params)))

    async def size(self, params: str) -> int:
        """How many texts are in."""
        with script_errors("count candidates"):
            async with self._node(shard_of(params)).pipeline(transaction=False) as pipe:
                for key in tables(params):
                    pipe.strlen(key)
                return sum(map(number, await pipe.execute())) // NAME_BYTES

    def _node(self, shard: int) -> Redis:
        return self.nodes.get(shard, self.client)


def _packed(
    params: str,
    texts: Sequence[str],
    signatures: npt.NDArray[np.uint32],
    own: npt.NDArray[np.uint8],
    levels: int,
) -> tuple[list[str], list[bytes | int]]:
    """Keys and arguments of the script. `own`: the sketches of these texts."""
    buckets = fallen(prefix(params), band_hashes(signatures), levels)
    names = packed_names(bytes.fromhex("".join(texts)), own)
    fixed: list[bytes | int] = [TABLES, TABLE_TEXTS, NAME_BYTES, names, buckets.entries, BANDS, levels]
    placed = zip(buckets.bases, ends(TABLES * TABLE_TEXTS), strict=False)  # as many as there are levels asked
    return [*tables(params), *buckets.keys], [*fixed, *chain.from_iterable(placed)]


def _candidates(texts: Sequence[str], own: npt.NDArray[np.uint8], packed: Sequence[bytes]) -> dict[str, frozenset[str]]:
    """Of the names that share a band, those whose sketches are near enough."""
    counts = np.fromiter((len(names) for names in packed), dtype=np.int64, count=len(packed)) // NAME_BYTES
    found = np.frombuffer(b"".join(packed), dtype=np.uint8).reshape(-1, NAME_BYTES)
    asking = np.repeat(np.arange(len(texts)), counts)
    kept = np.flatnonzero(may_be_alike(own[asking], found[:, DIGEST_BYTES:]))
    near: dict[str, set[str]] = {text: set() for text in texts}
    digests = np.ascontiguousarray(found[kept, :DIGEST_BYTES]).tobytes().hex()
    for place, asker in enumerate(asking[kept].tolist()):
        near[texts[asker]].add(digests[64 * place : 64 * place + 64])
    return {text: frozenset(others) for text, others in near.items()}
