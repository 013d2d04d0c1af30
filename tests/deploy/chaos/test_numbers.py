"""Citation numbers through kills: a small edition of the run, and the judge that looks at its record."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from deploy.chaos.numbers import Call, faults_of, read_calls, run, told


def call(page: int, asked: float, answered: float | None = None, number: int | None = None) -> Call:
    return Call(page, asked, answered, number)


def test_a_record_that_calls_in_turn_could_have_left_is_whole() -> None:
    record = [call(7, 0, 5, 1), call(8, 1, 2, 2), call(8, 6, 7, 2), call(9, 3)]
    assert faults_of(record, {7: 1, 8: 2}) == []
    assert faults_of(record, {7: 1, 8: 2, 9: 3}) == [], "a call that was cut off may have had its effect"


@pytest.mark.parametrize(
    ("record", "log"),
    [
        ([call(7, 0, 1, 1), call(7, 2, 3, 2)], {7: 1}),
        ([call(7, 0, 1, 1)], {7: 2}),
        ([call(7, 0, 1, 1), call(8, 0, 1, 1)], {7: 1, 8: 1}),
        ([call(7, 0, 1, 1)], {7: 1, 8: 3}),
        ([call(7, 5, 6, 1), call(8, 0, 1, 2)], {7: 1, 8: 2}),
        ([call(7, 0, 1, 1)], {}),
    ],
    ids=["two numbers", "another", "one for two", "a gap", "known before the lower was asked for", "lost"],
)
def test_any_other_record_is_not(record: list[Call], log: dict[int, int]) -> None:
    assert faults_of(record, log)


def test_a_record_that_a_kill_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    file = tmp_path / "calls-0.jsonl"
    file.write_bytes(
        b'["a", 7, 1.0, null]\n["b", 8, 3.0, null]\n["a", 7, 2.0, 1]\n["b", 8, 4.\n'
        b'["c", 8, 5.0, null]\n["c", 8, 6.0, 2]\n'
    )
    assert read_calls(file) == [call(7, 1, 2, 1), call(8, 5, 6, 2), call(8, 3)]


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="times of one clock over processes")
def test_numbers_are_given_once_whoever_is_killed_and_whatever_redis_forgets() -> None:
    """R038, R039, X6; and a lost Redis costs nothing."""
    with tempfile.TemporaryDirectory(prefix="cv-numbers-", ignore_cleanup_errors=True) as folder:
        numbered = run(Path(folder) / "run", lambda _line: None, calls=1_200, processes=4, pages=120)
    assert numbered.whole, told(numbered)
    assert numbered.kills > 0
    assert numbered.flushes == 1
