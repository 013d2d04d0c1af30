"""How values that others wrote are shown in cells and lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from scheduler.cli.output import print_rows, shown


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


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ({"captured": 3, "revisit": 1}, "3 captured, 1 revisit"),
        (["warned", "unjudged"], "warned, unjudged"),
        ({"why": ["late", {"tries": 2}], "again": True}, "why: late, 2 tries, again: yes"),
        ([], "-"),
        ({}, "-"),
        (None, "-"),
        (False, "no"),
        (0, "0"),
        (-1.5, "-1.5"),
        (["a\x1b[2J"], "a\ufffd[2J"),
    ],
)
def test_a_cell_for_people_holds_words(value: JsonValue, seen: str) -> None:
    assert shown(value) == seen


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["warned", "", "of one's own"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["captured", "why"]), inner),
    max_leaves=8,
)


@given(_values)
def test_no_value_of_a_record_is_shown_as_json(value: JsonValue) -> None:
    assert not set(shown(value)) & set('{}[]"')


def test_a_table_for_a_program_is_json_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[dict[str, JsonValue]] = [{"outcomes": {"captured": 3}, "reasons": ["warned"]}]
    print_rows(rows, ("outcomes", "reasons"), as_lines=True)
    print_rows(rows, ("outcomes", "reasons"))
    lines = capsys.readouterr().out.splitlines()
    assert json.loads(lines[0]) == rows[0]
    assert lines[-1].split() == ["3", "captured", "warned"]
