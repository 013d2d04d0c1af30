"""The candidate index on Redis against datasketch's own Redis storage, with the same bands and rows.

Time is CPU time of client and Redis together, since a busy neighbour costs wall time only. Before anything is timed,
our index must tell every pair of a small collection that shares a band and is near enough, and no other.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from statistics import median

import numpy as np
import numpy.typing as npt
from datasketch import MinHash

from deploy.bench.duplicates.redis_server import Server, running_server
from deploy.bench.duplicates.their_index import their_index
from deploy.bench.result import Result
from schemas.records.cluster import Fingerprint
from workers.adapters.redis.candidates import BATCH, RedisCandidates
from workers.adapters.redis.client import connect
from workers.dedup.bands import band_hashes
from workers.dedup.parameters import PERMUTATIONS, SEED, WORD_PARAMS
from workers.dedup.sketch import may_be_alike, sketches

Signatures = npt.NDArray[np.uint32]
DOCUMENTS = 100_000
PEER_DOCUMENTS = 1_500
ROUNDS = 3
SNAPSHOT = "snap-0123456789ab-20261130T120000Z-89abcdef"


def measure(folder: Path, documents: int = DOCUMENTS, peer_documents: int = PEER_DOCUMENTS) -> list[Result]:
    """AssertionError where a candidate is missing or too many."""
    generator = np.random.default_rng(1)
    values = generator.integers(0, 1 << 32, (documents + peer_documents * (1 + ROUNDS), PERMUTATIONS), dtype=np.uint32)
    texts = [generator.bytes(32).hex() for _ in values]
    with running_server(folder) as server:
        _check(server, generator)
        server.empty()
        before = server.memory_bytes()
        query_and_insert = _ours(server, texts[:documents], values[:documents]) / documents
        bytes_each = (server.memory_bytes() - before) / documents
        server.empty()
        insert = _filled(server, _prints(texts[:documents], values[:documents])) / documents
        server.empty()
        theirs = [_datasketch(server, values[:peer_documents]) for _ in range(ROUNDS)]
    session, both, peer_bytes = (median(column) for column in zip(*theirs, strict=True))
    return [
        _speed("LSH on Redis: insert, against datasketch's session", insert, session, 10, 15),
        _speed("LSH on Redis: query and insert in batches, against one by one", query_and_insert, both, 40, 100),
        Result(
            f"LSH on Redis: bytes a document at {documents:,}",
            bytes_each,
            "B",
            "datasketch",
            peer_bytes,
            peer_bytes / bytes_each,
            True,
            15,
            30,
        ),
    ]


def _ours(server: Server, texts: Sequence[str], values: Signatures) -> float:
    """CPU seconds to put all in, batch by batch, and to be told their candidates."""

    async def run() -> None:
        client = connect(f"redis://127.0.0.1:{server.port}/0")
        try:
            index = RedisCandidates(client)
            for start in range(0, len(texts), BATCH):
                await index.insert_signatures(WORD_PARAMS, texts[start : start + BATCH], values[start : start + BATCH])
        finally:
            await client.aclose()

    return _cpu(server, lambda: asyncio.run(run()))


def _prints(texts: Sequence[str], values: Signatures) -> list[Fingerprint]:
    """As they are stored."""
    return [_print(text, row.astype("<u4").tobytes()) for text, row in zip(texts, values, strict=True)]


def _print(text: str, packed: bytes) -> Fingerprint:
    return Fingerprint(
        schema="citevault/fingerprint@1",
        text_sha256=text,
        snapshot_id=SNAPSHOT,
        params=WORD_PARAMS,
        shingles=1000,
        minhash=base64.b64encode(packed).decode(),
        minhash_sha256=hashlib.sha256(packed).hexdigest(),
    )


def _filled(server: Server, prints: Sequence[Fingerprint]) -> float:
    """CPU seconds to put all in without asking, which is all that an insertion session does."""

    async def run() -> None:
        client = connect(f"redis://127.0.0.1:{server.port}/0")
        try:
            index = RedisCandidates(client)
            filling = index.filling()
            for start in range(0, len(prints), BATCH):
                await filling.put(prints[start : start + BATCH])
            await filling.end()
            if await index.size(WORD_PARAMS) != len(prints):
                raise AssertionError("not all texts are in the index; its speed means nothing")
        finally:
            await client.aclose()

    return _cpu(server, lambda: asyncio.run(run()))


def _datasketch(server: Server, values: Signatures) -> tuple[float, float, float]:
    """CPU seconds a document in an insertion session, and queried and inserted one by one; bytes a document."""
    server.empty()
    before = server.memory_bytes()
    permutations = MinHash(num_perm=PERMUTATIONS, seed=SEED).permutations
    made = [MinHash(hashvalues=row, permutations=permutations, scheme="affine32") for row in values]
    with their_index(server) as index:

        def session() -> None:
            with index.insertion_session() as inserting:
                for number, sketch in enumerate(made):
                    inserting.insert(f"{number:064x}", sketch)

        def one_by_one() -> None:
            for number, sketch in enumerate(made[: len(made) // 3]):
                index.query(sketch)
                index.insert(f"{number:063x}x", sketch)

        inserted = _cpu(server, session) / len(made)
        bytes_each = (server.memory_bytes() - before) / len(made)
        return inserted, _cpu(server, one_by_one) / (len(made) // 3), bytes_each


def _cpu(server: Server, work: Callable[[], object]) -> float:
    mine, theirs = time.process_time(), server.cpu_seconds()
    work()
    return time.process_time() - mine + server.cpu_seconds() - theirs


def _check(server: Server, generator: np.random.Generator) -> None:
    base = generator.integers(0, 1 << 32, (20, PERMUTATIONS), dtype=np.uint32)
    values = np.repeat(base, 8, axis=0)
    changed = generator.random(values.shape) < generator.random((len(values), 1)) * 0.5
    values[changed] = generator.integers(0, 1 << 32, int(changed.sum()), dtype=np.uint32)
    texts = [generator.bytes(32).hex() for _ in values]

    async def told() -> set[frozenset[str]]:
        client = connect(f"redis://127.0.0.1:{server.port}/0")
        try:
            found = await RedisCandidates(client).insert_signatures(WORD_PARAMS, texts, values)
        finally:
            await client.aclose()
        return {frozenset((text, other)) for text, others in found.items() for other in others}

    rows, short = band_hashes(values), sketches(values)
    expected = {
        frozenset((texts[one], texts[other]))
        for one, other in combinations(range(len(texts)), 2)
        if (rows[one] == rows[other]).any() and may_be_alike(short[one : one + 1], short[other : other + 1])[0]
    }
    if not expected or asyncio.run(told()) != expected:
        raise AssertionError("our index does not tell the pairs that it must; its speed means nothing")


def _speed(name: str, ours: float, peer: float, floor: float, goal: float) -> Result:
    return Result(name, 1 / ours, "documents/CPU-s", "datasketch", 1 / peer, peer / ours, False, floor, goal)
