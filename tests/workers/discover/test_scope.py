"""Which URLs are in scope of which seed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.job import Scope
from workers.discover.scope import scope_of

SEGMENT = st.text(alphabet="abc.%2F~-", min_size=0, max_size=4)


@pytest.mark.parametrize(
    ("kind", "seed", "url", "inside"),
    [
        ("page", "https://example.org/", "https://example.org/a", False),
        ("prefix", "https://example.org/docs/", "https://example.org/docs/a/b", True),
        ("prefix", "https://example.org/docs/", "https://example.org/docs", True),
        ("prefix", "https://example.org/docs", "https://example.org/docs/a", True),
        ("prefix", "https://example.org/docs", "https://example.org/docs2", False),
        ("prefix", "https://example.org/docs/index.html", "https://example.org/docs/b.html", True),
        ("prefix", "https://example.org/docs/3.11", "https://example.org/docs/3.11/a", True),
        ("prefix", "https://example.org/docs/3.11", "https://example.org/docs/3.12/a", False),
        ("prefix", "https://example.org/docs/", "https://example.org/docs/../secret", False),
        ("prefix", "https://example.org/docs/", "https://example.org/docs/%2e%2e/secret", False),
        ("prefix", "https://example.org/~ann/", "https://example.org/%7Eann/a", True),
        ("prefix", "https://example.org/", "http://www.example.org/a?b=c", True),
        ("prefix", "https://example.org/docs/", "https://example.org.evil.test/docs/a", False),
        ("host", "https://example.org/docs/", "https://example.org/other", True),
        ("host", "https://www.example.org/", "http://example.org/a", True),
        ("host", "https://example.org/", "https://shop.example.org/", False),
        ("host", "http://example.org:8080/", "http://example.org/", False),
        ("domain", "https://www.example.co.uk/", "https://shop.example.co.uk:8443/", True),
        ("domain", "https://example.co.uk/", "https://other.co.uk/", False),
        ("domain", "https://alice.github.io/", "https://bob.github.io/", False),
        ("domain", "http://127.0.0.1/", "http://127.0.0.2/", False),
    ],
)
def test_a_url_is_in_scope_of_its_seed_or_not(at, kind: str, seed: str, url: str, inside: bool):
    assert scope_of(Scope(kind), [at(seed)]).contains(at(url)) is inside


def test_any_seed_brings_a_url_into_scope(at):
    scope = scope_of(Scope.PREFIX, [at("https://example.org/a/"), at("https://example.net/b/c/")])
    assert scope.contains(at("https://example.net/b/c/d"))
    assert not scope.contains(at("https://example.net/b/d"))


@given(path=st.lists(SEGMENT, max_size=5), more=st.lists(SEGMENT, max_size=5))
def test_scopes_lie_in_each_other(at, path: list[str], more: list[str]):
    """What is below the prefix is on the host, and what is on the host is in the domain."""
    seed = at("https://www.example.org/" + "/".join(path))
    url = at("https://example.org/" + "/".join([*path, *more]))
    inside = [scope_of(kind, [seed]).contains(url) for kind in (Scope.PREFIX, Scope.HOST, Scope.DOMAIN)]
    assert inside == sorted(inside)


@given(path=st.lists(SEGMENT, max_size=5))
def test_every_seed_is_in_its_own_scope(at, path: list[str]):
    seed = at("https://example.org/" + "/".join(path))
    assert all(scope_of(kind, [seed]).contains(seed) for kind in (Scope.PREFIX, Scope.HOST, Scope.DOMAIN))
