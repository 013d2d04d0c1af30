from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.claim import Importance, Support, Verdict
from schemas.records.source import Tier
from workers.cite.verdict import Edge, verdict_of

CRITICAL, ORDINARY = Importance.CRITICAL, Importance.ORDINARY


def edge(support: str, group: str = "site:a.example", tier: Tier = Tier.SECONDARY, retention: str = "full") -> Edge:
    return Edge(f"ev-{support}-{group}", Support(support), group, tier, retention)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("importance", "edges", "verdict"),
    [
        # The seed's own table (R077, X15).
        (ORDINARY, [edge("full", tier=Tier.OFFICIAL), edge("partial", "site:b.example")], Verdict.SUPPORTED),
        (CRITICAL, [edge("no_support"), edge("full", "site:b.example")], Verdict.SINGLE_SOURCE),
        (ORDINARY, [edge("contradicts"), edge("full", "site:b.example")], Verdict.CONFLICTED),
        # The rest of the rules.
        (CRITICAL, [], Verdict.UNCITED),
        (CRITICAL, [edge("full"), edge("full", "site:b.example")], Verdict.SUPPORTED),
        (CRITICAL, [edge("full"), edge("full")], Verdict.SINGLE_SOURCE),
        (CRITICAL, [edge("full", "unknown"), edge("full", "unknown")], Verdict.SINGLE_SOURCE),
        (CRITICAL, [edge("full"), edge("full", "site:b.example", Tier.AGGREGATOR)], Verdict.SINGLE_SOURCE),
        (CRITICAL, [edge("full", tier=Tier.AGGREGATOR)], Verdict.UNSUPPORTED),
        (ORDINARY, [edge("full", tier=Tier.AGGREGATOR)], Verdict.SUPPORTED),
        (CRITICAL, [edge("full"), edge("full", "site:b.example", retention="quote_only")], Verdict.SINGLE_SOURCE),
        (ORDINARY, [edge("partial")], Verdict.PARTIAL),
        (ORDINARY, [edge("no_support")], Verdict.UNSUPPORTED),
        (CRITICAL, [edge("full"), edge("full", "site:b.example"), edge("contradicts")], Verdict.CONFLICTED),
    ],
)
def test_the_first_rule_that_holds_decides(importance: Importance, edges: list[Edge], verdict: Verdict):
    """R067, R076, R077, R093, R095, X14, X15, X24, X31."""
    assert verdict_of(importance, edges).verdict is verdict


def test_only_an_arbitration_of_that_very_edge_downgrades_a_conflict():
    """X14."""
    edges = [edge("full"), edge("contradicts", "site:b.example"), edge("contradicts", "site:c.example")]
    one, both = [edges[1].evidence_id], [edges[1].evidence_id, edges[2].evidence_id]
    assert verdict_of(ORDINARY, edges, one).verdict is Verdict.CONFLICTED
    assert verdict_of(ORDINARY, edges, both).verdict is Verdict.SUPPORTED


def test_groups_are_named_once_and_sorted():
    derived = verdict_of(CRITICAL, [edge("full", "b"), edge("full", "a"), edge("full", "b"), edge("partial", "c")])
    assert (derived.groups, derived.required) == (("a", "b"), 2)


EDGES = st.builds(
    Edge,
    evidence_id=st.sampled_from(["ev-001", "ev-002", "ev-003"]),
    support=st.sampled_from(Support),
    group=st.sampled_from(["site:a", "site:b", "unknown"]),
    tier=st.sampled_from(Tier),
)


@given(st.sampled_from(Importance), st.lists(EDGES, max_size=6), EDGES)
def test_more_evidence_that_does_not_support_never_makes_a_claim_supported(
    importance: Importance, edges: list[Edge], more: Edge
):
    """R074, R075."""
    before = verdict_of(importance, edges).verdict
    if more.support is not Support.FULL and before is not Verdict.SUPPORTED:
        assert verdict_of(importance, [*edges, more]).verdict is not Verdict.SUPPORTED
    if more.support is Support.CONTRADICTS:
        assert verdict_of(importance, [*edges, more]).verdict is Verdict.CONFLICTED


@given(st.sampled_from(Importance), st.lists(EDGES, max_size=6))
def test_order_plays_no_part(importance: Importance, edges: list[Edge]):
    assert verdict_of(importance, edges) == verdict_of(importance, edges[::-1])
