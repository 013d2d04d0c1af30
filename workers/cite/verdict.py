"""What all edges together say of a claim: derived, never asserted (X14, X15, X16; R093, R095).

The first rule that holds decides: `uncited`, `conflicted`, `supported`, `single-source`, `partial`,
`unsupported`. Distinct independence groups count, never sources or URLs (R071).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.records.claim import Importance, Support, Verdict
from schemas.records.source import Tier

REQUIRED = {Importance.CRITICAL: 2, Importance.ORDINARY: 1}
"""Independent groups with full support that a claim needs (R095)."""


@dataclass(frozen=True, slots=True)
class Edge:
    """What the rules look at of one piece of evidence whose span, digest and judgement hold."""

    evidence_id: str
    support: Support
    group: str
    """All sources of unknown independence have the one name `unknown`, so together they count as one (X31)."""
    tier: Tier
    retention: Literal["full", "quote_only"] = "full"


@dataclass(frozen=True, slots=True)
class Derived:
    """A verdict and what it rests on."""

    verdict: Verdict
    groups: tuple[str, ...]
    """Distinct groups with a full edge that counts, sorted."""
    required: int


def verdict_of(importance: Importance, edges: Sequence[Edge], set_aside: Collection[str] = ()) -> Derived:
    """The verdict of one claim. `set_aside`: contradicting evidence that an arbitration names (X14)."""
    required = REQUIRED[importance]
    groups = tuple(sorted({edge.group for edge in edges if _counts(edge, importance)}))
    return Derived(_rule(edges, set_aside, len(groups), required), groups, required)


def _rule(edges: Sequence[Edge], set_aside: Collection[str], groups: int, required: int) -> Verdict:
    if not edges:
        return Verdict.UNCITED
    if any(edge.support is Support.CONTRADICTS and edge.evidence_id not in set_aside for edge in edges):
        return Verdict.CONFLICTED
    if groups >= required:
        return Verdict.SUPPORTED
    if groups == 1:
        return Verdict.SINGLE_SOURCE
    if any(edge.support is Support.PARTIAL for edge in edges):
        return Verdict.PARTIAL
    return Verdict.UNSUPPORTED


def _counts(edge: Edge, importance: Importance) -> bool:
    """Full support; for a critical claim neither from an aggregator (R067) nor from a quote alone (X24)."""
    if edge.support is not Support.FULL:
        return False
    return importance is Importance.ORDINARY or (edge.tier is not Tier.AGGREGATOR and edge.retention == "full")
