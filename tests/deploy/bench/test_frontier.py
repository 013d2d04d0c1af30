"""The frontier's benchmark counts what it lost before it says how fast it was."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from deploy.bench.frontier import measure, scaling
from deploy.bench.frontier.urls import urls, write_list


def test_a_list_is_the_same_for_the_same_seed_and_looks_like_the_web():
    some = list(urls(2000))
    assert some == list(urls(2000))
    assert some != list(urls(2000, seed=2))
    assert 60 < sum(map(len, some)) / len(some) < 90
    assert 1 < len({url.split("/")[2] for url in some}) <= 80


def test_a_list_is_written_once(tmp_path: Path):
    file = tmp_path / "list.txt"
    write_list(file, 10)
    before = file.stat()
    write_list(file, 10)
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    assert len(file.read_text("utf-8").splitlines()) == 10


@pytest.mark.real
@pytest.mark.drill
def test_all_rows_are_measured_with_limits(tmp_path: Path):
    rows = measure.measure(tmp_path, lines=3000, leased_lines=2500, late_urls=400)
    limits = [(20_000, 100_000), (128, 64), (300, 120), (10_000, 50_000), (3.5, 3.9), (3.5, 3.9)]
    assert [(row.floor, row.goal) for row in rows] == limits
    assert all(row.value > 0 for row in rows if row.unit != "MiB")
    assert not (tmp_path / "frontier").exists()


def test_an_even_list_has_no_host_that_the_others_wait_for():
    hosts = Counter(url.split("/")[2] for url in scaling.even_urls(1000))
    assert set(hosts.values()) == {scaling.URLS_A_HOST}
    assert len(set(scaling.even_urls(1000))) == 1000
