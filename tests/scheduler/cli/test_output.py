"""How values that others wrote are shown in cells and lines."""

from __future__ import annotations

import pytest

from scheduler.cli.output import shown


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("The gates\nclosed.\r\nAll\tof them\u2028shut.", "The gates closed. All of them shut."),
        ("3,2\N{NO-BREAK SPACE}m", "3,2 m"),
        ("red\x1b[31m\x1f\x00", "red\ufffd[31m\ufffd\ufffd"),
    ],
    ids=["line ends", "blanks", "controls"],
)
def test_a_quote_of_several_lines_is_one_line_and_only_what_cannot_be_shown_is_replaced(value: str, seen: str) -> None:
    assert shown(value) == seen
