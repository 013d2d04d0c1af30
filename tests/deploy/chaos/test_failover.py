"""A small failover: the primary dies, and a replica that lags takes its place under a job that is being captured."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from deploy.chaos import report
from deploy.chaos.failover import run
from deploy.chaos.given import Given


@pytest.mark.real
@pytest.mark.drill
@pytest.mark.timeout(600)
def test_a_failover_is_noticed_without_anybody_telling_and_costs_nothing() -> None:
    with tempfile.TemporaryDirectory(prefix="cv-failover-", ignore_cleanup_errors=True) as folder:
        result = run(Given(urls=200, hosts=20), Path(folder) / "run", lambda _line: None)
    assert result.findings == [], report.of_failover(result)
    assert result.forgotten, "the replica lacked something"
    assert result.noticed_seconds is not None
    assert result.noticed_seconds < 30
