"""What sources of a tier may carry."""

from __future__ import annotations

import pytest

from schemas.records.claim import ClaimType
from schemas.records.source import Tier
from validator.tier_fit import FITTING
from workers.dedup.tier_fit import CARRIES, NOTES, carried_by


@pytest.mark.parametrize(
    ("tier", "carries", "not_"),
    [
        (Tier.OFFICIAL, {ClaimType.SPECIFICATION, ClaimType.POLICY, ClaimType.PRICE}, {ClaimType.COMPARISON}),
        (Tier.PRIMARY, {ClaimType.METHOD, ClaimType.RESULT, ClaimType.STATEMENT}, {ClaimType.SPECIFICATION}),
        (Tier.SECONDARY, {ClaimType.BACKGROUND, ClaimType.COMPARISON}, {ClaimType.SPECIFICATION, ClaimType.PRICE}),
        (Tier.AGGREGATOR, set(), set(CARRIES)),
    ],
)
def test_a_tier_carries_what_the_matrix_says(tier: Tier, carries: set[ClaimType], not_: set[ClaimType]) -> None:
    """R064, R065, R066, R067, R069."""
    assert carries <= set(carried_by(tier))
    assert not_.isdisjoint(carried_by(tier))


def test_every_tier_says_what_it_is_good_for() -> None:
    """R068."""
    assert set(NOTES) == set(Tier)


def test_the_validator_asks_for_what_a_writer_is_told() -> None:
    """Two tables, made apart: the validator shares none of our code."""
    assert {kind: tiers for kind, tiers in FITTING.items() if kind is not ClaimType.OTHER} == CARRIES


def test_of_an_other_claim_nothing_is_asked() -> None:
    assert set(CARRIES) == set(ClaimType) - {ClaimType.OTHER}
