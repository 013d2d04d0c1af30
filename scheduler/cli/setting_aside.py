"""`schedule set-aside`: go on without schedules that are damaged and of which there is no copy."""

from __future__ import annotations

import click

from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import json_option, print_rows, say
from scheduler.visits.setting_aside import damaged_shards
from scheduler.visits.setting_aside import set_aside as set_one_aside
from workers.bootstrap import Archive


@click.command("set-aside")
@json_option
@pass_context
def set_aside(context: Context, as_json: bool) -> int:
    """Set objects with schedules aside that cannot be read, where no copy of them can be restored.

    Each is kept, byte for byte, under schedules/aside/. What can still be read of it goes on; the other pages are to
    be scheduled anew.
    """

    async def work(opened: Archive) -> int:
        done = [await set_one_aside(opened.store, each) for each in await damaged_shards(opened.store)]
        print_rows(
            [{"key": each.key, "set_aside": each.aside, "schedules_kept": each.kept} for each in done],
            ("key", "schedules_kept", "set_aside"),
            as_json=as_json,
            nothing="no schedule is damaged",
        )
        if done:
            say("next: schedule the pages anew that are no longer in `citevault schedule list`")
        return 0

    return context.with_archive(work, new=False)
