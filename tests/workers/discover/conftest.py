"""URLs as the deciders see them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schemas.urls.location import HttpLocation, read_http_url


def read(url: str) -> HttpLocation:
    location = read_http_url(url)
    assert isinstance(location, HttpLocation), url
    return location


@pytest.fixture(scope="session")
def at() -> Callable[[str], HttpLocation]:
    """The parts of a URL that is one."""
    return read
