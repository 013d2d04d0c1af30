"""What is said to a person about a URL that ended without a response."""

from __future__ import annotations

import re

import pytest

from scheduler.advice import NEXT_STEPS, next_step
from scheduler.cli.archive import archive
from schemas.records.outcome import WITH_RESPONSE, Outcome
from workers.capture.guard import BLOCKED_PORTS, check_address, check_port, parse_networks
from workers.config import VARIABLES
from workers.frontier.control import TAKEN_UP


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


def test_what_the_guard_refused_for_want_of_a_contact_wants_one_and_no_network():
    refused, private = (check_address(address, public=False) for address in ("93.184.215.14", "10.0.0.1"))
    told = next_step(Outcome.GUARD_DENIED, refused.reason)
    assert "citevault down; export CITEVAULT_CONTACT=you@example.org; citevault up" in told
    assert "citevault retry JOB --outcome guard_denied" in told
    assert "--allow-network" not in told
    assert Outcome.GUARD_DENIED in TAKEN_UP
    assert "CITEVAULT_CONTACT" not in next_step(Outcome.GUARD_DENIED, private.reason)


@pytest.mark.parametrize(
    ("address", "opened"),
    [
        ("127.0.0.1", "127.0.0.0/8"),
        ("10.0.0.1", "10.0.0.0/8"),
        ("::1", "::1/128"),
        ("fd00::7", "fc00::/7"),
        ("::ffff:192.168.1.1", "192.168.0.0/16"),
        ("203.0.113.7", None),
    ],
)
def test_what_lies_on_a_network_of_ones_own_is_told_how_to_open_it(address, opened):
    told = next_step(Outcome.GUARD_DENIED, check_address(address).reason)
    if opened is None:
        assert told == NEXT_STEPS[Outcome.GUARD_DENIED]
    else:
        assert told.endswith(f"archive it with --allow-network {opened}")
        assert check_address(address, parse_networks([opened])) is None


def test_a_port_of_another_protocol_is_not_told_to_be_opened():
    told = {next_step(Outcome.GUARD_DENIED, check_port(port).reason) for port in BLOCKED_PORTS}
    assert told == {"nothing: the ports of other protocols stay refused, on networks of yours too"}
