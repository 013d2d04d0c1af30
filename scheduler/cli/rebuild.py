"""`rebuild`: restore everything in Redis from the bucket."""

from __future__ import annotations

import dataclasses
import time
from typing import Final

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import json_option, print_json, say
from scheduler.rebuild import Rebuilt
from scheduler.rebuild import rebuild as rebuild_all
from scheduler.service.wiring import rebuild_ports_of
from schemas.counted import counted, counted_things
from schemas.ids import utc_string
from workers.bootstrap import Archive

PROGRESS_SECONDS: Final = 2.0


def register(cli: click.Group) -> None:
    cli.add_command(rebuild)


@click.command()
@json_option
@pass_context
def rebuild(context: Context, as_json: bool) -> int:
    """Restore everything in Redis from the bucket, under a new epoch, and compare the two in the end. Exit 1 where
    objects are damaged (they are parked, and everything else is restored), or where the two differ. A Redis that does
    not answer is asked again for a minute or so."""

    async def work(opened: Archive) -> int:
        started = time.monotonic()
        now = utc_string(opened.clock.now())
        told = _Told(started)
        restored = await rebuild_all(rebuild_ports_of(opened), now=now, reason="citevault rebuild", told=told)
        seconds = time.monotonic() - started
        if as_json:
            print_json(_answer(restored, seconds))
        else:
            say(_sentence(restored, seconds))
            for damage in restored.damaged:
                say(f"  parked {damage.key}: {damage.error}")
            for difference in restored.differences:
                say(f"  differs: {difference}")
        return 1 if restored.damaged or restored.differences else 0

    return context.with_archive(work, new=False)


class _Told:
    """Progress on stderr, a line every few seconds."""

    def __init__(self, started: float) -> None:
        self._started = self._said = started

    def __call__(self, kind: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._said >= PROGRESS_SECONDS:
            self._said = now
            counted = f"{done} of {total} {kind}" if total else kind
            say(f"{now - self._started:.0f} s: {counted}")


def _counts(restored: Rebuilt) -> dict[str, int]:
    return {
        each.name: value
        for each in dataclasses.fields(restored)
        if isinstance(value := getattr(restored, each.name), int)
    }


def _answer(restored: Rebuilt, seconds: float) -> JsonValue:
    damaged: list[JsonValue] = [{"key": each.key, "error": each.error} for each in restored.damaged]
    differences: list[JsonValue] = [*restored.differences]
    speed = {"milliseconds": int(seconds * 1000), "urls_a_second": int(_urls(restored) / max(seconds, 0.001))}
    return {**_counts(restored), "damaged": damaged, "differences": differences, **speed}


def _sentence(restored: Rebuilt, seconds: float) -> str:
    read = ", ".join(
        counted_things(value, name.replace("_", " ")) for name, value in _counts(restored).items() if name != "epoch"
    )
    same = "differs from" if restored.differences else "is the same as"
    return (
        f"restored under epoch {restored.epoch} in {seconds:.1f} s: {read}; "
        f"{counted(len(restored.damaged), 'object')} parked; "
        f"{_urls(restored) / max(seconds, 0.001):.0f} URLs a second; what Redis holds {same} what the objects say"
    )


def _urls(restored: Rebuilt) -> int:
    return restored.outcomes + restored.queued + restored.cancelled
