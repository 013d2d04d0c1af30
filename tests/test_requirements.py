"""Every requirement is named by a test that asserts something: R001 to R126, and X1 to X34 where seeds disagree."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

REQUIREMENTS = [*(f"R{number:03d}" for number in range(1, 127)), *(f"X{number}" for number in range(1, 35))]
NAMED = re.compile(r"\b(?:R[0-9]{3}|X[0-9]{1,2})\b")
ASSERTING = ("assert", "raises", "match", "check")


@pytest.fixture(scope="module")
def holders(repository: Path) -> dict[str, set[str]]:
    """Requirement to the tests that name it, in their docstring, body, comments or table of cases."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in sorted((repository / "tests").rglob("test_*.py")):
        source = file.read_text(encoding="utf-8")
        if not NAMED.search(source):
            continue
        for name, text in _tests(ast.parse(source), source.splitlines()):
            for requirement in NAMED.findall(text):
                found[requirement].add(f"{file.name}::{name}")
    return found


def _tests(module: ast.Module, lines: list[str]) -> Iterator[tuple[str, str]]:
    """Functions that look at something, with their text, decorators, and the tables of the file that they name."""
    tables = {
        target.id: "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in module.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            text = "\n".join(lines[first - 1 : node.end_lineno])
            asserts = any(isinstance(inner, ast.Assert) for inner in ast.walk(node))
            if asserts or any(word in text for word in ASSERTING):
                named = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
                yield node.name, "\n".join([text, *(tables[name] for name in sorted(named & set(tables)))])


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_each_requirement_is_named_by_a_test_that_asserts(requirement: str, holders: dict[str, set[str]]) -> None:
    assert holders[requirement], f"no test names {requirement}; name it in the test that holds it"


def test_no_test_names_a_requirement_that_is_none(holders: dict[str, set[str]]) -> None:
    assert {name: holders[name] for name in set(holders) - set(REQUIREMENTS)} == {}
