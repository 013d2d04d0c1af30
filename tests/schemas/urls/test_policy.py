"""Policies are strict, versioned data; host rules prove themselves."""

import json
from hashlib import sha256
from importlib.resources import files

import pytest
import rfc8785
from pydantic import JsonValue, ValidationError

from schemas.reading import DocumentError
from schemas.urls.citation import citation_url
from schemas.urls.conservative import Normalized, normalize
from schemas.urls.policy import HostRule, UrlPolicy, citation_index_1, conservative_1, load_policy, read_policy

PUBLISHED = {
    "conservative@1": "conservative@1+472a030b",
    "citation-index@1": "citation-index@1+c2393a80",
    "citation-index@2": "citation-index@2+48f5407a",
}
RULES = [pytest.param(rule, id=rule.id) for rule in citation_index_1().host_rules]


def document(name: str) -> dict[str, JsonValue]:
    """The policy file as plain JSON."""
    text = files("schemas.urls").joinpath("policies", f"{name}.json").read_text(encoding="utf-8")
    loaded = json.loads(text)
    assert isinstance(loaded, dict)
    return loaded


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_policy_never_changes(name: str) -> None:
    """X7: the id carries the digest, so an edited file is another policy and belongs into another version."""
    policy = load_policy(name)
    assert policy.id == PUBLISHED[name]
    assert policy.name == name


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_digest_is_of_the_rfc_8785_bytes_of_the_file(name: str) -> None:
    assert load_policy(name).digest == sha256(rfc8785.dumps(document(name))).hexdigest()


def test_the_policies_name_exactly_these_parameters() -> None:
    """R024, R042, X1, X7."""
    conservative, citation = conservative_1(), citation_index_1()
    assert conservative.drop_parameters == ("fbclid", "gclid", "mc_cid", "mc_eid")
    assert citation.drop_parameters == ("fbclid", "gclid", "ref", "source")
    assert conservative.drop_prefixes == citation.drop_prefixes == ("utm_",)
    assert not conservative.host_rules


def test_the_second_citation_policy_leaves_an_embedded_url_alone() -> None:
    """X2: and is in everything else the first."""
    first, second = load_policy("citation-index@1"), load_policy("citation-index@2")
    assert document("citation-index@2") == document("citation-index@1") | {
        "name": "citation-index@2",
        "collapse_slashes": "but-embedded-urls",
    }
    outcomes = {}
    for raw in ("https://web.archive.org/web//2020id_/https://x.example//a", "https://x.example//a//b"):
        found = normalize(raw)
        assert isinstance(found, Normalized)
        outcomes[raw] = [citation_url(found.url, None, policy).value for policy in (first, second)]
    assert list(outcomes.values()) == [
        [
            "https://web.archive.org/web/2020id_/https:/x.example/a",
            "https://web.archive.org/web/2020id_/https://x.example//a",
        ],
        ["https://x.example/a/b", "https://x.example/a/b"],
    ]


def test_an_unknown_policy_is_no_policy() -> None:
    with pytest.raises(LookupError, match="citation-index@9"):
        load_policy("citation-index@9")


def outcome(raw: str, rule: HostRule) -> tuple[str, bool]:
    """Citation URL, and whether the rule had a part in it."""
    normalized = normalize(raw)
    assert isinstance(normalized, Normalized)
    citation = citation_url(normalized.url, normalized.fragment)
    return citation.value, f"rule {rule.id}" in citation.trace


@pytest.mark.parametrize("rule", RULES)
def test_a_host_rule_changes_what_it_says_it_changes(rule: HostRule) -> None:
    """R031, X4."""
    for example in rule.examples.changes:
        assert outcome(example.before, rule) == (example.after, True)


@pytest.mark.parametrize("rule", RULES)
def test_a_host_rule_leaves_alone_what_it_says_it_leaves_alone(rule: HostRule) -> None:
    """R031, X4."""
    for raw in rule.examples.keeps:
        assert outcome(raw, rule)[1] is False


