"""One measured number, and the file that holds them all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

BELOW: Final = "BELOW FLOOR"


@dataclass(frozen=True, slots=True)
class Result:
    """`floor` and `goal` are of the ratio where there is a peer, else of the value. A ratio above 1: we are better."""

    name: str
    value: float
    unit: str
    peer: str | None
    peer_value: float | None
    ratio: float | None
    lower_is_better: bool
    floor: float | None
    goal: float | None

    @property
    def holds(self) -> bool:
        """Whether the floor is reached; without a floor there is nothing to hold."""
        return self.floor is None or self._reaches(self.floor)

    @property
    def standing(self) -> str:
        """What a person looks for in the table; empty where the row has neither floor nor goal."""
        if not self.holds:
            return BELOW
        if self.goal is not None and self._reaches(self.goal):
            return "above goal"
        return "" if self.floor is None else "above floor"

    def _reaches(self, limit: float) -> bool:
        measured = self.value if self.ratio is None else self.ratio
        return measured <= limit if self.ratio is None and self.lower_is_better else measured >= limit


def write(results: Iterable[Result], file: Path) -> None:
    """A list of objects, as `make bench` promises it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n", encoding="utf-8")


def table(results: Iterable[Result]) -> str:
    """For a person."""
    rows: list[tuple[str, ...]] = [("measured", "ours", "peer", "ratio", "floor", "goal", "")]
    for result in results:
        peer = "-" if result.peer_value is None else f"{_shown(result.peer_value)} ({result.peer})"
        ratio = "-" if result.ratio is None else f"{result.ratio:.2f}x"
        unit = "" if result.ratio is None else "x"
        limits = ["-" if limit is None else f"{limit:g}{unit}" for limit in (result.floor, result.goal)]
        rows.append(
            (
                result.name,
                f"{_shown(result.value)} {result.unit}",
                peer,
                ratio,
                *limits,
                result.standing,
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def summary(results: Sequence[Result]) -> str:
    """One line under the table."""
    standings = Counter(result.standing for result in results if result.standing)
    return f"{len(results)} rows: " + ", ".join(
        f"{standings[name]} {name}" for name in ("above goal", "above floor", BELOW)
    )


def _shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
