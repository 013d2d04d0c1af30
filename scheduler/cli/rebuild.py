"""`rebuild`: restore everything in Redis from the bucket."""

from __future__ import annotations

import dataclasses
import time

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import json_option, print_json, say
from scheduler.rebuild import rebuild as rebuild_all
from scheduler.service.wiring import rebuild_ports_of
from schemas.ids import utc_string
from workers.bootstrap import Archive


def register(cli: click.Group) -> None:
    cli.add_command(rebuild)


@click.command()
@json_option
@pass_context
def rebuild(context: Context, as_json: bool) -> int:
    """Restore everything in Redis from the bucket, under a new epoch. Exit 1 where objects are damaged: they are
    parked, and everything else is restored."""

    async def work(opened: Archive) -> int:
        started = time.monotonic()
        now = utc_string(opened.clock.now())
        restored = await rebuild_all(rebuild_ports_of(opened), now=now, reason="citevault rebuild")
        seconds = time.monotonic() - started
        counts = {
            field.name: value
            for field in dataclasses.fields(restored)
            if isinstance(value := getattr(restored, field.name), int)
        }
        damaged: list[JsonValue] = [{"key": each.key, "error": each.error} for each in restored.damaged]
        if as_json:
            print_json({**counts, "damaged": damaged, "milliseconds": int(seconds * 1000)})
        else:
            read = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in counts.items() if name != "epoch")
            say(f"restored under epoch {restored.epoch} in {seconds:.1f} s: {read}")
            for each in restored.damaged:
                say(f"  parked {each.key}: {each.error}")
        return 1 if restored.damaged else 0

    return context.with_archive(work)
