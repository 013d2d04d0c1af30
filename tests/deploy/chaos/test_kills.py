"""A short seed of `make chaos`: while 300 URLs are captured, parts are killed again and again, and Redis is emptied."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from deploy.chaos import report
from deploy.chaos.kills import Given, run
from deploy.chaos.plan import Target

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes through /proc"),
]


def test_nothing_is_lost_doubled_or_damaged_whatever_is_killed() -> None:
    with tempfile.TemporaryDirectory(prefix="cv-chaos-", ignore_cleanup_errors=True) as folder:
        result = run(Given(seed=27, urls=300, hosts=50, answer_seconds=0.8), Path(folder) / "run", lambda _line: None)
    assert result.findings == [], report.of_kills(result)
    assert result.longest_pause < 5.0, "a blow at least every five seconds"
    assert [each.target for each in result.dealt if each.pid is None] == ["redis is emptied"]
    assert {each.target for each in result.dealt} >= {
        "stalled child of worker-capture",
        Target.CAPTURE_CHILD.value,
        Target.REDIS.value,
    }
    assert result.revisits, "there were revisits that could have dangled"