@pytest.mark.parametrize("rule", RULES)
def test_every_listed_host_of_an_identity_rule_has_an_example(rule: HostRule) -> None:
    """X3: the list of anchor-addressed hosts is explicit, and each entry is shown at work."""
    if rule.kind == "fragment-identity" and rule.hosts != ("*",):
        shown = {example.before.split("/")[2] for example in rule.examples.changes}
        assert shown == set(rule.hosts)


def with_rule(**changes: JsonValue) -> bytes:
    """`citation-index@1` with its first rule (a rewrite) changed; a value of None takes the field away."""
    policy = document("citation-index@1")
    rules = policy["host_rules"]
    assert isinstance(rules, list)
    rule = rules[0]
    assert isinstance(rule, dict)
    rule |= changes
    for name in [name for name, value in changes.items() if value is None]:
        del rule[name]
    return json.dumps(policy).encode()


EXAMPLE: JsonValue = {"before": "https://a/", "after": "https://b/"}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(with_rule(examples=None), id="no examples"),
        pytest.param(with_rule(examples={"changes": [], "keeps": ["https://a/"]}), id="no positive example"),
        pytest.param(with_rule(examples={"changes": [EXAMPLE], "keeps": []}), id="no negative example"),
        pytest.param(with_rule(kind="guess"), id="unknown kind"),
        pytest.param(with_rule(extra=1), id="unknown field"),
        pytest.param(with_rule(path="("), id="no pattern"),
        pytest.param(with_rule(path="/(?P<video>a)(?=b)"), id="look-ahead"),
        pytest.param(with_rule(path="/(?P<video>a)(?<!b)"), id="look-behind"),
        pytest.param(with_rule(path=r"/(?P<video>a)\1"), id="back-reference"),
        pytest.param(with_rule(path="/(?P<video>a)(?P=video)"), id="named back-reference"),
        pytest.param(with_rule(path="/nothing"), id="unknown group in the target"),
        pytest.param(with_rule(to="https://www.youtube.com/watch"), id="group that goes nowhere"),
        pytest.param(with_rule(to="javascript:alert(1)"), id="target that is no URL"),
        pytest.param(with_rule(hosts=[]), id="no host"),
        pytest.param(with_rule(id="youtube-host"), id="two rules of one id"),
        pytest.param(b'{"schema": "citevault/url-policy@1", "schema": "citevault/url-policy@1"}', id="duplicate"),
        pytest.param(b'{"schema": "citevault/url-policy@2"}', id="newer version"),
        pytest.param(b"\xff", id="no text"),
        pytest.param(b"[]", id="no object"),
    ],
)
def test_a_faulty_policy_is_refused(data: bytes) -> None:
    """X4: above all, a rule without examples for both answers."""
    assert isinstance(read_policy(data), DocumentError)


@pytest.mark.parametrize("field", ["drop_parameters", "drop_prefixes", "collapse_slashes", "host_rules", "identity"])
def test_no_field_has_a_silent_default(field: str) -> None:
    policy = document("conservative@1")
    del policy[field]
    assert isinstance(read_policy(json.dumps(policy).encode()), DocumentError)


@pytest.mark.parametrize("field", ["collapse_slashes", "host_rules"])
def test_an_identity_policy_can_have_no_lossy_rule(field: str) -> None:
    policy = document("conservative@1") | {field: document("citation-index@1")[field]}
    assert isinstance(read_policy(json.dumps(policy).encode()), DocumentError)


def test_a_policy_is_read_from_its_bytes_and_cannot_be_changed() -> None:
    policy = read_policy(json.dumps(document("citation-index@1")).encode())
    assert isinstance(policy, UrlPolicy)
    assert policy == citation_index_1()
    with pytest.raises(ValidationError):
        setattr(policy, "collapse_slashes", False)  # noqa: B010 (mypy refuses the plain assignment)
