"""R083: four readers that others wrote read the archive of a hostile server back, as the table says, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deploy.hostile.case import Case
from deploy.hostile.cases import CASES, GROUPS
from deploy.hostile.opinions import all_rows
from deploy.hostile.table import TABLE, Row, browser_answers, rows_in, table_lines
from deploy.hostile.unreadable import UNREADABLE


@pytest.fixture(scope="session")
def rows(visited: Any, peers: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Row, ...]]:
    """Every case, read back."""
    return all_rows(visited.run, visited.cases, visited.urls, peers, tmp_path_factory.mktemp("readers"))


def test_each_row_of_the_table_is_what_this_run_gives(rows: dict[str, tuple[Row, ...]]) -> None:
    """A row that differs is either a defect, or a reason to run `make hostile` and look at the change."""
    written = rows_in(TABLE.read_text(encoding="utf-8"))
    given = [line for line in table_lines(rows, browser_answers()) if line.startswith("| ")]
    assert [line for line in given if line not in written and not line.startswith("| case |")] == []


def test_the_answers_that_no_reader_can_parse_are_those_of_one_short_list(rows: dict[str, tuple[Row, ...]]) -> None:
    every = [row for members in rows.values() for row in members]
    assert {row.case.name for row in every if not row.readable} == set(UNREADABLE)
    listed = TABLE.read_text(encoding="utf-8").split("## ")[1].splitlines()
    assert [line for line in listed if line.startswith("- ")] == [
        f"- {case.name}: {UNREADABLE[case.name]}" for case in CASES if case.name in UNREADABLE
    ]


def test_the_table_has_a_row_for_each_case_and_says_what_a_browser_did(repository: Path) -> None:
    names = [line.split(" | ")[0].removeprefix("| ") for line in rows_in(TABLE.read_text(encoding="utf-8"))]
    own = [case.name for case in CASES]
    assert names[: len(own)] == own
    assert all(name.startswith("llhttp ") for name in names[len(own) :])
    assert len(names) - len(own) >= 35
    assert set(browser_answers()) == set(names)


def test_a_limit_cuts_each_endless_answer_and_every_group_of_the_table_has_cases() -> None:
    endless: list[Case] = [case for case in CASES if case.endless]
    assert {case.truncated for case in endless} == {"length", "time"}
    assert all(GROUPS.values())
