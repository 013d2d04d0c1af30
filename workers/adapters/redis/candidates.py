"""`CandidateIndex` on Redis: one script call a shard for a whole batch, all in one round trip.

Layout, for each parameter id: band b of a text falls into a bucket by its 64-bit hash; of that, 12 bits choose one
of 4,096 small hashes and 24 bits a field in it, so that hashes stay below 128 fields (the packed form of Redis)
up to some 500,000 texts. A bucket's value is its members, 5 bytes each: the first bytes of the text's SHA-256.
A second family of small hashes leads from these 5 bytes to the whole digest. Colliding prefixes, fields or bands
make a candidate too many, never one too few. About 340 bytes a text at 100,000 texts.

Bands and names lie on four shards with the tags `{l0}` to `{l3}`; each script touches one shard and declares every
key, so that shards may lie on several nodes. This index is not behind the epoch check: it is a cache of the prints
in the store, what it lacks costs recall only, and it is filled again together with the cluster state.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from redis.asyncio import Redis

from schemas.records.cluster import Fingerprint
from workers.adapters.redis.replies import maybe_byte_list, number, one_bytes
from workers.adapters.redis.translate import script_errors
from workers.dedup.bands import band_hashes
from workers.dedup.fingerprint import Signature, signature
from workers.dedup.parameters import BANDS

SHARDS: Final = 4
BATCH: Final = 500  # texts a round trip: 10,000 band entries, some 10 ms of one Redis
MEMBER_BYTES: Final = 5
REST_BYTES: Final = 27  # of a SHA-256 after its first five bytes
_SPREAD_BITS: Final = 12
_FIELD_BYTES: Final = 3
_SPREAD_MASK: Final = (1 << _SPREAD_BITS) - 1
_FIELD_MASK: Final = (1 << 8 * _FIELD_BYTES) - 1


@dataclass(slots=True)
class _Puts:
    """What one shard is to take in: the hash, field and member of each entry, and the text it is of."""

    keys: list[str] = field(default_factory=list)
    packed: list[bytes] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def add(self, key: str, within: bytes, member: bytes, text: str) -> None:
        self.keys.append(key)
        self.packed.append(within + member)
        self.texts.append(text)


@cache
def _put_source() -> str:
    return files("workers.adapters.redis").joinpath("lua", "lsh_put.lua").read_text("utf-8")


@dataclass(frozen=True)
class RedisCandidates:
    """The port `CandidateIndex`. `nodes`: clients by shard, where the shards do not all lie at `client`."""

    client: Redis
    nodes: Mapping[int, Redis] = field(default_factory=dict)

    async def insert(self, prints: Sequence[Fingerprint]) -> Mapping[str, frozenset[str]]:
        """Put texts in, and tell for each which earlier ones agree with it in a band (of one batch, each pair is
        told by one of its two at least)."""
        sketched: dict[str, dict[str, Signature]] = defaultdict(dict)
        for print_ in prints:
            values = signature(print_)
            if values is not None:
                sketched[print_.params][print_.text_sha256] = values
        found: dict[str, frozenset[str]] = {print_.text_sha256: frozenset() for print_ in prints}
        for params, signatures in sketched.items():
            texts = list(signatures)
            for start in range(0, len(texts), BATCH):
                found |= await self._insert(params, {text: signatures[text] for text in texts[start : start + BATCH]})
        return found

    async def _insert(self, params: str, signatures: Mapping[str, Signature]) -> dict[str, frozenset[str]]:
        bands, names = _puts(params, signatures)
        replies = await asyncio.gather(
            *(self._put(shard, puts, _FIELD_BYTES, MEMBER_BYTES) for shard, puts in enumerate(bands)),
            *(self._put(shard, puts, MEMBER_BYTES - 1, REST_BYTES) for shard, puts in enumerate(names)),
        )
        members: dict[str, set[bytes]] = {text: set() for text in signatures}
        for puts, buckets in zip(bands, replies, strict=False):
            for entry, bucket in buckets:
                found = (bucket[at : at + MEMBER_BYTES] for at in range(0, len(bucket), MEMBER_BYTES))
                members[puts.texts[entry]].update(found)
        whole = await self._names(params, frozenset().union(*members.values()))
        return {
            text: frozenset(other for member in found for other in whole.get(member, ())) - {text}
            for text, found in members.items()
        }

    async def _put(self, shard: int, puts: _Puts, field_bytes: int, member_bytes: int) -> list[tuple[int, bytes]]:
        """Numbers of the entries whose bucket was there, with the bucket as it was."""
        if not puts.keys:
            return []
        with script_errors("insert candidates"):
            script = self._node(shard).register_script(_put_source())
            told = await script(keys=puts.keys, args=[field_bytes, member_bytes, b"".join(puts.packed)])
        return [(number(told[at]), one_bytes(told[at + 1])) for at in range(0, len(told), 2)]

    async def _names(self, params: str, members: Iterable[bytes]) -> dict[bytes, list[str]]:
        """Whole digests by their first bytes."""
        wanted: list[list[bytes]] = [[] for _ in range(SHARDS)]
        for member in members:
            wanted[member[0] % SHARDS].append(member)
        names: dict[bytes, list[str]] = {}
        for shard, group in enumerate(wanted):
            if not group:
                continue
            with script_errors("name candidates"):
                async with self._node(shard).pipeline(transaction=False) as pipe:
                    for member in group:
                        pipe.hget(_name_key(params, member), _name_field(member))
                    rests = maybe_byte_list(await pipe.execute())
            for member, packed in zip(group, rests, strict=True):
                names[member] = [
                    (member + (packed or b"")[at : at + REST_BYTES]).hex()
                    for at in range(0, len(packed or b""), REST_BYTES)
                ]
        return names

    def _node(self, shard: int) -> Redis:
        return self.nodes.get(shard, self.client)


def _puts(params: str, signatures: Mapping[str, Signature]) -> tuple[list[_Puts], list[_Puts]]:
    """Band entries and name entries, by shard."""
    bands, names = [_Puts() for _ in range(SHARDS)], [_Puts() for _ in range(SHARDS)]
    prefixes = [f"{{l{band % SHARDS}}}:{_short(params)}:{band}:" for band in range(BANDS)]
    for text, row in zip(signatures, band_hashes(list(signatures.values())).tolist(), strict=True):
        digest = bytes.fromhex(text)
        member = digest[:MEMBER_BYTES]
        for band, value in enumerate(row):
            within = (value >> _SPREAD_BITS & _FIELD_MASK).to_bytes(_FIELD_BYTES, "big")
            bands[band % SHARDS].add(f"{prefixes[band]}{value & _SPREAD_MASK:x}", within, member, text)
        names[digest[0] % SHARDS].add(_name_key(params, digest), _name_field(digest), digest[MEMBER_BYTES:], text)
    return bands, names


@cache
def _short(params: str) -> str:
    """Keys are many, so a parameter id stands in them by the start of its digest."""
    return hashlib.sha256(params.encode("ascii")).hexdigest()[:4]


def _name_key(params: str, digest: bytes) -> str:
    spread = int.from_bytes(digest[:2], "big") >> (16 - _SPREAD_BITS)
    return f"{{l{digest[0] % SHARDS}}}:{_short(params)}:n:{spread:x}"


def _name_field(digest: bytes) -> bytes:
    return digest[1:MEMBER_BYTES]
