"""Where each code point of a normalised text came from.

A map is a sorted sequence of runs `(out_start, in_start, length)`: output `[out_start, +length)` came
from input `[in_start, +length)`, one for one by position. What lies between two runs is a gap on
both sides: the input there was deleted, or rewritten as a whole to the output there. Runs are
maximal (no two touch on both sides), so that a map has one form.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Run(NamedTuple):
    """One stretch that was carried over code point by code point."""

    out_start: int
    in_start: int
    length: int

    @property
    def out_end(self) -> int:
        return self.out_start + self.length

    @property
    def in_end(self) -> int:
        return self.in_start + self.length


class OffsetMapError(ValueError):
    """A serialised map that is none. The message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Runs with the lengths of both texts, in code points."""

    in_length: int
    out_length: int
    runs: tuple[Run, ...]

    def to_input(self, out_offset: int) -> int:
        """Input position of an output position in `[0, out_length]`.

        Within a gap it is the gap's start; the end of the output is the end of the input. Raises
        ValueError outside the text.
        """
        if not 0 <= out_offset <= self.out_length:
            raise ValueError(f"no position {out_offset} in a text of {self.out_length} code points")
        if out_offset == self.out_length:
            return self.in_length
        run = self._run_before(out_offset)
        if run is None:
            return 0
        return run.in_start + min(out_offset - run.out_start, run.length)

    def span_to_input(self, start: int, end: int) -> tuple[int, int]:
        """The smallest input span that the output span `[start, end)` came from.

        What was deleted at its edges is left out, what was rewritten is taken whole.
        """
        if not 0 <= start <= end <= self.out_length:
            raise ValueError(f"no span {start}..{end} in a text of {self.out_length} code points")
        first = self.to_input(start)
        if start == end:
            return first, first
        run = self._run_before(end - 1)
        if run is not None and end <= run.out_end:
            return first, run.in_start + (end - run.out_start)
        following = bisect_right(self.runs, end - 1, key=_out_start)
        return first, self.runs[following].in_start if following < len(self.runs) else self.in_length

    def to_json(self) -> str:
        """`{"in_length":…,"out_length":…,"runs":[[out_start,in_start,length],…]}` without blanks."""
        value = {"in_length": self.in_length, "out_length": self.out_length, "runs": self.runs}
        return json.dumps(value, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> OffsetMap:
        """The inverse of `to_json`. Raises OffsetMapError for anything but a well-formed map."""
        try:
            value = json.loads(text)
            lengths = value["in_length"], value["out_length"]
            triples = [(a, b, c) for a, b, c in value["runs"]]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise OffsetMapError("an offset map is an object with in_length, out_length and runs of three") from error
        if any(type(item) is not int for item in (*lengths, *(i for triple in triples for i in triple))):
            raise OffsetMapError("an offset map holds integers")
        out = cls(*lengths, tuple(Run(*triple) for triple in triples))
        out._check()
        return out

    def _run_before(self, out_offset: int) -> Run | None:
        """The last run that starts at or before a position."""
        index = bisect_right(self.runs, out_offset, key=_out_start)
        return self.runs[index - 1] if index else None

    def _check(self) -> None:
        out_end = in_end = 0
        for number, run in enumerate(self.runs):
            if run.length < 1 or run.out_start < out_end or run.in_start < in_end:
                raise OffsetMapError(f"run {number} is empty, or overlaps the one before it")
            if number and run.out_start == out_end and run.in_start == in_end:
                raise OffsetMapError(f"run {number} continues the one before it")
            out_end, in_end = run.out_end, run.in_end
        if out_end > self.out_length or in_end > self.in_length:
            raise OffsetMapError("a run reaches beyond the end of a text")


class RunBuilder:
    """Writes the runs of one pass, left to right."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.out_length = 0

    def keep(self, in_start: int, length: int) -> None:
        """Carry `length` code points over, from `in_start` on."""
        if not length:
            return
        last = self.runs[-1] if self.runs else None
        if last is not None and last.in_end == in_start and last.out_end == self.out_length:
            self.runs[-1] = Run(last.out_start, last.in_start, last.length + length)
        else:
            self.runs.append(Run(self.out_length, in_start, length))
        self.out_length += length

    def write(self, length: int) -> None:
        """Put `length` code points that correspond to no single ones of the input."""
        self.out_length += length


def compose(outer: Iterable[Run], inner: Iterable[Run]) -> list[Run]:
    """Runs of two passes in a row: `inner` was applied first, its output is the input of `outer`."""
    out = RunBuilder()
    below = iter(inner)
    step = next(below, None)
    for run in outer:
        while step is not None and step.out_start < run.in_end:
            start, end = max(run.in_start, step.out_start), min(run.in_end, step.out_end)
            if start < end:
                out.out_length = run.out_start + (start - run.in_start)
                out.keep(step.in_start + (start - step.out_start), end - start)
            if step.out_end > run.in_end:
                break
            step = next(below, None)
    return out.runs


def _out_start(run: Run) -> int:
    return run.out_start
