"""From HTML to candidates, with the 250 pages of the extraction suites.

Peer: trafilatura in fast mode, word 5-grams, datasketch's `update_batch`, and its Redis storage with the same bands and
rows, queried and inserted one by one. The second row is ours alone and goes on to clusters: the exact
overlap of every candidate pair, and the partition. Time is CPU time of client and Redis together.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import trafilatura
from datasketch import MinHash

from deploy.bench.duplicates.redis_server import Server, running_server
from deploy.bench.duplicates.their_index import their_index
from deploy.bench.extraction.pages import data_folder, suite_pages
from deploy.bench.result import Result
from workers.adapters.redis.candidates import RedisCandidates
from workers.adapters.redis.client import connect
from workers.dedup.clusters import Edge, Part, partition
from workers.dedup.fingerprint import NamedText, fingerprints
from workers.dedup.parameters import MINIMUM_SHINGLES, PERMUTATIONS
from workers.dedup.shingles import Shingles, shingle
from workers.extract.charset import decode_text
from workers.extract.html import main_content, warm_up
from workers.extract.page_tree import parse_page
from workers.extract.plain import clean_text

SNAPSHOT = "snap-0123456789ab-20261129T031500Z-01234567"
ROUNDS = 3
OVERLAP = 700_000
Near = dict[str, frozenset[str]]


def measure(folder: Path, pages: int | None = None) -> list[Result]:
    """AssertionError where a page gives another text when it comes again."""
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    sources = [decode_text(page.payload, header=None, markup=True).text for page in suite_pages(data_folder())[:pages]]
    warm_up()
    with running_server(folder) as server:
        rounds = [_round(server, sources) for _ in range(ROUNDS)]
    ours, theirs, clustered = (median(column) for column in zip(*rounds, strict=True))
    ratio = median(peer / mine for mine, peer, _ in rounds)
    unit, count = "pages/CPU-s", len(sources)
    return [
        Result("HTML to candidates", count / ours, unit, "trafilatura fast + datasketch", count / theirs, ratio,
               False, 1.8, 2.1),
        Result("HTML to clusters", count / clustered, unit, None, None, None, False, None, None),
    ]  # fmt: skip


def _round(server: Server, sources: Sequence[str]) -> tuple[float, float, float]:
    server.empty()
    found: tuple[dict[str, str], Near] = ({}, {})

    def ours() -> None:
        nonlocal found
        found = asyncio.run(_ours(server, sources))

    mine = _cpu(server, ours)
    texts, near = found
    again = asyncio.run(_ours(server, sources[:40]))[1]
    if not all(text in texts for text in again):
        raise AssertionError("a page gave another text when it came again")
    clusters: list[tuple[Part, ...]] = []
    looking = _cpu(server, lambda: clusters.append(_clusters(texts, near)))
    server.empty()
    theirs = _cpu(server, lambda: _theirs(server, sources))
    return mine, theirs, mine + looking


async def _ours(server: Server, sources: Sequence[str]) -> tuple[dict[str, str], Near]:
    """Texts by digest, and the candidates of each."""
    texts: dict[str, str] = {}
    named: list[NamedText] = []
    for source in sources:
        content = main_content(parse_page(source))
        text = clean_text(content.text or "") if content else ""
        digest = hashlib.sha256(text.encode()).hexdigest()
        if digest not in texts:  # equal texts are one vertex
            texts[digest] = text
            named.append(NamedText(text, digest, SNAPSHOT))
    client = connect(f"redis://127.0.0.1:{server.port}/0")
    try:
        return texts, dict(await RedisCandidates(client).insert(fingerprints(named)))
    finally:
        await client.aclose()


def _clusters(texts: dict[str, str], near: Near) -> tuple[Part, ...]:
    """A look at the exact overlap of every candidate pair, and the partition."""
    cuts: dict[str, Shingles] = {}
    edges = []
    for one, other in {(min(a, b), max(a, b)) for a, others in near.items() for b in others}:
        for text in (one, other):
            if text not in cuts:
                cuts[text] = shingle(texts[text])
        shared = len(cuts[one].values & cuts[other].values)
        overlap = shared * 1_000_000 // (len(cuts[one].values) + len(cuts[other].values) - shared)
        if overlap >= OVERLAP:
            edges.append(Edge(one, other, overlap))
    return partition(texts, edges)


def _theirs(server: Server, sources: Sequence[str]) -> dict[str, list[str]]:
    near: dict[str, list[str]] = {}
    with their_index(server) as index:
        for number, source in enumerate(sources):
            text = trafilatura.extract(source, fast=True) or ""
            values = shingle(text).values
            if len(values) < MINIMUM_SHINGLES:
                continue
            sketch = MinHash(num_perm=PERMUTATIONS)
            sketch.update_batch([value.encode() for value in values])
            near[str(number)] = index.query(sketch)
            index.insert(str(number), sketch)
    return near


def _cpu(server: Server, work: Callable[[], object]) -> float:
    mine, theirs = time.process_time(), server.cpu_seconds()
    work()
    return time.process_time() - mine + server.cpu_seconds() - theirs
