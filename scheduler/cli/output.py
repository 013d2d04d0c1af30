"""How answers are printed: for people as text or a table, for programs as one JSON document or as lines of it.

Answers go to stdout and nothing else does; progress and remarks go to stderr.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import click
from pydantic import BaseModel, JsonValue

F = TypeVar("F", bound=Callable[..., object])
_SEPARATORS = "\x1c\x1d\x1e\x1f"  # Python counts these control characters as blanks


def json_option(command: F) -> F:
    """`--json`: one document on stdout."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def lines_option(command: F) -> F:
    """`--json` and `--jsonl`."""
    command = click.option("--jsonl", "as_lines", is_flag=True, help="Print one JSON object a line.")(command)
    return json_option(command)


def print_json(value: JsonValue | BaseModel) -> None:
    """One document, indented, non-ASCII as it is."""
    plain = value.model_dump(mode="json", by_alias=True) if isinstance(value, BaseModel) else value
    sys.stdout.write(json.dumps(plain, ensure_ascii=False, indent=2) + "\n")


def print_lines(rows: Iterable[Mapping[str, JsonValue]]) -> None:
    """One object a line."""
    for row in rows:
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")


def print_rows(
    rows: Sequence[Mapping[str, JsonValue]],
    columns: Sequence[str],
    *,
    as_json: bool = False,
    as_lines: bool = False,
    nothing: str = "nothing",
) -> None:
    """A listing. Values that a page could have written are escaped: a title cannot move the cursor."""
    if as_lines:
        print_lines(rows)
    elif as_json:
        print_json([dict(row) for row in rows])
    elif not rows:
        sys.stderr.write(nothing + "\n")
    else:
        from rich.console import Console
        from rich.table import Table

        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in columns:
            table.add_column(column.replace("_", " "), overflow="fold")
        for row in rows:
            table.add_row(*(shown(row.get(column)) for column in columns))
        Console(width=None if sys.stdout.isatty() else 200, markup=False, highlight=False).print(table)


def shown(value: JsonValue) -> str:
    """A value in a cell or a line, in words and without control characters. Line ends and blanks of every kind are
    shown as a space, what cannot be shown as U+FFFD."""
    text = _worded(value)
    return "".join(letter if letter.isprintable() else _stand_in(letter) for letter in text.replace("\r\n", "\n"))


def _worded(value: JsonValue) -> str:
    """`{"captured": 3}` to `3 captured`, `["a", "b"]` to `a, b`, nothing at all to `-`: JSON is for programs."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_worded, value)) or "-"
    if isinstance(value, dict):
        return ", ".join(map(_entry, value.items())) or "-"
    return "-" if value is None else str(value)


def _entry(entry: tuple[str, JsonValue]) -> str:
    name, value = entry
    counted = isinstance(value, int) and not isinstance(value, bool)
    return f"{value} {name}" if counted else f"{name}: {_worded(value)}"


def _stand_in(letter: str) -> str:
    return " " if letter.isspace() and letter not in _SEPARATORS else "\N{REPLACEMENT CHARACTER}"


def say(remark: str) -> None:
    """A remark for a person, on stderr. What a page or a file could have written into it cannot move the cursor."""
    sys.stderr.writelines(shown(line) + "\n" for line in remark.split("\n"))
    sys.stderr.flush()
