"""Putting many texts into the candidate index, for who reads a whole cluster log and asks for no candidates.

Who asks has Redis go through every entry of the buckets that a text falls into, and most of its time is that. Here
texts are gathered, and what each bucket gets is made in this process, so that Redis appends and does nothing else. What
is in the index afterwards is the same, byte for byte: texts have the same numbers, and those that were in stay as they
are. Which were in is told by the tables of names; that nobody else has put any in meanwhile is checked by the script.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
from redis.asyncio import Redis

from schemas.records.cluster import Fingerprint
from workers.adapters.redis.candidate_levels import appended, ends
from workers.adapters.redis.candidate_names import (
    DIGEST_BYTES,
    NAME_BYTES,
    TABLE_TEXTS,
    TABLES,
    no_room,
    packed_names,
    prefix,
    script,
    tables,
)
from workers.adapters.redis.patience import patiently
from workers.adapters.redis.replies import number, one_bytes
from workers.adapters.redis.translate import script_errors
from workers.dedup.bands import band_hashes
from workers.dedup.fingerprint import signature
from workers.dedup.minhash import Signature
from workers.dedup.sketch import sketches

TOGETHER: Final = 16_384
"""Texts a call. They fall into all of the 5,120 buckets of the first level, and each gets 64 entries; 10 MB here, and
some 20 ms of one Redis, four times that on a level more."""
NAMES_A_CALL: Final = 16_384
Ids = npt.NDArray[np.uint64]
"""Texts by 8 bytes that follow from their digests: two that agree in these are taken for one, which costs a candidate.
Nobody can look for two such texts, since what follows is another thing in each process."""
_FACTORS: Final = np.frombuffer(secrets.token_bytes(32), dtype=np.uint64) | np.uint64(1)


@dataclass(slots=True)
class _Index:
    """Of one parameter id: what waits for it, and what was seen of it."""

    params: str
    digests: list[bytes] = field(default_factory=list)
    signatures: list[Signature] = field(default_factory=list)
    count: int = 0
    """Texts that it held when it was looked at last."""
    known: Ids = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    """These texts, sorted."""

    def fresh(self, ids: Ids) -> list[int]:
        """Which of these texts it does not hold, each once, in their order."""
        _, first = np.unique(ids, return_index=True)
        first.sort()
        wanted = ids[first]
        places = np.searchsorted(self.known, wanted)
        held = np.zeros(len(wanted), dtype=bool)
        inside = places < len(self.known)
        held[inside] = self.known[places[inside]] == wanted[inside]
        return [int(place) for place in first[~held]]

    def learn(self, ids: Ids) -> None:
        """It holds these texts too, behind the others."""
        self.known = np.sort(np.concatenate((self.known, ids)), kind="stable")
        self.count += len(ids)


@dataclass(frozen=True)
class RedisFilling:
    """The port `CandidateFilling`. `node_of`: the client for a parameter id."""

    node_of: Callable[[str], Redis]
    _indexes: dict[str, _Index] = field(default_factory=dict)

    async def put(self, prints: Sequence[Fingerprint]) -> None:
        """Put texts in, those without a sketch left out. Some wait for others, until there are many or it is ended."""
        for print_ in prints:
            values = signature(print_)
            if values is not None:
                index = self._indexes.setdefault(print_.params, _Index(print_.params))
                index.digests.append(bytes.fromhex(print_.text_sha256))
                index.signatures.append(values)
        for index in self._indexes.values():
            if len(index.digests) >= TOGETHER:
                await self._write(index)

    async def end(self) -> None:
        """Put in what waits."""
        for index in self._indexes.values():
            await self._write(index)

    async def _write(self, index: _Index) -> None:
        if not index.digests:
            return
        digests, values = index.digests, np.stack(index.signatures)
        index.digests, index.signatures = [], []
        ids, hashes, own = _ids(b"".join(digests), DIGEST_BYTES), band_hashes(values), sketches(values)
        while fresh := index.fresh(ids):
            level, table, room = _place(index)
            some = fresh[:room]
            names = packed_names(b"".join(digests[place] for place in some), own[some])
            keys, pieces = appended(prefix(index.params), hashes[some], index.count, level)
            args: list[bytes | int] = [TABLES, NAME_BYTES, index.count, table + 1, names, *pieces]
            told = await patiently(partial(self._append, index, keys, args), "fill the candidate index")
            if told == index.count:
                index.learn(ids[some])
            else:
                await self._look(index, told)

    async def _append(self, index: _Index, keys: list[str], args: list[bytes | int]) -> int:
        with script_errors("fill the candidate index"):
            appending = self.node_of(index.params).register_script(script("lsh_fill"))
            return number(await appending(keys=[*tables(index.params), *keys], args=args))

    async def _look(self, index: _Index, count: int) -> None:
        """Read the names of the texts that it holds beside those that are known, up to this number."""
        if count < index.count:  # Redis has lost it
            index.count, index.known = 0, index.known[:0]
        while index.count < count:
            table, start = divmod(index.count, TABLE_TEXTS)
            end = min(start + NAMES_A_CALL, TABLE_TEXTS, start + count - index.count)
            with script_errors("read the candidate index"):
                names = await self.node_of(index.params).getrange(
                    tables(index.params)[table], start * NAME_BYTES, end * NAME_BYTES - 1
                )
            found = _ids(one_bytes(names), NAME_BYTES)
            if len(found) == 0:
                return  # lost meanwhile: the next call tells
            index.learn(found)


def _place(index: _Index) -> tuple[int, int, int]:
    """The level and the table of names that the next text belongs to, and how many texts both have room for."""
    if index.count >= TABLES * TABLE_TEXTS:
        raise no_room(index.params)
    starts = [0, *ends(TABLES * TABLE_TEXTS)]
    level, end = next((level, end) for level, (_, end) in enumerate(pairwise(starts)) if index.count < end)
    table, start = divmod(index.count, TABLE_TEXTS)
    return level, table, min(end - index.count, TABLE_TEXTS - start)


def _ids(packed: bytes, step: int) -> Ids:
    """Of digests, or of names, that lie one behind the other: their four words, weighted and added up."""
    digests = np.ascontiguousarray(np.frombuffer(packed, dtype=np.uint8).reshape(-1, step)[:, :DIGEST_BYTES])
    ids: Ids = (digests.view(np.uint64) * _FACTORS).sum(axis=1, dtype=np.uint64)
    return ids
