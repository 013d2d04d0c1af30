"""Progress of long work in steps: a bar for a person, plain lines now and then for a log. All of it on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from scheduler.cli.output import say
from workers.flows.compact import Progress

TOLD_EACH_SECONDS = 10.0
MB = 1_000_000


@contextmanager
def shown_steps() -> Iterator[Callable[[Progress], None]]:
    """Something to tell progress to, for as long as the block lasts."""
    if not sys.stderr.isatty():
        yield _lines()
        return
    columns = (
        TextColumn("{task.description:>30}"),
        BarColumn(),
        TextColumn("{task.fields[figures]}"),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("", total=None, figures="")

        def show(step: Progress) -> None:
            bars.update(bar, description=step.what, completed=step.done, total=step.total, figures=_figures(step))

        yield show


def _lines() -> Callable[[Progress], None]:
    told_at = time.monotonic()

    def tell(step: Progress) -> None:
        nonlocal told_at
        if time.monotonic() - told_at >= TOLD_EACH_SECONDS:
            told_at = time.monotonic()
            say(f"{step.what}: {_figures(step)}")

    return tell


def _figures(step: Progress) -> str:
    if step.unit == "bytes":
        return f"{step.done / MB:.1f} of {step.total / MB:.1f} MB"
    return f"{step.done} of {step.total} {step.unit}"
