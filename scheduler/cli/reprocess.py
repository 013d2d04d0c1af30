"""`reprocess`, `diff`: what this version makes of what is archived, and how versions differ."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.naming import line_named, pair_named
from scheduler.cli.output import json_option, print_json, say
from scheduler.cli.steps import shown_steps
from schemas.counted import counted
from schemas.records.snapshot import SnapshotLine
from workers.bootstrap import Archive
from workers.cite.word_diff import WordChanges, legend
from workers.flows.bundle_policies import keep_policies
from workers.flows.compact import Progress
from workers.flows.naming import is_id
from workers.flows.reprocess import EXTRACTORS, PARAMS, Reprocessed, extractor_id, extractor_named, reprocess
from workers.flows.versions import Difference, Version, compare, version_of

DAMAGED = 3


def register(cli: click.Group) -> None:
    cli.add_command(reprocess_command)
    cli.add_command(diff)


@click.command("reprocess")
@click.option(
    "--extractor",
    metavar="NAME",
    default=EXTRACTORS[0],
    show_default=True,
    help=f"One of {', '.join(EXTRACTORS)}, or its id: what HTML is extracted with.",
)
@click.option(
    "--params",
    type=click.Choice(PARAMS),
    help="Only fingerprints under these parameters, from the texts that this extractor has made.",
)
@click.option("--collection", metavar="NAME", help="Only segments of one collection.")
@click.option("--processes", type=click.IntRange(1, 256), help="Extract in so many processes (default: one a core).")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and change nothing.")
@json_option
@pass_context
def reprocess_command(
    context: Context,
    extractor: str,
    params: str | None,
    collection: str | None,
    processes: int | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Extract and fingerprint again what is archived, with this version or another extractor.

    Adds texts, snapshot lines and fingerprints beside those that are there, and changes none of them: what is published
    and cited rests on the text that was made first. Stopped, it goes on when it is run again. Exit 3 where a segment
    could not be done.
    """
    focus = extractor_named(extractor)

    async def work(opened: Archive) -> int:
        workers = opened.reprocess_ports(processes or os.cpu_count() or 1)
        try:
            with shown_steps() as told:
                if not dry_run:
                    await keep_policies(opened.store, opened.tiers())
                done = await reprocess(
                    workers,
                    focus=focus,
                    collection=collection,
                    extract=params is None,
                    dry=dry_run,
                    told=lambda so_far, total: told(Progress("reprocessing", so_far, total, "segments")),
                )
        finally:
            for each in workers:
                each.extractor.close()
        return _told(done, as_json=as_json, dry=dry_run)

    return context.with_archive(work)


@click.command()
@click.argument("snapshot", metavar="SNAPSHOT|URL")
@click.argument("other", required=False, metavar="[SNAPSHOT|URL]")
@click.option(
    "--extractor",
    "extractors",
    multiple=True,
    metavar="NAME",
    help="Of one snapshot: its text by this extractor against the text that counts; given twice, the two against each "
    "other. Of two snapshots: both by this extractor.",
)
@json_option
@pass_context
def diff(context: Context, snapshot: str, other: str | None, extractors: tuple[str, ...], as_json: bool) -> int:
    """Compare two snapshots, or what two extractors made of one. Exit 0 where the texts are equal, 1 where not.

    A URL stands for its newest snapshot that may be cited. Alone it is compared with its last version before that.
    """
    names = [extractor_id(name) for name in extractors]
    of_one_page = other is None and not names and not is_id(snapshot)
    if not of_one_page:
        _check_sides(other, names)

    async def work(opened: Archive) -> int:
        if of_one_page:
            sides = _sides(*await pair_named(opened, snapshot), [])
        else:
            first = await line_named(opened, snapshot)
            sides = _sides(first, None if other is None else await line_named(opened, other), names)
        versions = [await version_of(opened.store, *side) for side in sides]
        found = compare(*versions)
        if as_json:
            print_json(_row(versions[0], versions[1], found))
        else:
            for name, (one, two) in found.fields.items():
                say(f"{name}: {one} -> {two}")
            click.echo("\n".join(found.diff)) if found.diff else say("the texts are equal")
            _tell_words(found.words)
        return 0 if found.same_text else 1

    return context.with_archive(work)


def _check_sides(other: str | None, names: Sequence[str]) -> None:
    if len(names) > 1 if other is not None else len(names) not in (1, 2):
        raise click.UsageError("name a URL, two snapshots, or one snapshot and one or two times --extractor")


def _sides(
    first: SnapshotLine, other: SnapshotLine | None, names: Sequence[str]
) -> list[tuple[SnapshotLine, str | None]]:
    """Snapshot and extractor of the left and the right."""
    if other is not None:
        name = names[0] if names else None
        return [(first, name), (other, name)]
    return [(first, None if len(names) == 1 else names[0]), (first, names[-1])]


def _tell_words(words: WordChanges) -> None:
    """Which words differ, place by place."""
    for number, one in enumerate(words.changes):
        say(f"line {one.line}: {one.diff}")
        if number == 0:
            say(legend("the left text", "the right one"))
    if words.changes:
        more = f"; {words.left_out} further places are not shown" if words.left_out else ""
        say(f"{words.removed} words removed, {words.added} added{more}")


def _row(left: Version, right: Version, found: Difference) -> dict[str, JsonValue]:
    return {
        "left": {"snapshot": left.line.snapshot.id, "extractor": left.line.snapshot.extractor},
        "right": {"snapshot": right.line.snapshot.id, "extractor": right.line.snapshot.extractor},
        "same_text": found.same_text,
        "fields": {name: [one, two] for name, (one, two) in found.fields.items()},
        "diff": [*found.diff],
        "words": {
            "removed": found.words.removed,
            "added": found.words.added,
            "changes": [
                {
                    "line": one.line,
                    "other_line": one.other_line,
                    "removed": one.removed,
                    "added": one.added,
                    "diff": one.diff,
                }
                for one in found.words.changes
            ],
            "left_out": found.words.left_out,
        },
    }


def _told(done: Reprocessed, *, as_json: bool, dry: bool) -> int:
    if as_json:
        print_json(
            {
                "extractor": done.extractor,
                "segments": done.segments,
                "already": done.there,
                "would_make" if dry else "made": done.made,
                "snapshots": done.snapshots,
                "left": [{"segment": each.segment_id, "why": each.why} for each in done.left],
            }
        )
    else:
        verb = "would be made" if dry else "made"
        say(f"{done.extractor}: {counted(done.segments, 'segment')}, {done.there} there before, {done.made} {verb}")
        if done.snapshots:
            say(f"{counted(done.snapshots, 'snapshot')} read again")
            say(f"  next: citevault diff SNAPSHOT --extractor {done.extractor}")
    for each in done.left:
        say(f"left alone: {each.segment_id}: {each.why}")
        say("  next: restore it from a copy of the bucket, and run this again")
    return DAMAGED if done.left else 0
