"""What sources of a tier may carry, by the kind of claim (R064-R069): a category, not a score of truth.

The validator has a table of its own and decides; this one tells a writer before that. A vendor's page shows what the
vendor says, not that it beats a competitor; a review replaces no official documentation of a parameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from schemas.records.claim import ClaimType
from schemas.records.source import Tier

_OFFICIAL, _PRIMARY, _SECONDARY = Tier.OFFICIAL, Tier.PRIMARY, Tier.SECONDARY

CARRIES: Final[Mapping[ClaimType, frozenset[Tier]]] = {
    ClaimType.SPECIFICATION: frozenset({_OFFICIAL}),
    ClaimType.POLICY: frozenset({_OFFICIAL, _PRIMARY}),  # the text of a statute is primary
    ClaimType.PRICE: frozenset({_OFFICIAL}),
    ClaimType.METHOD: frozenset({_PRIMARY}),
    ClaimType.RESULT: frozenset({_PRIMARY}),
    ClaimType.STATEMENT: frozenset({_PRIMARY, _OFFICIAL}),
    ClaimType.BACKGROUND: frozenset({_OFFICIAL, _PRIMARY, _SECONDARY}),
    ClaimType.COMPARISON: frozenset({_PRIMARY, _SECONDARY}),
}
"""Of a claim of type `other` nothing is asked. An aggregator is a lead, and carries no critical claim at all (R067)."""

NOTES: Final[Mapping[Tier, str]] = {
    _OFFICIAL: "what a specification, policy, price or feature is, by who decides it; not how it compares",
    _PRIMARY: "methods, results and first-hand statements, in the words of those who made them",
    _SECONDARY: "background and cross-check; no replacement for official documentation of a parameter",
    Tier.AGGREGATOR: "a lead to sources; it supports no critical claim",
}


def carried_by(tier: Tier) -> tuple[ClaimType, ...]:
    """The kinds of claims that a source of this tier may carry, in the order of their list."""
    return tuple(kind for kind in ClaimType if tier in CARRIES.get(kind, frozenset()))
