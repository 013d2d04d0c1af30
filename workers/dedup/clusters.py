"""Clusters as a pure function of the set of confirmed edges (`schemas/README.md, Clusters`).

A vertex is a distinct text. In the order (degree descending, text_sha256) a vertex without a confirmed
edge to an earlier leader becomes a leader; every other one joins the adjacent leader with the highest
exact overlap, ties by that order. Every member is thus confirmed against its leader itself: nobody joins
through a chain (C43). Degree and adjacency are local to a connected component, so a component may be
computed alone and equals its part of the whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edge:
    """A confirmed edge between two texts, with the exact overlap of their shingles."""

    a: str
    b: str
    overlap_ppm: int


@dataclass(frozen=True, slots=True)
class Part:
    """One cluster of a partition: its leader and all its texts, sorted."""

    leader: str
    texts: tuple[str, ...]


def partition(texts: Iterable[str], edges: Iterable[Edge]) -> tuple[Part, ...]:
    """The clusters of these texts, sorted by leader. Texts that only an edge names take part too."""
    near: dict[str, dict[str, int]] = {text: {} for text in texts}
    for edge in edges:
        if edge.a != edge.b:
            near.setdefault(edge.a, {})[edge.b] = edge.overlap_ppm
            near.setdefault(edge.b, {})[edge.a] = edge.overlap_ppm
    order = sorted(near, key=lambda text: (-len(near[text]), text))
    rank = {text: place for place, text in enumerate(order)}
    leaders: set[str] = set()
    for text in order:
        if leaders.isdisjoint(near[text]):
            leaders.add(text)
    members: dict[str, list[str]] = defaultdict(list)
    for text in order:
        members[text if text in leaders else _nearest_leader(near[text], leaders, rank)].append(text)
    return tuple(Part(leader, tuple(sorted(members[leader]))) for leader in sorted(members))


def _nearest_leader(near: Mapping[str, int], leaders: set[str], rank: Mapping[str, int]) -> str:
    return min((text for text in near if text in leaders), key=lambda text: (-near[text], rank[text]))
