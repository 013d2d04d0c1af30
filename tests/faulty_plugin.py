"""A TCP proxy in front of a real store that fails as it is told (`deploy/chaos/proxy.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from deploy.chaos.proxy import FaultyProxy


@pytest.fixture
def faulty_proxy() -> Iterator[Callable[[str], FaultyProxy]]:
    """Puts a proxy in front of an HTTP address."""
    made: list[FaultyProxy] = []

    def before(upstream: str) -> FaultyProxy:
        made.append(FaultyProxy(upstream))
        return made[-1]

    yield before
    for proxy in made:
        proxy.close()
