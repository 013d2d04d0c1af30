"""`python -m deploy.bench`: what it takes, and how it ends."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.bench import __main__ as command
from deploy.bench.capture.measure import Wanted
from deploy.bench.capture.origin import MissingProgramError
from deploy.bench.result import Result

SLOW = Result("slow", 1.0, "pages/s", None, None, None, False, 2.0, 3.0)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Wanted]:
    """What the capture benchmark was asked for; it answers with one row below its floor."""
    seen: list[Wanted] = []

    def measure(wanted: Wanted) -> list[Result]:
        seen.append(wanted)
        return [SLOW]

    monkeypatch.setattr(command, "measure_capture", measure)
    return seen


def test_quick_is_one_run_of_ours_alone(asked: list[Wanted], tmp_path: Path) -> None:
    assert command.main(["capture", "--quick", "--set", "batch_urls=500", "-o", str(tmp_path / "r.json")]) == 1
    (wanted,) = asked
    assert (wanted.groups, wanted.peers, wanted.runs, wanted.settings) == (("speed",), (), 1, {"batch_urls": "500"})
    assert [row["name"] for row in json.loads((tmp_path / "r.json").read_bytes())] == ["slow"]


def test_the_table_says_where_each_row_stands_and_a_floor_that_does_not_hold_is_exit_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [SLOW, replace(SLOW, name="good", value=2.0), replace(SLOW, name="best", value=3.0)]
    monkeypatch.setattr(command.gate, "measure", lambda: [*given, replace(SLOW, name="told", floor=None, goal=None)])
    assert command.main(["gate", "-o", str(tmp_path / "r.json")]) == 1
    said = capsys.readouterr()
    rows = {line.split(" ")[0]: line for line in said.out.splitlines()}
    ends = {"slow": "BELOW FLOOR", "good": "above floor", "best": "above goal", "told": "-"}
    assert all(rows[name].endswith(end) for name, end in ends.items()), said.out
    assert rows["4"] == "4 rows: 1 above goal, 1 above floor, 1 BELOW FLOOR"
    assert "[1/1] gate: 0 s" in said.err


@pytest.mark.parametrize("wrong", [["--rows", "warp"], ["--peers", "curl"], ["dinner"]])
def test_an_unknown_name_is_a_usage_error(wrong: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        command.main(wrong)


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (AssertionError("lost a page"), 1),
        (MissingProgramError("nginx"), 3),
        (ZeroDivisionError("oh"), 3),
        (KeyboardInterrupt("^C"), 130),
    ],
)
def test_what_fails_is_told_and_costs_only_its_own_rows(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    raised: BaseException,
    code: int,
) -> None:
    def fails(wanted: Wanted) -> list[Result]:
        if wanted.groups == ("interactive",):
            raise raised
        return [replace(SLOW, name="+".join(wanted.groups), floor=None)]

    monkeypatch.setattr(command, "measure_capture", fails)
    assert command.main(["capture", "-o", str(tmp_path / "r.json")]) == code
    rows = [row["name"] for row in json.loads((tmp_path / "r.json").read_bytes())]
    later = [] if code == 130 else ["big-body", "matched", "latency"]
    assert rows == ["speed+memory", *later]
    assert ("stopped" if code == 130 else str(raised)) in capsys.readouterr().err
