"""`index`: one sorted CDXJ file over all committed shards, for pywb and other replay tools."""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

import click

from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import say
from schemas.counted import counted
from workers.bootstrap import Archive
from workers.errors import CorruptError, ObjectMissingError
from workers.flows.compact import standing_files

TRIES = 3
MERGED_AT_ONCE = 256
"""Shards that are open at one time; more are merged in rounds."""


def register(cli: click.Group) -> None:
    cli.add_command(index)


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Where to write (default: index.cdxj in the data directory).",
)
@pass_context
def index(context: Context, output: str | None) -> int:
    """Merge the CDXJ shards of all committed files, as they stand now, into one sorted file."""
    target = Path(output) if output else context.settings().data_dir / "index.cdxj"

    async def work(opened: Archive) -> int:
        with tempfile.TemporaryDirectory(prefix="citevault-index-") as folder:
            shards = await _download(opened, Path(folder))
            lines = _merge(shards, target, Path(folder))
        say(f"{counted(lines, 'line')} from {counted(len(shards), 'shard')}: {target}")
        return 0

    return context.with_archive(work)


async def _download(opened: Archive, folder: Path) -> list[Path]:
    """The shards of all files that stand: what neither a receipt nor a compaction names is garbage."""
    for _ in range(TRIES):
        with suppress(ObjectMissingError):  # compaction has joined its file, and deleted it, since it was looked for
            return await _shards(opened, folder)
    return await _shards(opened, folder)


async def _shards(opened: Archive, folder: Path) -> list[Path]:
    standing, damaged = await standing_files(opened.store)
    for each in damaged:
        raise CorruptError(each.why, where=each.key, next_step="restore the object from a copy of the bucket")
    shards: list[Path] = []
    for file in standing.files:
        if file.cdxj is not None:
            shard = folder / f"{len(shards):08d}.cdxj"
            shard.write_bytes(await opened.store.get(file.cdxj.key))
            shards.append(shard)
    return shards


def _merge(shards: list[Path], target: Path, folder: Path) -> int:
    """Merge sorted files by bytes, in rounds, and put the result in place at once."""
    rounds = 0
    while len(shards) > MERGED_AT_ONCE:
        rounds += 1
        merged = []
        for start in range(0, len(shards), MERGED_AT_ONCE):
            part = folder / f"round-{rounds}-{start:08d}.cdxj"
            _write(shards[start : start + MERGED_AT_ONCE], part)
            merged.append(part)
        shards = merged
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(target.name + ".part")
    lines = _write(shards, unfinished)
    unfinished.replace(target)
    return lines


def _write(shards: list[Path], target: Path) -> int:
    count = 0
    with ExitStack() as stack, target.open("wb") as out:
        streams: list[IO[bytes]] = [stack.enter_context(shard.open("rb")) for shard in shards]
        merged: Iterator[bytes] = heapq.merge(*streams)
        for line in merged:
            out.write(line)
            count += 1
    return count
