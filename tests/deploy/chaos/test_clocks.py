"""A small `make chaos CHAOS=clocks`: the clock of workers, scheduler and Valkey is set by an hour, both ways."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path

import pytest

from deploy.chaos import report
from deploy.chaos.clocks import JUMPS, Given, run


@pytest.mark.real
@pytest.mark.drill
@pytest.mark.timeout(600)
@pytest.mark.skipif(
    not sys.platform.startswith("linux") or importlib.util.find_spec("libfaketime") is None, reason="no libfaketime"
)
def test_nothing_is_lost_or_leased_twice_by_a_clock_that_is_set_and_its_fault_is_told() -> None:
    with tempfile.TemporaryDirectory(prefix="cv-clocks-", ignore_cleanup_errors=True) as folder:
        result = run(Given(urls=250, hosts=25, wrong_seconds=12.0), Path(folder) / "run", lambda _line: None)
    assert result.findings == [], report.of_clocks(result)
    assert result.extras == 0
    assert [jump.by_seconds for jump in result.jumps] == [by for _, by in JUMPS]
    assert all(jump.told for jump in result.jumps)
    assert max(jump.resumed_seconds for jump in result.jumps) < 60
    assert result.shifts == 2 * len(JUMPS), "set wrong and set right, each time"
