"""When the end of a batch is in sight."""

from __future__ import annotations

from workers.flows.capture.fetching import Fetching


def after(pages: int, visited: int) -> bool:
    fetching = Fetching()
    fetching.begin(pages)
    for _ in range(visited):
        fetching.visited()
    return fetching.nearly_over.is_set()


def test_with_an_eighth_left_the_end_of_a_batch_is_in_sight():
    assert not after(1000, 874)
    assert after(1000, 875)
    assert after(8, 7)


def test_the_end_of_a_small_batch_is_in_sight_only_when_it_is_there():
    assert not after(7, 7)
    fetching = Fetching()
    fetching.begin(0)
    fetching.end()
    assert fetching.nearly_over.is_set()
    assert fetching.over.is_set()
