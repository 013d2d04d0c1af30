from __future__ import annotations

import json

import pytest

from schemas.canonical import canonical_sha256
from schemas.reading import DocumentError, DocumentProblem
from schemas.records.source import Tier
from workers.dedup.tiers import AmbiguousRules, TierOverrides, TierPolicy, published_policy, read_overrides, tier_policy


def policy(overrides: TierOverrides | None = None) -> TierPolicy:
    found = tier_policy(overrides)
    assert isinstance(found, TierPolicy)
    return found


def rules(*given: dict[str, object]) -> TierOverrides:
    document = {"schema": "citevault/tier-overrides@1", "rules": [{"why": "said by us", **rule} for rule in given]}
    found = read_overrides(json.dumps(document).encode())
    assert isinstance(found, TierOverrides)
    return found


@pytest.mark.parametrize(
    ("url", "tier", "reason"),
    [
        ("https://www.rfc-editor.org/rfc/rfc9110", Tier.OFFICIAL, "standards-body"),
        ("https://datatracker.ietf.org/doc/x", Tier.OFFICIAL, "standards-body"),
        ("https://www.irs.gov/forms", Tier.OFFICIAL, "government"),
        ("https://www.legislation.gov.uk/ukpga/1998/42", Tier.PRIMARY, "statutes-and-filings"),
        ("https://docs.python.org/3/library/", Tier.OFFICIAL, "official-documentation"),
        ("https://ec.europa.eu/x", Tier.OFFICIAL, "international-organisation"),
        ("https://arxiv.org/abs/2401.00001v2", Tier.PRIMARY, "preprints-and-papers"),
        ("https://doi.org/10.1000/182", Tier.PRIMARY, "preprints-and-papers"),
        ("https://www.nature.com/articles/x", Tier.PRIMARY, "journals"),
        ("https://www.reuters.com/world/x", Tier.SECONDARY, "press-agencies"),
        ("https://de.wikipedia.org/wiki/X", Tier.AGGREGATOR, "encyclopedia"),
        ("https://www.google.com/search?q=x", Tier.AGGREGATOR, "search-results"),
        ("https://www.google.com/maps", Tier.SECONDARY, "default"),
        ("https://somebody.example/", Tier.SECONDARY, "default"),
    ],
)
def test_real_hosts_get_an_explained_tier(url: str, tier: Tier, reason: str) -> None:
    """R063, R064, R065, R066, R067, R068."""
    verdict = policy().verdict(url)
    assert (verdict.tier, verdict.reason) == (tier, reason)
    assert verdict.policy == policy().id


@pytest.mark.parametrize(
    "url", ["https://notirs.gov.evil.example/", "https://evilarxiv.org/", "https://xgov/", "https://arxiv.org:8443/"]
)
def test_a_look_alike_host_gets_no_official_tier(url: str) -> None:
    assert policy().verdict(url).reason == "default"


def test_every_rule_of_the_published_policy_says_why() -> None:
    assert all(rule.why for rule in published_policy().rules)
    assert {rule.tier for rule in published_policy().rules} == set(Tier)


def test_the_id_carries_the_digest_of_the_rules_in_force() -> None:
    plain, own = policy(), policy(rules({"reason": "ours", "tier": "official", "hosts": ["a.example"]}))
    assert plain.id == f"tiers@1+{canonical_sha256(plain.value)[:8]}"
    assert own.id.startswith("tiers@1+")
    assert own.id != plain.id
    assert policy(rules()).id == plain.id


def test_own_rules_go_before_published_ones() -> None:
    own = policy(rules({"reason": "our-wiki", "tier": "secondary", "hosts": ["*.wikipedia.org"]}))
    assert own.verdict("https://de.wikipedia.org/").reason == "our-wiki"
    assert own.verdict("https://wikipedia.org/").reason == "encyclopedia"


def test_the_nearer_rule_decides() -> None:
    own = policy(
        rules(
            {"reason": "all", "tier": "aggregator", "hosts": ["*.example"]},
            {"reason": "domain", "tier": "secondary", "hosts": ["*.a.example"]},
            {"reason": "host", "tier": "primary", "hosts": ["www.b.a.example"]},
            {"reason": "folder", "tier": "official", "hosts": ["b.a.example"], "path": "/docs/"},
            {"reason": "port", "tier": "official", "hosts": ["127.0.0.2:8000"]},
        )
    )
    told = {
        "https://x.example/": "all",
        "https://c.a.example/docs": "domain",
        "https://b.a.example/": "host",
        "https://www.b.a.example/docs": "folder",
        "https://b.a.example/docs/x?y": "folder",
        "https://b.a.example/docsx": "host",
        "http://127.0.0.2:8000/": "port",
        "http://127.0.0.2:8001/": "default",
    }
    assert {url: own.verdict(url).reason for url in told} == told


def test_two_rules_for_one_place_are_refused() -> None:
    one: dict[str, object] = {"reason": "one", "tier": "official", "hosts": ["a.example"]}
    other: dict[str, object] = {"reason": "other", "tier": "primary", "hosts": ["www.a.example"]}
    found = tier_policy(rules(one, other))
    assert isinstance(found, AmbiguousRules)
    assert str(found) == "the rules one and other both name a.example; take it out of one of them"


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ({"reason": "x", "tier": "trusted", "hosts": ["a.example"]}, DocumentProblem.BAD_VALUE),
        ({"reason": "x", "tier": "official", "hosts": []}, DocumentProblem.BAD_VALUE),
        ({"reason": "x", "tier": "official", "hosts": ["a.*"]}, DocumentProblem.BAD_VALUE),
        ({"reason": "x", "tier": "official", "hosts": ["https://a.example"]}, DocumentProblem.BAD_VALUE),
        ({"reason": "x", "tier": "official", "hosts": ["a.example"], "score": 9}, DocumentProblem.UNKNOWN_FIELD),
        ({"tier": "official", "hosts": ["a.example"]}, DocumentProblem.MISSING_FIELD),
    ],
)
def test_a_bad_override_is_refused_with_its_place(rule: dict[str, object], problem: DocumentProblem) -> None:
    document = {"schema": "citevault/tier-overrides@1", "rules": [{"why": "w", **rule}]}
    found = read_overrides(json.dumps(document).encode())
    assert isinstance(found, DocumentError)
    assert found.code is problem
    assert found.pointer.startswith("/rules/0")


def test_a_long_path_costs_little() -> None:
    assert policy().verdict("https://www.google.com/search" + "/a" * 30_000).reason == "search-results"
