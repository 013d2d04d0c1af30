"""Why two captures are, or are not, one story: the verdict as it was written down, and what can be said beside it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from schemas.records.cluster import EdgeVerdict
from schemas.records.snapshot import SnapshotLine
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request
from workers.dedup.confirm import RULE_WORDS, judge
from workers.dedup.differences import Difference, OtherNumbers, differences, other_numbers
from workers.dedup.fingerprint import estimate, minhash
from workers.dedup.parameters import MINIMUM_SHINGLES, PIPELINE_PARAMS
from workers.dedup.sighting import Sighting, sighting_of
from workers.dedup.site import site_of
from workers.errors import PermanentError
from workers.flows.cluster_verdicts import StoredVerdict, StoredVerdicts, verdicts_on
from workers.flows.reading import read_text
from workers.ports import Catalog, ClusterState, ObjectStore

__all__ = ["RULE_WORDS", "ExplainPorts", "Explanation", "Side", "explain"]

Answer = Literal["one-text", "one-story", "apart", "unknown"]
SHOWN_DIFFERENCES = 12
ENOUGH_ALIKE = 700_000
"""Overlap from which R034's "highly similar" holds: as for a confirmed edge."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two captures."""

    snapshot_id: str
    url: str
    text_sha256: str | None
    cluster_id: str | None
    canonical: str | None
    """What the page declares as its canonical URL, and what R034 asks of it; None: it declares none, or itself."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer, its reasons, and the figures behind them."""

    one: Side
    other: Side
    answer: Answer
    reasons: tuple[str, ...]
    verdict: StoredVerdict | None
    """The one that counts, on the two texts themselves."""
    earlier: tuple[StoredVerdict, ...]
    looked_now: EdgeVerdict | None
    """Made for this answer where none is stored, from the two captures that were asked for; it decides nothing."""
    numbers: OtherNumbers | None
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class ExplainPorts:
    store: ObjectStore
    catalog: Catalog
    clusters: ClusterState
    params: str = PIPELINE_PARAMS


async def explain(one: SnapshotLine, other: SnapshotLine, ports: ExplainPorts) -> Explanation:
    """Look at the pair. PermanentError where one of the two has no text that could be compared."""
    texts = [await _text(line, ports) for line in (one, other)]
    seen = [
        await asyncio.to_thread(sighting_of, text, line.snapshot, line.outlinks)
        for text, line in zip(texts, (one, other), strict=True)
    ]
    clusters = [await ports.clusters.cluster_of(sighting.text_sha256) for sighting in seen]
    stored, now = StoredVerdicts((), 0), None
    if seen[0].text_sha256 != seen[1].text_sha256:
        stored = await verdicts_on(
            seen[0].text_sha256,
            seen[1].text_sha256,
            store=ports.store,
            catalog=ports.catalog,
            clusters=ports.clusters,
            params=ports.params,
        )
        now = None if stored.found else await asyncio.to_thread(judge, seen[0], seen[1])
    verdict = stored.found[-1] if stored.found else None
    looked = verdict.verdict if verdict is not None else now
    overlap = looked.figures.shingle_jaccard_ppm if looked is not None else 1_000_000
    sides = [
        Side(
            line.snapshot.id,
            line.snapshot.final_url,
            line.snapshot.text_sha256,
            cluster,
            await _canonical(line, partner, overlap, ports.catalog),
        )
        for line, partner, cluster in zip((one, other), (other, one), clusters, strict=True)
    ]
    told = await asyncio.to_thread(differences, texts[0], texts[1], limit=SHOWN_DIFFERENCES)
    answer, reasons = await _answer(seen, clusters, verdict, stored.left_out, ports)
    return Explanation(
        sides[0],
        sides[1],
        answer,
        tuple(reasons),
        verdict,
        stored.found[:-1],
        now,
        other_numbers(seen[0].quantities, seen[1].quantities),
        told,
    )


async def _text(line: SnapshotLine, ports: ExplainPorts) -> str:
    text = await read_text(ports.store, line)
    if text is None:
        raise PermanentError(
            "this capture has no text to compare, or it was taken down",
            where=line.snapshot.id,
            next_step=f"see `citevault show {line.snapshot.id} --json`: reader_status says why",
        )
    return text


