"""Redirects: what leads on, where to, and with which bytes."""

from __future__ import annotations

import pytest

from workers.capture.redirects import LeadsNowhere, Redirect, may_follow, next_hop

URL = "https://example.com/a/b?q=1"


@pytest.mark.parametrize(
    ("location", "target"),
    [
        (b"https://other.example/x", "https://other.example/x"),
        (b"/x?y=%7E|", "https://example.com/x?y=%7E|"),
        (b"c", "https://example.com/a/c"),
        (b"../c", "https://example.com/c"),
        (b"?z", "https://example.com/a/b?z"),
        (b"//other.example/x", "https://other.example/x"),
        (b"http://EXAMPLE.com", "http://example.com/"),
        (b"/x?", "https://example.com/x?"),
        (b"/caf\xc3\xa9", "https://example.com/caf%C3%A9"),
        (b"/caf\xe9", "https://example.com/caf%E9"),
        (b"/a b", "https://example.com/a%20b"),
        (b"https://user:secret@other.example/x", "https://other.example/x"),
        (b"  /x  ", "https://example.com/x"),
    ],
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_leads_where_its_location_says(status, location, target, answered):
    exchange = answered(status, [(b"location", location)], url=URL)
    assert next_hop(URL, exchange) == Redirect(target)


@pytest.mark.parametrize("status", [200, 201, 300, 304, 305, 404, 503, None])
def test_another_status_with_a_location_is_no_redirect(status, answered):
    assert next_hop(URL, answered(status, [(b"Location", b"/x")], url=URL)) is None


def test_a_redirect_without_a_location_is_an_answer(answered):
    assert next_hop(URL, answered(302, [], url=URL)) is None
    assert next_hop(URL, answered(302, [(b"Location", b"")], url=URL)) is None


def test_the_fragment_is_inherited_unless_the_location_has_its_own(answered):
    """RFC 9110, 10.2.2."""
    assert next_hop(URL + "#top", answered(301, [(b"Location", b"/x")], url=URL)) == Redirect(
        "https://example.com/x#top"
    )
    assert next_hop(URL + "#top", answered(301, [(b"Location", b"/x#y")], url=URL)) == Redirect(
        "https://example.com/x#y"
    )
    assert next_hop(URL + "#top", answered(301, [(b"Location", b"/x#")], url=URL)) == Redirect("https://example.com/x#")


def test_of_two_locations_the_first_counts(answered):
    exchange = answered(301, [(b"Location", b"/x"), (b"Location", b"/y")], url=URL)
    assert next_hop(URL, exchange) == Redirect("https://example.com/x")


@pytest.mark.parametrize(
    "location",
    [b"http://", b"mailto:a@b", b"javascript:alert(1)", b"file:///etc/passwd", b"http://h:99999/", b"http://a b/"],
)
def test_a_location_that_cannot_be_fetched_leads_nowhere_and_says_why(location, answered):
    hop = next_hop(URL, answered(301, [(b"Location", location)], url=URL))
    assert isinstance(hop, LeadsNowhere)
    assert "Location" in hop.reason


@pytest.mark.parametrize(
    "location", [b"/" + b"a b" * 20_000, b"/?" + b"\\" * 60_000, b"/x#" + b"y" * 65_530, b"/" + b"\xff" * 60_000]
)
def test_a_location_that_no_record_can_hold_leads_nowhere(location, answered):
    """The receipt has a limit for URLs: a server must not be able to bring a batch down with a longer one."""
    hop = next_hop(URL, answered(301, [(b"Location", location)], url=URL))
    assert isinstance(hop, LeadsNowhere)
    assert "characters" in hop.reason


def test_a_fragment_that_is_inherited_counts_too(answered):
    hop = next_hop(URL + "#" + "y" * 65_000, answered(301, [(b"Location", b"/" + b"x" * 1000)], url=URL))
    assert isinstance(hop, LeadsNowhere)
    assert "fragment" in hop.reason


def test_twenty_redirects_are_followed_and_not_one_more():
    assert may_follow(19)
    assert not may_follow(20)
    assert not may_follow(0, limit=0)
