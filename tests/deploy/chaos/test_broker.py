"""A small edition of the drill: Celery loses messages when its broker is killed, the ledger loses none."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from deploy.chaos import report
from deploy.chaos.broker import drill

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kills process groups"),
]


def test_no_task_is_lost_through_kills_of_the_broker() -> None:
    with tempfile.TemporaryDirectory(prefix="cv-broker-", ignore_cleanup_errors=True) as folder:
        drilled = drill(Path(folder) / "run", lambda _line: None, tasks=400, kills=4)
    assert drilled.lost == 0, report.of_drill(drilled)
    assert drilled.kills == 4
