from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from redis import Redis as SyncRedis
from redis.crc import key_slot
from redis.exceptions import ConnectionError as RedisConnectionError

from scheduler.stack import leash as leash_module
from scheduler.stack.stores import valkey_binary
from schemas.records.cluster import Fingerprint
from workers.adapters.redis import candidate_filling, candidate_levels
from workers.adapters.redis.candidate_levels import BUCKETS, ends
from workers.adapters.redis.candidate_names import SHARDS, shard_of
from workers.adapters.redis.candidates import BATCH, RedisCandidates
from workers.adapters.redis.client import AsyncRedis, connect
from workers.dedup.bands import band_hashes
from workers.dedup.fingerprint import signature
from workers.dedup.minhash import Signature
from workers.dedup.parameters import CHARACTER_PARAMS, MINIMUM_AGREEING, PERMUTATIONS, WORD_PARAMS
from workers.dedup.sketch import may_be_alike
from workers.dedup.sketch import sketches as sketches_of
from workers.errors import RetryableError

SNAPSHOT = "snap-0123456789ab-20260822T031500Z-01234567"
Insert = Callable[..., list[Mapping[str, frozenset[str]]]]


def digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def print_of(text: str, values: Signature | None, params: str = WORD_PARAMS) -> Fingerprint:
    packed = None if values is None else values.astype("<u4").tobytes()
    return Fingerprint(
        schema="citevault/fingerprint@1",
        text_sha256=text,
        snapshot_id=SNAPSHOT,
        params=params,
        shingles=0 if values is None else 100,
        minhash=None if packed is None else base64.b64encode(packed).decode(),
        minhash_sha256=None if packed is None else hashlib.sha256(packed).hexdigest(),
    )


def sketches(count: int, seed: int = 1, *, families: int = 40, noise: float = 0.15) -> list[Fingerprint]:
    """Sketches of which many have relatives: a family shares its values but for a random share of them."""
    generator = np.random.default_rng(seed)
    bases = generator.integers(0, 1 << 32, (families, PERMUTATIONS), dtype=np.uint32)
    prints = []
    for number in range(count):
        values = bases[number % families].copy()
        changed = generator.random(PERMUTATIONS) < noise * generator.random() * 4
        values[changed] = generator.integers(0, 1 << 32, int(changed.sum()), dtype=np.uint32)
        prints.append(print_of(digest(f"{seed} {number}"), values))
    return prints


def expected_pairs(prints: Sequence[Fingerprint]) -> set[frozenset[str]]:
    values = [found for print_ in prints if (found := signature(print_)) is not None]
    rows, short = band_hashes(values), sketches_of(values)
    return {
        frozenset((prints[one].text_sha256, prints[other].text_sha256))
        for one, other in combinations(range(len(prints)), 2)
        if (rows[one] == rows[other]).any() and may_be_alike(short[one : one + 1], short[other : other + 1])[0]
    }


def pairs(answers: Sequence[Mapping[str, frozenset[str]]]) -> set[frozenset[str]]:
    return {frozenset((text, other)) for answer in answers for text, found in answer.items() for other in found}


@pytest.fixture
def insert(redis_url: str) -> Insert:
    """Insert batches one after the other into an empty index."""

    def run(*batches: Sequence[Fingerprint]) -> list[Mapping[str, frozenset[str]]]:
        async def within() -> list[Mapping[str, frozenset[str]]]:
            client = connect(redis_url)
            try:
                return [await RedisCandidates(client).insert(batch) for batch in batches]
            finally:
                await client.aclose()

        return asyncio.run(within())

    return run


def test_every_pair_that_agrees_in_a_band_and_in_its_sketch_is_told_and_no_other(insert: Insert) -> None:
    prints = sketches(BATCH + 300)
    wanted = expected_pairs(prints)
    assert len(wanted) > 500
    assert pairs(insert(prints)) == wanted


def test_the_pairs_do_not_depend_on_batches_or_order(insert: Insert) -> None:
    prints = sketches(200)
    wanted = expected_pairs(prints)
    random.Random(3).shuffle(prints)
    assert pairs(insert(prints[:1], prints[1:77], prints[77:])) == wanted


