"""Which resource a requested URL is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.urls.conservative import read_normalized
from schemas.urls.error import UrlError
from schemas.urls.request import MAX_RECORDED_CHARS, identity_of_request
from schemas.urls.wire import wire_url


@pytest.mark.parametrize(
    ("requested", "resource"),
    [
        ("https://a.test/", "https://a.test/"),
        ("https://A.test/ü x", "https://a.test/%C3%BC%20x"),
        ("https://a.test/%C3%BC%20x", "https://a.test/%C3%BC%20x"),
        ("https://a.test/?utm_source=ü&q=%zz", "https://a.test/?q=%zz"),
    ],
)
def test_spellings_of_one_request_are_one_resource(requested: str, resource: str):
    found = identity_of_request(requested)
    assert not isinstance(found, UrlError)
    assert found.url == resource


def test_what_is_set_apart_is_still_told():
    found = identity_of_request("https://me:pw@a.test/ü#part ü")
    assert not isinstance(found, UrlError)
    assert (found.url, found.fragment, found.userinfo_removed) == ("https://a.test/%C3%BC", "part ü", True)


def test_a_url_that_no_record_can_hold_is_refused():
    found = identity_of_request("https://a.test/" + "ü" * (MAX_RECORDED_CHARS // 6))
    assert isinstance(found, UrlError)
    assert found.code == "url.too-long"


def test_nonsense_is_refused():
    assert isinstance(identity_of_request("mailto:x"), UrlError)


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
def test_raw_and_wire_spellings_are_one_resource(raw: str, resource: str) -> None:
    found = identity_of_request(raw)
    assert not isinstance(found, UrlError)
    assert found.url == resource


@given(st.text(max_size=40).map(lambda tail: "http://h.example/" + tail) | st.text(max_size=60))
def test_the_raw_string_its_request_and_the_identity_itself_have_one_identity(raw: str) -> None:
    found = identity_of_request(raw)
    if isinstance(found, UrlError):
        return
    for spelling in (wire_url(raw), found.url):
        assert isinstance(spelling, str)
        again = identity_of_request(spelling)
        assert not isinstance(again, UrlError)
        assert again.url == found.url
    assert read_normalized(found.url) == found.url
