"""An address as readers of JSON-LD and of feeds take it."""

from __future__ import annotations

import pytest

from schemas.urls.iri import iri_of


@pytest.mark.parametrize(
    ("url", "iri"),
    [
        ("https://a.example/b?c=%22&d=[1]#e", "https://a.example/b?c=%22&d=[1]#e"),
        ('http://a.example/x"onload="y?q=<b>', "http://a.example/x%22onload=%22y?q=%3Cb%3E"),
        ("http://a.example/a|b{c}^`\\", "http://a.example/a%7Cb%7Bc%7D%5E%60%5C"),
    ],
)
def test_what_no_iri_may_have_is_encoded_and_nothing_else(url: str, iri: str) -> None:
    assert iri_of(url) == iri
