"""pywb replays our files by our index: whole, chunked, and both kinds of revisit."""

import time
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture
def pywb(zoo: Any, pywb_over: Any) -> Iterator[Any]:
    """A pywb that serves the zoo."""
    with pywb_over(zoo.segment.path.parent, zoo.segment.cdxj) as running:
        yield running


@pytest.mark.real
@pytest.mark.slow
def test_pywb_replays_what_was_captured(zoo: Any, pywb: Any) -> None:
    plain = zoo.exchanges["plain"]
    content = plain.response.content.read()
    cases = {
        "a plain 200": ("20261129120000", plain.url, content),
        "a chunked body, stripped": ("20261129120000", "http://example.org/c", content),
        "an identical-payload revisit": ("20261130120000", plain.url, content),
        "a server-not-modified revisit": ("20261201120000", plain.url, content),
        "a large body": ("20261129120000", "http://example.org/l.pdf", zoo.exchanges["large"].response.content.read()),
    }
    for name, (stamp, url, body) in cases.items():
        status, headers, received = pywb.replayed(stamp, url)
        assert (name, status) == (name, 200)
        assert received == body, name
        assert "20" + stamp[2:8] in time.strftime(
            "%Y%m%d", time.strptime(headers["memento-datetime"], "%a, %d %b %Y %H:%M:%S GMT")
        ), name


@pytest.mark.real
@pytest.mark.slow
def test_pywb_replays_a_redirect_without_a_reason_phrase(pywb: Any) -> None:
    """A status line that ends after the blank must not hang the client."""
    status, headers, _ = pywb.replayed("20261129120000", "https://www.Example.org/R")
    assert status == 302
    assert headers["location"].endswith("/plain")
