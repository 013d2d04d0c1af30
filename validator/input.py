"""A bundle as it was read: the document, its digest, its folder, and look-ups by id that keep the first entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Protocol, TypeVar

from schemas.records.bundle import Bundle, BundleSnapshot
from schemas.records.claim import Claim, Evidence, Importance, Judgement
from schemas.records.cluster import Cluster
from schemas.records.source import Source
from validator.place import Place


class _Named(Protocol):
    @property
    def id(self) -> str: ...


N = TypeVar("N", bound=_Named)


def first_by_id(entries: Iterable[N]) -> dict[str, N]:
    """Look-up by id. A second entry of one id is a finding of its own and never wins (X32)."""
    out: dict[str, N] = {}
    for entry in entries:
        out.setdefault(entry.id, entry)
    return out


class BundleInput:
    """What all checks of a bundle share. Nothing here judges."""

    def __init__(self, bundle: Bundle, sha256: str, place: Place) -> None:
        self.bundle = bundle
        self.sha256 = sha256
        """Of the document's bytes, which are not kept: they take as much memory as all the rest."""
        self.place = place

    @cached_property
    def claims(self) -> dict[str, Claim]:
        return first_by_id(self.bundle.claims)

    @cached_property
    def snapshots(self) -> dict[str, BundleSnapshot]:
        return first_by_id(self.bundle.snapshots)

    @cached_property
    def sources(self) -> dict[str, Source]:
        return first_by_id(self.bundle.sources)

    @cached_property
    def evidence(self) -> dict[str, Evidence]:
        return first_by_id(self.bundle.evidence)

    def is_critical(self, edge: Evidence) -> bool:
        """Whether the edge's claim is critical; one that names no claim is not."""
        claim = self.claims.get(edge.claim_id)
        return claim is not None and claim.importance is Importance.CRITICAL

    @cached_property
    def judgements(self) -> dict[str, Judgement]:
        return first_by_id(self.bundle.judgements)

    @cached_property
    def judgements_of_edge(self) -> dict[str, Sequence[Judgement]]:
        """All judgements of each edge, by its id."""
        out: dict[str, list[Judgement]] = {}
        for judgement in self.judgements.values():
            out.setdefault(judgement.evidence_id, []).append(judgement)
        return dict(out)

    @cached_property
    def clusters(self) -> dict[str, Cluster]:
        """By id and by alias: a merged cluster answers under its older names too."""
        out = first_by_id(self.bundle.clusters)
        for cluster in self.bundle.clusters:
            for alias in cluster.aliases:
                out.setdefault(alias, cluster)
        return out

    @cached_property
    def edges_of_snapshot(self) -> dict[str, Sequence[tuple[int, Evidence]]]:
        """Edges with their index in the document."""
        out: dict[str, list[tuple[int, Evidence]]] = {}
        for index, edge in enumerate(self.bundle.evidence):
            out.setdefault(edge.snapshot_id, []).append((index, edge))
        return dict(out)
