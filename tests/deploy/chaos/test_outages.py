"""A small `make chaos CHAOS=outages`: the store does not answer, and its name is not found, each for over a lease."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from deploy.chaos import report
from deploy.chaos.outages import Given, run


@pytest.mark.real
@pytest.mark.drill
@pytest.mark.timeout(600)
def test_a_store_that_is_away_for_leases_costs_time_and_nothing_else() -> None:
    wanted = Given(urls=300, hosts=30, away_seconds=9.0, modes=("stall", "no name"))
    with tempfile.TemporaryDirectory(prefix="cv-outages-", ignore_cleanup_errors=True) as folder:
        result = run(wanted, Path(folder) / "run", lambda _line: None)
    assert result.findings == [], report.of_outages(result)
    assert result.extras == 0
    assert result.outages
    assert all(each.told and not each.done_meanwhile for each in result.outages)
    assert max(each.resumed_seconds for each in result.outages) < 60


def test_an_hour_away_each_time_is_no_finding_of_its_own() -> None:
    assert Given(away_seconds=3600.0).longest_seconds > 5 * 3600
    assert Given().longest_seconds == 1500
