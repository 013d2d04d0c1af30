"""Which resource a requested URL is."""

from __future__ import annotations

import pytest

from schemas.urls.error import UrlError
from workers.catalog.identity import MAX_RECORDED_CHARS, identity_of_request


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
