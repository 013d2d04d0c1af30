"""What tells that Redis has forgotten, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.frontier.lineage import Sighting, forgotten


@pytest.mark.parametrize(
    ("seen", "remembered"),
    [
        (Sighting("", "", 7), 7),
        (Sighting("", "", 9), 7),
        (Sighting("a:10", "a:10", 7), 7),  # took over once, and the state was rebuilt since
        (Sighting("", "a:10", 7), 7),  # and started again after that
        (Sighting("a:10", None, 7), 0),  # nobody has noted anything yet
    ],
)
def test_a_redis_that_goes_on_where_it_was_has_forgotten_nothing(seen: Sighting, remembered: int) -> None:
    assert forgotten(seen, remembered) is None


@pytest.mark.parametrize("noted", ["", "b:3"])
def test_a_replica_that_took_over_may_have_forgotten_whatever_its_pulse(noted: str) -> None:
    assert "a replica took over" in str(forgotten(Sighting("a:10", noted, 9), 9))


@given(st.integers(0, 2**40), st.integers(0, 2**40), st.sampled_from(["", "a:1"]))
def test_a_pulse_below_one_that_was_seen_is_an_earlier_state(pulse: int, remembered: int, promotion: str) -> None:
    found = forgotten(Sighting(promotion, promotion, pulse), remembered)
    assert (found is not None) == (pulse < remembered)