def test_the_pairs_do_not_depend_on_the_number_of_levels(insert: Insert, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch comes from a client of its own, which does not know how many levels there are."""
    monkeypatch.setattr(candidate_levels, "LEVEL_TEXTS", 20)
    prints = sketches(600)
    told = insert(*(prints[start : start + 50] for start in range(0, 600, 50)))
    assert pairs(told) == expected_pairs(prints)
    (again,) = insert(prints[:50])
    assert pairs([again]) == {pair for pair in expected_pairs(prints) if pair & again.keys()}


def test_each_level_has_as_many_texts_a_bucket() -> None:
    full = ends(1 << 24)
    counts = [end - start for start, end in pairwise([0, *full])]
    each = [count / (BUCKETS << 2 * level) for level, count in enumerate(counts)]
    assert each[:-1] == [2048, 2048, 2048]
    assert each[-1] < 2048
    assert full[-1] == 1 << 24


def test_inserting_again_is_harmless_and_answers_again(insert: Insert) -> None:
    prints = sketches(60)
    first, second, third = insert(prints, prints, prints[:1])
    assert pairs([second]) == pairs([first]) == expected_pairs(prints)
    assert all(text not in found for text, found in second.items())
    assert third[prints[0].text_sha256] == second[prints[0].text_sha256]


def test_a_text_without_a_sketch_has_no_candidates(insert: Insert) -> None:
    one, other = (print_of(digest(name), None) for name in "ab")
    assert insert([one, other], [one]) == [
        {one.text_sha256: frozenset(), other.text_sha256: frozenset()},
        {one.text_sha256: frozenset()},
    ]


def test_sketches_of_other_parameters_are_never_compared(insert: Insert) -> None:
    values = signature(sketches(1)[0])
    words, characters = print_of(digest("a"), values, WORD_PARAMS), print_of(digest("b"), values, CHARACTER_PARAMS)
    assert pairs(insert([words, characters], [words])) == set()


def test_a_pair_that_agrees_in_a_band_alone_is_not_told(insert: Insert) -> None:
    values = signature(sketches(1)[0])
    assert values is not None
    told, dropped = values.copy(), values.copy()
    told[MINIMUM_AGREEING:] ^= 1
    dropped[MINIMUM_AGREEING - 1 :] ^= 1
    prints = [print_of(digest(name), each) for name, each in (("a", values), ("b", told), ("c", dropped))]
    assert insert(prints[:1], prints[1:2], prints[2:])[1:] == [
        {digest("b"): frozenset({digest("a")})},
        {digest("c"): frozenset({digest("b")})},  # of each other they differ in one place only
    ]


def test_texts_of_one_batch_are_counted_once(insert: Insert, redis_url: str) -> None:
    prints = sketches(30)
    insert(prints, prints[:10], sketches(5, seed=2))

    async def size() -> int:
        client = connect(redis_url)
        try:
            return await RedisCandidates(client).size(WORD_PARAMS)
        finally:
            await client.aclose()

    assert asyncio.run(size()) == 35


def test_texts_whose_digests_begin_alike_are_told_apart(insert: Insert) -> None:
    values = signature(sketches(1)[0])
    texts = {"ab" * 5 + f"{number:02x}" * 27 for number in range(4)} | {
        "ab" + f"{nibble:x}" * 8 + "0" * 54 for nibble in range(16)
    }
    prints = [print_of(text, values) for text in sorted(texts)]
    _, again = insert(prints, prints)
    assert all(found == texts - {text} for text, found in again.items())


def test_filling_leaves_the_index_as_inserting_does_also_where_somebody_inserts_beside_it(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte for byte, on levels and tables of 20 texts each."""
    monkeypatch.setattr(candidate_levels, "LEVEL_TEXTS", 20)
    monkeypatch.setattr(candidate_filling, "TOGETHER", 70)
    monkeypatch.setattr(candidate_filling, "NAMES_A_CALL", 9)
    prints = [*sketches(120), *(each.model_copy(update={"params": CHARACTER_PARAMS}) for each in sketches(20, seed=2))]

    async def within() -> None:
        client = connect(redis_url)
        index = RedisCandidates(client)
        try:
            for start in range(0, len(prints), 20):  # ends where a level ends
                await index.insert(prints[start : start + 20])
            inserted = await contents(client)
            await client.flushdb()
            filling = index.filling()
            await index.insert(prints[:20])  # known before
            await filling.put([*prints[:25], *prints[10:90], print_of(digest("bare"), None)])
            await index.insert(prints[90:100])  # meanwhile
            await filling.put(prints[80:])
            await filling.end()
            assert await contents(client) == inserted
            await client.flushdb()  # Redis lost it
            await filling.put(sketches(30, seed=3))
            await filling.end()
            assert await index.size(WORD_PARAMS) == 30
        finally:
            await client.aclose()

    asyncio.run(within())


async def contents(client: AsyncRedis) -> dict[bytes, bytes | None]:
    return {key: await client.get(key) async for key in client.scan_iter(count=1000)}


@pytest.mark.real
def test_a_redis_that_is_gone_is_told_in_our_words() -> None:
    async def within() -> None:
        client = connect("redis://127.0.0.1:1/0")
        try:
            await RedisCandidates(client).insert(sketches(1))
        finally:
            await client.aclose()

    with pytest.raises(RetryableError, match="no connection to Redis"):
        asyncio.run(within())


@pytest.fixture
def two_nodes(parts_folder: Path) -> Iterator[list[int]]:
    """Ports of two Valkey nodes in cluster mode, each with half of the slots."""
    binary = valkey_binary()
    if binary is None:
        pytest.skip("no embedded Valkey for this platform")
    with ExitStack() as running:
        ports = [running.enter_context(cluster_node(binary, parts_folder, number)) for number in range(2)]
        for number, port in enumerate(ports):
            with SyncRedis(port=port) as node:
                wait_for(node)
                node.execute_command("CLUSTER", "ADDSLOTSRANGE", 8192 * number, 8192 * number + 8191)
        yield ports


@contextmanager
def cluster_node(binary: Path, folder: Path, number: int) -> Iterator[int]:
    with socket.socket() as probe, socket.socket() as bus_probe:
        probe.bind(("127.0.0.1", 0))
        bus_probe.bind(("127.0.0.1", 0))
        port, bus_port = probe.getsockname()[1], bus_probe.getsockname()[1]
    data = folder / f"node-{number}-{port}"
    data.mkdir()
    leash = [sys.executable, "-I", "-S", leash_module.__file__, "--parent", str(os.getpid()), "--"]
    flags = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(data), "--save", "", "--cluster-enabled", "yes"]
    flags += ["--cluster-port", str(bus_port), "--cluster-require-full-coverage", "no"]
    process = subprocess.Popen([*leash, str(binary), *flags], stdout=subprocess.DEVNULL)
    try:
        yield port
    finally:
        process.terminate()
        process.wait(10)


