"""A small `make chaos CHAOS=full-disk`: the disk under the whole stack is filled twice."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from deploy.chaos import report
from deploy.chaos.full_disk import Given, run


@pytest.mark.real
@pytest.mark.drill
@pytest.mark.timeout(900)
@pytest.mark.skipif(os.getuid() != 0, reason="only root mounts a small file system")
def test_a_full_disk_costs_time_and_nothing_else() -> None:
    with tempfile.TemporaryDirectory(prefix="cv-disk-", ignore_cleanup_errors=True) as folder:
        result = run(Given(urls=200, hosts=20, full_seconds=15.0), Path(folder) / "run", lambda _line: None)
    assert result.findings == [], report.of_full_disk(result)
    assert result.extras == 0
    assert len(result.filled) == 2
