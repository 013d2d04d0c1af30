from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.urls.conservative import read_normalized
from schemas.urls.error import UrlError
from schemas.urls.wire import wire_url
from workers.catalog.identity import identity_of_request
from workers.cite.resource import resource_of


@pytest.mark.parametrize(
    ("raw", "resource"),
    [
        ("https://a.example/café?q=ü#part", "https://a.example/caf%C3%A9?q=%C3%BC"),
        ("https://a.example/caf%C3%A9?q=%C3%BC", "https://a.example/caf%C3%A9?q=%C3%BC"),
        ("https://a.example/a b", "https://a.example/a%20b"),
        ("HTTPS://user:pass@A.example:443?utm_source=x&page=2", "https://a.example/?page=2"),
        ("https://a.example/?ключ=1&gclid=2", "https://a.example/?%D0%BA%D0%BB%D1%8E%D1%87=1"),
    ],
)
def test_raw_and_wire_spellings_are_one_resource(raw: str, resource: str):
    assert resource_of(raw) == resource


@pytest.mark.parametrize("raw", ["", "mailto:a@b.example", "no url", "https://a.example:99999/"])
def test_what_no_request_can_be_made_for_is_an_error(raw: str):
    assert isinstance(resource_of(raw), UrlError)


@given(st.text(max_size=40).map(lambda tail: "http://h.example/" + tail) | st.text(max_size=60))
def test_the_identity_is_that_of_the_request(raw: str):
    """The raw string, its request and the identity itself all have the one identity, and it is a normalized URL."""
    resource = resource_of(raw)
    if isinstance(resource, UrlError):
        return
    sent = wire_url(raw)
    assert isinstance(sent, str)
    assert resource_of(sent) == resource == resource_of(resource) == read_normalized(resource)


@given(st.text(max_size=40).map(lambda tail: "http://h.example/" + tail) | st.text(max_size=60))
def test_what_is_cited_has_the_identity_under_which_it_was_archived(raw: str):
    archived = identity_of_request(raw)
    if isinstance(archived, UrlError):
        assert isinstance(resource_of(raw), UrlError)
    else:
        assert resource_of(raw) == archived.url
