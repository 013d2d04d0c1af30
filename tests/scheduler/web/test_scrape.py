"""Metrics of all processes, read from the files that they share."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families

from scheduler.web.scrape import exposition, last_work_seconds
from workers.errors import RetryableError

WORK = """
from workers import metrics
metrics.URLS.labels("captured").inc(3)
metrics.LAST_WORK.labels("capture").set(1800000000)
"""


@pytest.fixture
def folder(tmp_path, repository):
    """Files of two processes that have ended."""
    for _ in range(2):
        environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "PYTHONPATH": str(repository)}
        subprocess.run([sys.executable, "-c", WORK], check=True, env=environment, timeout=60)
    return tmp_path


def test_counts_of_all_processes_are_added_up_and_the_last_work_is_the_newest(folder):
    families = {family.name: family for family in text_string_to_metric_families(exposition(folder).decode())}
    assert [sample.value for sample in families["citevault_urls"].samples] == [6.0]
    assert last_work_seconds(folder) == 1_800_000_000


def test_a_torn_file_fails_the_scrape_in_words(folder):
    (torn,) = list(folder.glob("counter_*.db"))[:1]
    torn.write_bytes(torn.read_bytes()[:30])
    with pytest.raises(RetryableError, match="metrics cannot be read"):
        exposition(folder)
    assert last_work_seconds(folder) == 0.0


def test_without_files_there_is_nothing_to_tell(tmp_path):
    assert exposition(tmp_path / "none") == b""
    assert last_work_seconds(tmp_path / "none") == 0.0
    assert exposition(tmp_path) == b""
