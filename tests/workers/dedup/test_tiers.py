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
        ("https://www.gov.br/saude/", Tier.OFFICIAL, "government"),
        ("https://www.city.kyoto.lg.jp/", Tier.OFFICIAL, "government"),
        ("https://www.destatis.de/DE/x", Tier.OFFICIAL, "central-bank-or-statistics"),
        ("https://www.ecb.europa.eu/x", Tier.OFFICIAL, "international-organisation"),
        ("https://www.who.int/news", Tier.OFFICIAL, "international-organisation"),
        ("https://click.palletsprojects.com/en/stable/", Tier.OFFICIAL, "official-documentation"),
        ("https://pubmed.ncbi.nlm.nih.gov/1/", Tier.PRIMARY, "preprints-and-papers"),
        ("https://clinicaltrials.gov/study/1", Tier.PRIMARY, "research-data"),
        ("https://www.sec.gov/Archives/x", Tier.PRIMARY, "statutes-and-filings"),
        ("https://lovdata.no/lov/x", Tier.PRIMARY, "statutes-and-filings"),
        ("https://www.prnewswire.com/news-releases/x", Tier.PRIMARY, "press-release-wire"),
        ("https://www.presseportal.de/pm/1/2", Tier.PRIMARY, "press-release-wire"),
        ("https://github.com/a/b", Tier.PRIMARY, "code-host"),
        ("https://www.spa.gov.sa/x", Tier.SECONDARY, "press-agencies"),
        ("https://www.yna.co.kr/view/x", Tier.SECONDARY, "press-agencies"),
        ("https://www.theguardian.com/x", Tier.SECONDARY, "edited-media"),
        ("https://arstechnica.com/x", Tier.SECONDARY, "trade-and-science-press"),
        ("https://phys.org/news/x", Tier.AGGREGATOR, "reprinted-releases"),
        ("https://news.yahoo.co.jp/articles/x", Tier.AGGREGATOR, "news-portal"),
        ("https://web.archive.org/web/2020/https://www.irs.gov/", Tier.AGGREGATOR, "copies-of-pages"),
        ("https://example-org.translate.goog/", Tier.AGGREGATOR, "machine-translation"),
        ("https://www.perplexity.ai/search/x", Tier.AGGREGATOR, "machine-answers"),
        ("https://duckduckgo.com/?q=x", Tier.AGGREGATOR, "search-engine"),
        ("https://baidu.com/s?wd=x", Tier.AGGREGATOR, "search-results-baidu"),
        ("https://www.idealo.de/preisvergleich/x", Tier.AGGREGATOR, "price-comparison"),
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


@pytest.mark.parametrize("name", ["tiers@1", "tiers@2"])
def test_every_rule_of_a_published_policy_says_why(name: str) -> None:
    """R068: explainable categories."""
    assert all(rule.why for rule in published_policy(name).rules)
    assert {rule.tier for rule in published_policy(name).rules} == set(Tier)
    reasons = [rule.reason for rule in published_policy(name).rules]
    assert len(set(reasons)) == len(reasons)


@pytest.mark.parametrize(
    ("name", "sha256"),
    [
        ("tiers@1", "186f6e0f4718628ed16c84286ac6731ee7e40c069a477a65a27ec53cb46ce661"),
        ("tiers@2", "f526284c511356ed8724a1d2889d9396b82448dd184b3ee780ba608e07a5eadd"),
    ],
)
def test_a_published_policy_never_changes(name: str, sha256: str) -> None:
    """Another list is another version, beside it."""
    assert canonical_sha256(published_policy(name).model_dump(mode="json", by_alias=True)) == sha256


def test_a_rule_is_named_with_the_place_by_which_it_fits() -> None:
    own = policy(rules({"reason": "our-paper", "tier": "primary", "hosts": ["*.irs.gov"], "path": "/data"}))
    found = own.rule("https://www2.irs.gov/data/x")
    assert found is not None
    assert (found.rule.reason, found.place, found.own) == ("our-paper", "*.irs.gov/data", True)
    shipped = own.rule("https://www2.irs.gov/")
    assert shipped is not None
    assert (shipped.place, shipped.own) == ("*.gov", False)
    assert own.rule("https://nobody.example/") is None


def test_the_id_carries_the_digest_of_the_rules_in_force() -> None:
    plain, own = policy(), policy(rules({"reason": "ours", "tier": "official", "hosts": ["a.example"]}))
    assert plain.id == f"tiers@2+{canonical_sha256(plain.value)[:8]}"
    assert own.id.startswith("tiers@2+")
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
