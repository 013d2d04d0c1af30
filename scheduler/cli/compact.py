"""`compact`: join small files of captures into larger ones, and later delete what was joined."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import json_option, print_json, print_rows, say
from scheduler.cli.steps import shown_steps
from scheduler.compaction import FOLDER
from schemas.counted import counted
from workers.adapters.scratch import exclusive_folder
from workers.bootstrap import Archive
from workers.flows.compact import CompactPorts, Damaged, JoinLimits, clear, planned
from workers.flows.compact import compact as join

MB = 1_000_000
DAMAGED = 3


def register(cli: click.Group) -> None:
    cli.add_command(compact)


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be done, and change nothing.")
@click.option(
    "--delete-old",
    is_flag=True,
    help="The second step: delete files that were joined long enough ago (CITEVAULT_COMPACT_GRACE_SECONDS), each after "
    "every record of its new file was read back and verified.",
)
@json_option
@pass_context
def compact(context: Context, dry_run: bool, delete_old: bool, as_json: bool) -> int:
    """Join small WARC files into files of up to 1 GB (CITEVAULT_COMPACT_BYTES).

    Records stay as they are, byte for byte, and everything that names one finds it: nothing signed changes. It may run
    while pages are archived and read; stopped, it goes on when it is run again. Exit 3 where a file is damaged: that
    is left alone.
    """
    return _with_ports(context, lambda opened, ports: _ACTIONS[delete_old, dry_run](opened, ports, as_json))


def _with_ports(context: Context, work: Callable[[Archive, CompactPorts], Awaitable[int]]) -> int:
    async def within(opened: Archive) -> int:
        with (
            exclusive_folder(opened.settings.spool_dir / FOLDER, whose="`citevault compact`") as folder,
            shown_steps() as told,
        ):
            return await work(opened, opened.compact_ports(folder, told))

    return context.with_archive(within)


async def _join(opened: Archive, ports: CompactPorts, as_json: bool) -> int:
    done = await join(ports, JoinLimits(bytes=opened.settings.compact_bytes))
    made: list[dict[str, JsonValue]] = [
        {
            "sequence": entry.sequence,
            "collection": entry.collection,
            "joined": len(entry.sources),
            "bytes": entry.warc.bytes,
            "records": entry.warc.entries,
            "key": entry.warc.key,
        }
        for entry in done.made
    ]
    if as_json:
        print_json({"made": [*made], "dropped": done.lost, "files": done.files, "damaged": _listed(done.damaged)})
    else:
        print_rows(made, ("sequence", "collection", "joined", "bytes", "records", "key"), nothing="nothing to join")
        joined = sum(len(entry.sources) for entry in done.made)
        say(f"{counted(joined, 'file')} joined into {len(made)}; {done.files} stand now")
        if made:
            days = opened.settings.compact_grace_seconds / 86_400
            say(f"what was joined can be deleted after {days:g} days: `citevault compact --delete-old`")
    return _told(done.damaged)


async def _plan(opened: Archive, ports: CompactPorts, as_json: bool) -> int:
    standing, groups, damaged = await planned(ports, JoinLimits(bytes=opened.settings.compact_bytes))
    rows: list[dict[str, JsonValue]] = [
        {"collection": group.collection, "join": len(group.files), "bytes": group.bytes, "records": group.records}
        for group in groups
    ]
    files = len(standing.files)
    after = files - sum(len(group.files) - 1 for group in groups)
    if as_json:
        print_json({"would_make": [*rows], "files": files, "files_after": after, "damaged": _listed(damaged)})
    else:
        print_rows(rows, ("collection", "join", "bytes", "records"), nothing="nothing to join")
        say(f"{files} files stand, {after} would")
    return _told(damaged)


async def _clear(opened: Archive, ports: CompactPorts, as_json: bool, *, dry: bool = False) -> int:
    done = await clear(ports, grace_seconds=opened.settings.compact_grace_seconds, dry=dry)
    word = "would_delete" if dry else "deleted"
    if as_json:
        print_json(
            {
                "entries": [entry.sequence for entry in done.entries],
                f"{word}_files": done.files,
                f"{word}_bytes": done.bytes,
                f"{word}_garbage": [*done.garbage],
                "waiting": [entry.sequence for entry in done.waiting],
                "damaged": _listed(done.damaged),
            }
        )
    else:
        verb = "would be deleted" if dry else "deleted, their new files verified"
        runs = counted(len(done.entries), "compaction")
        say(f"{counted(done.files, 'file')} ({done.bytes / MB:.1f} MB) of {runs} {verb}")
        if done.garbage:
            say(f"{counted(len(done.garbage), 'file')} of runs that were stopped {'would be ' if dry else ''}deleted")
        if done.waiting:
            say(f"{counted(len(done.waiting), 'compaction is', 'compactions are')} too young")
    return _told(done.damaged)


async def _plan_clearing(opened: Archive, ports: CompactPorts, as_json: bool) -> int:
    return await _clear(opened, ports, as_json, dry=True)


_ACTIONS: dict[tuple[bool, bool], Callable[[Archive, CompactPorts, bool], Awaitable[int]]] = {
    (False, False): _join,
    (False, True): _plan,
    (True, False): _clear,
    (True, True): _plan_clearing,
}
"""By whether to delete, and whether only to say so."""


def _listed(damaged: Sequence[Damaged]) -> list[JsonValue]:
    return [{"key": each.key, "why": each.why} for each in damaged]


def _told(damaged: Sequence[Damaged]) -> int:
    for each in damaged:
        say(f"left alone, damaged: {each.key}: {each.why}\n  next: restore it from a copy of the bucket")
    return DAMAGED if damaged else 0