async def _answer(
    seen: list[Sighting],
    clusters: list[str | None],
    verdict: StoredVerdict | None,
    left_out: int,
    ports: ExplainPorts,
) -> tuple[Answer, list[str]]:
    if seen[0].text_sha256 == seen[1].text_sha256:
        return "one-text", ["the two texts are the same, to the letter"]
    if None in clusters:
        return "unknown", [
            "one of the two is not clustered yet, or may not be cited, and only what may be is clustered"
        ]
    if clusters[0] == clusters[1]:
        return "one-story", await _together(seen, str(clusters[0]), verdict, ports)
    return "apart", _apart(seen, verdict, left_out)


async def _together(
    seen: list[Sighting], cluster: str, verdict: StoredVerdict | None, ports: ExplainPorts
) -> list[str]:
    if verdict is not None and verdict.verdict.confirmed:
        reasons = [f"rule {verdict.verdict.rule}: {RULE_WORDS.get(verdict.verdict.rule, 'a rule of another version')}"]
    else:
        reasons = ["they were not confirmed against each other, but each was against the text that leads their cluster"]
        if verdict is not None:
            reasons.append(f"between the two, rule {verdict.verdict.rule}: {RULE_WORDS.get(verdict.verdict.rule, '')}")
    members = await ports.clusters.members(cluster)
    leader = members.leader_text_sha256 if members is not None else ""
    for edge in await ports.clusters.edges(cluster):
        ends = {edge.a, edge.b}
        for sighting in seen:
            if ends == {leader, sighting.text_sha256} and ends != {one.text_sha256 for one in seen}:
                overlap = edge.figures.shingle_jaccard_ppm / 10_000
                reasons.append(
                    f"text {sighting.text_sha256[:12]} and the leader {leader[:12]}: {edge.rule}, {overlap:.1f} %"
                )
    return reasons


def _apart(seen: list[Sighting], verdict: StoredVerdict | None, left_out: int) -> list[str]:
    if verdict is not None and verdict.verdict.confirmed:
        return [
            "the two were confirmed as near-duplicates, but each has joined the leader that it overlaps most, and "
            "these leaders are not near-duplicates of each other: nobody joins through a chain",
        ]
    if verdict is not None:
        return [f"rule {verdict.verdict.rule}: {RULE_WORDS.get(verdict.verdict.rule, 'a rule of another version')}"]
    if min(len(sighting.shingles.values) for sighting in seen) < MINIMUM_SHINGLES:
        return [f"a text with fewer than {MINIMUM_SHINGLES} distinct runs is near nothing but an equal one"]
    if seen[0].shingles.params != seen[1].shingles.params:
        return [f"rule not-comparable: {RULE_WORDS['not-comparable']}"]
    alike = estimate(minhash(seen[0].shingles.values), minhash(seen[1].shingles.values))
    reasons = [f"nobody suspected them: their sketches agree in {alike:.0%} of 128 values, and in no band of the index"]
    if left_out:
        reasons.append(f"{left_out} candidate pairs of their segments were left out, since there were too many")
    return reasons


async def _canonical(line: SnapshotLine, other: SnapshotLine, overlap: int, catalog: Catalog) -> str | None:
    """R033-R035: a hint that decides nothing; what would have to hold before anybody merged on it."""
    declared = line.snapshot.declared_canonical
    found = identity_of_request(declared) if declared else None
    if found is None or isinstance(found, UrlError) or found.url == line.snapshot.normalized_url:
        return None
    archived = "archived" if await catalog.snapshots_of(found.url) else "not archived, so nobody could compare it"
    site = "same site" if site_of(found.url) == site_of(line.snapshot.normalized_url) else "another site"
    if found.url != other.snapshot.normalized_url:
        return f"{found.url} (neither of the two; {archived}; {site}); a hint that decides nothing"
    alike = "highly similar" if overlap >= ENOUGH_ALIKE else "not highly similar"
    return f"{found.url} (the other page; {site}; {alike}); a hint that decides nothing"
