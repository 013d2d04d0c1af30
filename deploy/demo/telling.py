"""What the demo prints: steps with their time, the commands as they would be typed, and a summary."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Telling:
    """Prints to stdout as things happen."""

    started: float = field(default_factory=time.monotonic)
    _steps: int = 0

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.monotonic() - self.started

    def step(self, title: str) -> None:
        self._steps += 1
        self._print(f"\n[{self.seconds:5.1f} s] {self._steps}. {title}")

    def command(self, line: str) -> None:
        self._print(f"          $ {line}")

    def say(self, line: str) -> None:
        self._print(f"          {line}")

    def table(self, title: str, rows: Iterable[tuple[str, str]]) -> None:
        """A summary: a name and what there is to say of it, a line each."""
        found = list(rows)
        width = max(len(name) for name, _ in found)
        self._print(f"\n{title}")
        for name, value in found:
            first, *more = textwrap.wrap(value, 100, break_long_words=False, break_on_hyphens=False) or [""]
            self._print(f"  {name:<{width}}  {first}")
            for line in more:
                self._print(f"  {'':<{width}}  {line}")

    def commands(self, title: str, rows: Iterable[tuple[str, str]]) -> None:
        """What to type next: a reason and a command, never wrapped, so that it can be copied."""
        self._print(f"\n{title}")
        for reason, line in rows:
            self._print(f"  # {reason}")
            self._print(f"  {line}")

    def _print(self, line: str) -> None:
        encoding = sys.stdout.encoding or "utf-8"
        print(line.encode(encoding, "replace").decode(encoding), flush=True)
