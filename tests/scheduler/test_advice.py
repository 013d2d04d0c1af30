"""What is said to a person about a URL that ended without a response."""

from __future__ import annotations

import re

import pytest

from scheduler.advice import NEXT_STEPS, next_step
from scheduler.cli.archive import archive
from schemas.records.outcome import WITH_RESPONSE, Outcome
from workers.config import VARIABLES


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_without_a_response_says_what_to_do_next_and_no_other_does(outcome):
    assert bool(next_step(outcome)) == (outcome not in WITH_RESPONSE)


def test_every_option_and_variable_that_is_named_exists():
    """Advice that cannot be followed is worse than none."""
    told = " ".join(NEXT_STEPS.values())
    options = {option for parameter in archive.params for option in parameter.opts}
    assert set(re.findall(r"--[a-z-]+", told)) <= options
    assert set(re.findall(r"CITEVAULT_[A-Z_]+", told)) <= {variable.name for variable in VARIABLES}
    assert "--allow-network" in told
