"""Why full support of a critical claim may not count, and a comparison not pass (R067, R069, X24)."""

from __future__ import annotations

import pytest

from schemas.records.bundle import Bundle, BundleSnapshot
from schemas.records.claim import Claim, ClaimType, Evidence, Importance, Support, Verdict
from schemas.records.source import Source, Tier, TierVerdict
from workers.cite.shortfall import shortfalls


def bundle(tier: Tier, retention: str, **claim: object) -> Bundle:
    """One critical claim with one full edge on a source of this tier."""
    said = {"id": "c-01", "text": "It holds.", "importance": Importance.CRITICAL, "claim_type": ClaimType.OTHER}
    edge = {"id": "ev-001", "claim_id": "c-01", "source_id": "s", "snapshot_id": "n", "independence_group": "g"}
    return Bundle.model_construct(
        claims=(Claim.model_construct(**{**said, **claim}),),
        evidence=(Evidence.model_construct(**edge, support=Support.FULL),),
        sources=(Source.model_construct(id="s", tier=TierVerdict.model_construct(tier=tier)),),
        snapshots=(BundleSnapshot.model_construct(id="n", retention=retention),),
        arbitrations=(),
    )


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (bundle(Tier.AGGREGATOR, "full", status=Verdict.UNSUPPORTED), "ev-001 does not count, since it quotes an agg"),
        (bundle(Tier.PRIMARY, "quote_only", status=Verdict.UNSUPPORTED), "since only its quote may be kept"),
        (bundle(Tier.PRIMARY, "full", status=Verdict.SINGLE_SOURCE), "ev-001 is its only support"),
        (
            bundle(Tier.OFFICIAL, "full", status=Verdict.SUPPORTED, claim_type=ClaimType.COMPARISON),
            "only official sources say so",
        ),
    ],
)
def test_the_reason_is_named(given: Bundle, why: str) -> None:
    (one,) = shortfalls(given)
    assert why in one.why
    assert one.next_step


def test_what_will_pass_is_not_named() -> None:
    assert shortfalls(bundle(Tier.PRIMARY, "full", status=Verdict.SUPPORTED)) == []
    ordinary = bundle(Tier.OFFICIAL, "full", status=Verdict.CONFLICTED, importance=Importance.ORDINARY)
    assert shortfalls(ordinary) == [], "a warning, which the reader sees"
