"""Blows come from the seed, often enough, and spare nobody."""

from __future__ import annotations

from itertools import islice

from deploy.chaos.plan import DECK, EARLIEST_FLUSH, LATEST_FLUSH, Target, blows, flush_at


def test_a_seed_gives_the_same_blows_again() -> None:
    assert list(islice(blows(3), 40)) == list(islice(blows(3), 40))
    assert list(islice(blows(3), 40)) != list(islice(blows(4), 40))
    assert flush_at(3) == flush_at(3)


def test_every_part_is_hit_in_each_round_and_no_pause_reaches_five_seconds() -> None:
    dealt = list(islice(blows(1), 10 * len(DECK)))
    for start in range(0, len(dealt), len(DECK)):
        assert {blow.target for blow in dealt[start : start + len(DECK)]} == set(Target)
    assert max(blow.pause_seconds for blow in dealt) < 5


def test_redis_is_emptied_in_the_middle_of_the_job() -> None:
    assert all(EARLIEST_FLUSH <= flush_at(seed) <= LATEST_FLUSH for seed in range(50))
