"""R088: of claims that people labelled against pages (WiCE) and passages (BEGIN), those without support are warned of.

Floors are below what was measured, since the data has claims in which nothing is wrong word by word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from workers.judge.lexical.warnings import warnings_of

Case = tuple[str, str, str, bool]
"""Claim, quote, passage, and whether people found the claim supported."""


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def wice(folder: Path) -> list[Case]:
    """Quotes are what people picked to judge by, in their page."""
    found = []
    for row in lines(folder / "wice" / "claims.jsonl"):
        if row["supporting_sentences"]:
            quote = " ".join(row["evidence"][index] for index in row["supporting_sentences"][0])
            found.append((row["claim"], quote, " ".join(row["evidence"]), row["label"] == "supported"))
    return found


def begin(folder: Path) -> list[Case]:
    rows = [
        row for name in ("wow-dev", "wow-test", "tc-dev", "cmu-dev") for row in lines(folder / f"begin/{name}.jsonl")
    ]
    return [
        (row["response"], row["knowledge"], row["knowledge"], row["label"].startswith("Fully"))
        for row in rows
        if not row["label"].startswith("Generic")
    ]


def measured(cases: Iterable[Case]) -> tuple[float, float, float]:
    """Of warned claims the share that is not supported; of these the share that is warned of; silence on the others."""
    counts = {(warned, good): 0 for warned in (True, False) for good in (True, False)}
    for claim, quote, passage, good in cases:
        counts[bool(warnings_of(claim, quote, passage)), good] += 1
    hit, false, missed, quiet = (counts[key] for key in ((True, False), (True, True), (False, False), (False, True)))
    return hit / (hit + false), hit / (hit + missed), quiet / (quiet + false)


@pytest.mark.parametrize(
    ("suite", "floors"),
    [(wice, (0.80, 0.65, 0.65)), (begin, (0.93, 0.33, 0.93))],
    ids=["wice", "begin"],
)
def test_warnings_fall_where_support_fails(conformance_data: Path, suite: Any, floors: tuple[float, ...]) -> None:
    found = measured(suite(conformance_data / "claims"))
    assert all(value >= floor for value, floor in zip(found, floors, strict=True)), found
