"""Lists of tracking parameters by others, as sources of names: only what our policies name goes (R024, R027)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import JsonValue

from schemas.urls.citation import citation_url
from schemas.urls.conservative import Normalized, normalize

IDENTITY_DROPS = re.compile(r"utm_.*|gclid|fbclid|mc_cid|mc_eid")
CITATION_DROPS = re.compile(r"utm_.*|gclid|fbclid|mc_cid|mc_eid|ref|source")
_FIELDS = ("params", "rules", "rawRules", "referralMarketing", "param")
_NAME = re.compile(r"[^&=#?\s]+")


def _names(value: JsonValue, field: str = "") -> Iterator[str]:
    """Parameter names (or the regular expressions that stand for them) anywhere in a rule list."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _names(entry, key)
    elif isinstance(value, list):
        for entry in value:
            yield from _names(entry, field)
    elif isinstance(value, str) and field in _FIELDS:
        yield from _NAME.findall(value)


@pytest.fixture(scope="module")
def names(urls_data: Path) -> list[str]:
    """All names of the four lists, with ours, in the spellings in which they occur."""
    found: dict[str, None] = dict.fromkeys(
        ("utm_source", "UTM_ID", "utm_", "gclid", "GCLID", "fbclid", "mc_cid", "mc_eid", "ref", "source", "Ref")
    )
    paths = sorted((urls_data / "tracking-params").glob("*.json"))
    assert len(paths) >= 4
    for path in paths:
        found |= dict.fromkeys(_names(json.loads(path.read_text(encoding="utf-8"))))
    assert len(found) > 200
    return list(found)


def test_only_names_of_the_policy_leave_an_identity(names: list[str]) -> None:
    for name in names:
        result = normalize(f"https://h/p?id=1&{name}=x&z=%FF")
        assert isinstance(result, Normalized)
        dropped = IDENTITY_DROPS.fullmatch(name.lower()) is not None
        assert result.url == ("https://h/p?id=1&z=%FF" if dropped else f"https://h/p?id=1&{name}=x&z=%FF")


def test_only_names_of_the_policy_leave_a_citation(names: list[str]) -> None:
    for name in names:
        result = normalize(f"https://h/p?id=1&{name}=x&z=%FF")
        assert isinstance(result, Normalized)
        dropped = CITATION_DROPS.fullmatch(name.lower()) is not None
        expected = "https://h/p?id=1&z=%FF" if dropped else f"https://h/p?id=1&{name}=x&z=%FF"
        assert citation_url(result.url, result.fragment).value == expected


def test_a_redirect_wrapper_is_another_resource_than_its_target() -> None:
    wrapper = "https://www.google.com/url?q=https://example.org/&sa=D"
    result = normalize(wrapper)
    assert isinstance(result, Normalized)
    assert result.url == wrapper