def wait_for(node: SyncRedis) -> None:
    deadline = time.monotonic() + 10
    while True:
        try:
            node.ping()
            return
        except RedisConnectionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@pytest.mark.real
def test_shards_may_lie_on_two_nodes(two_nodes: list[int]) -> None:
    """One node hides a key that a script does not declare; two nodes refuse it."""
    prints = sketches(120)
    characters = [print_.model_copy(update={"params": CHARACTER_PARAMS}) for print_ in sketches(60, seed=2)]

    async def within() -> list[Mapping[str, frozenset[str]]]:
        clients = [connect(f"redis://127.0.0.1:{port}/0") for port in two_nodes]
        nodes = {shard: clients[key_slot(f"l{shard}".encode()) // 8192] for shard in range(SHARDS)}
        assert nodes[shard_of(WORD_PARAMS)] is not nodes[shard_of(CHARACTER_PARAMS)]
        try:
            for client in clients:
                await wait_until_it_serves(client)
            index = RedisCandidates(clients[0], nodes)
            return [await index.insert(prints[:60]), await index.insert([*prints[60:], *characters])]
        finally:
            for client in clients:
                await client.aclose()

    assert pairs(asyncio.run(within())) == expected_pairs(prints) | expected_pairs(characters)


async def wait_until_it_serves(client: AsyncRedis) -> None:
    for _ in range(100):
        info = await client.execute_command("CLUSTER", "INFO")  # type: ignore[no-untyped-call]
        text = info.decode() if isinstance(info, bytes) else str(info)
        if "cluster_state:ok" in text:
            return
        await asyncio.sleep(0.05)
    pytest.fail("the node does not serve its slots")
