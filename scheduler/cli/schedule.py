"""`schedule`: which pages are visited again, when, and what the visits found."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import ExitStack
from datetime import timedelta
from itertools import chain

import click
from pydantic import JsonValue

from scheduler.cadence.changing import paused, resumed
from scheduler.cadence.times import milliseconds
from scheduler.cli.context import Context, pass_context
from scheduler.cli.durations import seconds_of, shown_duration
from scheduler.cli.next_round import tell_next_round
from scheduler.cli.options import checked_collection, opened_networks
from scheduler.cli.output import json_option, lines_option, print_json, print_lines, print_rows, say, shown
from scheduler.cli.seeds import HeardLines, opened_source, unreachable
from scheduler.cli.setting_aside import set_aside
from scheduler.cli.urls import normalized
from scheduler.intake import read_urls
from scheduler.intake.source import Kind
from scheduler.visits.enrolment import Enrolled, Terms, change_each, enrol
from scheduler.visits.shards import DamagedShard, read_shards, shard_names, shard_of
from schemas.counted import counted
from schemas.ids import schedule_id, utc_string
from schemas.records.job import BadLine, JobOptions, RobotsPolicy, Seed
from schemas.records.schedule import Adaptive, Cadence, Every, Schedule
from workers.bootstrap import Archive
from workers.config import Settings
from workers.errors import CitevaultError, CorruptError
from workers.ports import ObjectStore

COLUMNS = ("id", "url", "cadence", "state", "due_at", "visits", "last")
SCHEDULE_ID_LENGTH = 20
TOLD_EACH = 10_000


def register(cli: click.Group) -> None:
    schedule.add_command(set_aside)
    cli.add_command(schedule)


@click.group()
def schedule() -> None:
    """Visit pages again, to see whether they still say what was cited."""


@schedule.command("add")
@click.argument("urls", nargs=-1)
@click.option(
    "--from", "source", metavar="FILE", help="Read from a bundle (its cited pages), or any list of `archive`."
)
@click.option("--every", metavar="TIME", help="Fixed distance, such as 12h, 7d or 2w.")
@click.option("--adaptive", is_flag=True, help="As often as the page is seen to change; cited pages more often.")
@click.option("--least", metavar="TIME", help="With --adaptive: no more often than this (default: 1d).")
@click.option("--most", metavar="TIME", help="With --adaptive: no more rarely than this (default: 90d).")
@click.option("--collection", metavar="NAME", default="default", show_default=True)
@click.option("--robots", type=click.Choice([policy.value for policy in RobotsPolicy]), default="obey")
@click.option("--allow-network", "networks", multiple=True, metavar="CIDR", help="Open a private range. Repeatable.")
@click.option("--insecure-tls", is_flag=True, help="Also where the certificate does not verify.")
@click.option("--no-requisites", is_flag=True, help="The pages alone: no style sheets, images, fonts, scripts, frames.")
@json_option
@pass_context
def add(
    context: Context,
    urls: tuple[str, ...],
    source: str | None,
    every: str | None,
    adaptive: bool,
    least: str | None,
    most: str | None,
    collection: str,
    robots: str,
    networks: tuple[str, ...],
    insecure_tls: bool,
    no_requisites: bool,
    as_json: bool,
) -> int:
    """Visit these pages again and again. Asked for twice, a page has one schedule in a collection, the later terms."""
    if bool(urls) == bool(source):
        raise click.UsageError("give URLs, or --from FILE")
    settings = context.settings()
    options = JobOptions(
        robots=RobotsPolicy(robots),
        allow_networks=opened_networks(settings, networks),
        insecure_tls=insecure_tls,
        requisites=not no_requisites,
    )
    cadence = _cadence(every, adaptive=adaptive, least=least, most=most)
    with ExitStack() as stack:
        lines, cited = _lines(stack, urls, source, settings, options)
        terms = Terms(checked_collection(collection), cadence, options, cited)
        seeds = iter(_seeds(lines))
        first = next(seeds, None)  # all lines are read by then, before a stack is started for them
        if first is None:
            return _tell(Enrolled(), as_json, lines=lines.lines)

        async def work(opened: Archive) -> int:
            now = utc_string(opened.clock.now())
            enrolled = await enrol(
                chain((first,), seeds),
                terms,
                store=opened.store,
                catalog=opened.catalog,
                due=opened.due,
                now=now,
                told=_teller(),
            )
            code = _tell(enrolled, as_json, lines=lines.lines)
            if not as_json:
                await tell_next_round(opened)
            return code

        return context.with_archive(work)


@schedule.command("list")
@click.argument("names", nargs=-1, metavar="[URL|SCHEDULE]…")
@click.option("--collection", metavar="NAME", help="Only of this collection.")
@lines_option
@pass_context
def listing(context: Context, names: tuple[str, ...], collection: str | None, as_json: bool, as_lines: bool) -> int:
    """List schedules, with when each is due and what its last visit found."""
    wanted = _Wanted(names, collection)
    return context.with_archive(lambda opened: _print(opened, wanted, as_json=as_json, as_lines=as_lines))


@schedule.command("due")
@click.option("--within", metavar="TIME", help="Also what is due within this time, such as 1d.")
@click.option("--collection", metavar="NAME", help="Only of this collection.")
@lines_option
@pass_context
def due(context: Context, within: str | None, collection: str | None, as_json: bool, as_lines: bool) -> int:
    """List what is due and has no visit on its way yet, soonest first."""
    ahead = timedelta(seconds=seconds_of(within, "--within") if within else 0)
    wanted = _Wanted((), collection)

    async def work(opened: Archive) -> int:
        now_ms = milliseconds(utc_string(opened.clock.now() + ahead))
        counts = await opened.due.counts(now_ms=now_ms)
        entries = await opened.due.due(now_ms=now_ms, limit=max(counts.due, 1))
        order = {entry.schedule_id: place for place, entry in enumerate(entries)}
        found = _Found(opened.store, sorted({shard_of(name) for name in order}))
        rows = [_row(each) async for each in found.schedules() if each.id in order and wanted.takes(each)]
        rows.sort(key=lambda row: order[str(row["id"])])
        print_rows(rows, COLUMNS, as_json=as_json, as_lines=as_lines, nothing="nothing is due")
        if not (as_json or as_lines):
            await tell_next_round(opened)
        return found.told()

    return context.with_archive(work)


def _changing(name: str, help_text: str, edit: Callable[[Schedule, str], Schedule | None]) -> None:
    """A command that changes schedules which are named by address or id."""

    @schedule.command(name, help=help_text)
    @click.argument("names", nargs=-1, metavar="[URL|SCHEDULE]…")
    @click.option("--from", "source", metavar="FILE", help="Read the addresses from a bundle or a list.")
    @click.option("--collection", metavar="NAME", default="default", show_default=True)
    @json_option
    @pass_context
    def change(context: Context, names: tuple[str, ...], source: str | None, collection: str, as_json: bool) -> int:
        if bool(names) == bool(source):
            raise click.UsageError("give addresses or ids of schedules, or --from FILE")
        checked_collection(collection)
        with ExitStack() as stack:
            if source is None:
                ids = [_id(each, collection) for each in names]
            else:
                lines = HeardLines.of(opened_source(stack, source))
                ids = [schedule_id(collection, seed.normalized_url) for seed in _seeds(lines)]

            async def work(opened: Archive) -> int:
                now = utc_string(opened.clock.now())
                enrolled = Enrolled()
                await change_each(
                    ids,
                    lambda known, _: None if known is None else edit(known, now),
                    enrolled,
                    store=opened.store,
                    due=opened.due,
                    told=_teller(),
                )
                return _tell(enrolled, as_json)

            return context.with_archive(work)


_changing("remove", "Visit these pages no more. What is archived of them stays.", lambda known, now: None)
_changing("pause", "Stop visiting these pages for now.", lambda known, now: paused(known, now=now))
_changing(
    "resume",
    "Visit paused pages again; at once if a visit was due meanwhile.",
    lambda known, now: resumed(known, now=now),
)


class _Wanted:
    """Which schedules a listing shows: all, or those that are named."""

    def __init__(self, names: tuple[str, ...], collection: str | None) -> None:
        self._collection = None if collection is None else checked_collection(collection)
        self._ids = {name for name in names if _is_id(name)}
        self._urls = {normalized(name) for name in names if not _is_id(name)}

    @property
    def shards(self) -> list[str]:
        """Where to look, as far as the names tell; none: everywhere."""
        if self._urls and self._collection is None:
            return []
        ids = self._ids | {schedule_id(self._collection or "", url) for url in self._urls}
        return sorted({shard_of(each) for each in ids})

    def takes(self, each: Schedule) -> bool:
        if self._collection is not None and each.collection != self._collection:
            return False
        return not (self._ids or self._urls) or each.id in self._ids or each.normalized_url in self._urls


class _Found:
    """The schedules of some shards. One that is damaged is told, and keeps nobody from the others."""

    def __init__(self, store: ObjectStore, shards: Sequence[str]) -> None:
        self._store = store
        self._shards = shards
        self._damaged = 0

    async def schedules(self) -> AsyncIterator[Schedule]:
        async for shard in read_shards(self._store, self._shards):
            try:
                found = None if isinstance(shard, DamagedShard) else list(shard.all())
                error: CitevaultError | None = shard.error if isinstance(shard, DamagedShard) else None
            except CorruptError as corrupt:
                found, error = None, corrupt
            if error is not None:
                self._damaged += 1
                say(f"cannot be read: {error}")
            for each in found or ():
                yield each

    def told(self) -> int:
        """The exit code: 3 where not all of it could be looked at."""
        return 3 if self._damaged else 0


async def _print(opened: Archive, wanted: _Wanted, *, as_json: bool, as_lines: bool) -> int:
    found = _Found(opened.store, wanted.shards or await shard_names(opened.store))
    rows: list[dict[str, JsonValue]] = []
    async for each in found.schedules():
        if not wanted.takes(each):
            continue
        if as_lines:
            print_lines([each.model_dump(mode="json")])
        else:
            rows.append(each.model_dump(mode="json") if as_json else _row(each))
    if not as_lines:
        print_rows(rows, COLUMNS, as_json=as_json, nothing="no schedules")
    if not (as_json or as_lines):
        await tell_next_round(opened)
    return found.told()


def _row(each: Schedule) -> dict[str, JsonValue]:
    last = each.visits[-1] if each.visits else None
    told = (
        "" if last is None else last.verdict.value + (f", {last.missed} periods missed before" if last.missed else "")
    )
    return {
        "id": each.id,
        "url": each.requested_url,
        "collection": each.collection,
        "cadence": _shown_cadence(each.cadence) + (", cited" if each.cited else ""),
        "state": "paused" if each.paused_at else "active",
        "due_at": each.due_at[:19] + "Z",
        "visits": each.visits_made,
        "last": told,
    }


def _shown_cadence(cadence: Cadence) -> str:
    if isinstance(cadence, Every):
        return f"every {shown_duration(cadence.every_seconds)}"
    return f"adaptive {shown_duration(cadence.least_seconds)} to {shown_duration(cadence.most_seconds)}"


def _cadence(every: str | None, *, adaptive: bool, least: str | None, most: str | None) -> Cadence:
    if adaptive == bool(every):
        raise click.UsageError("say how often: --every 7d, or --adaptive")
    if every:
        if least or most:
            raise click.UsageError("--least and --most belong to --adaptive")
        return Every(every_seconds=seconds_of(every, "--every"))
    default = Adaptive()
    bounds = Adaptive(
        least_seconds=seconds_of(least, "--least") if least else default.least_seconds,
        most_seconds=seconds_of(most, "--most") if most else default.most_seconds,
    )
    if bounds.least_seconds > bounds.most_seconds:
        raise click.UsageError("--least is longer than --most")
    return bounds


def _lines(
    stack: ExitStack, urls: tuple[str, ...], source: str | None, settings: Settings, options: JobOptions
) -> tuple[HeardLines, bool]:
    """The input, and whether its pages are cited ones."""
    cited = False
    if source is None:
        lines = HeardLines(read_urls(urls))
    else:
        found = opened_source(stack, source)
        lines, cited = HeardLines.of(found), found.kind is Kind.BUNDLE
    lines.refuse = unreachable(settings, options.allow_networks)
    return lines, cited


def _seeds(lines: Iterable[Seed | BadLine]) -> Iterable[Seed]:
    return (line for line in lines if isinstance(line, Seed))


def _tell(enrolled: Enrolled, as_json: bool, *, lines: int | None = None) -> int:
    """Say what became of what was named. Exit 1: something named has no schedule; 2: there was nothing good to take."""
    fates = enrolled.fates
    for name in enrolled.missing[:20]:
        say(f"there is no such schedule: {name}; `citevault schedule list` has those that are there")
    say(", ".join(f"{count} {fate}" for fate, count in sorted(fates.items())) or "no good line in the input")
    if as_json:
        counts: dict[str, JsonValue] = {fate: fates[fate] for fate in ("added", "changed", "unchanged", "missing")}
        print_json(counts if lines is None else {**counts, "lines": lines})
    if not fates:
        return 2
    return 1 if fates["missing"] else 0


def _teller() -> Callable[[int], None]:
    told = 0

    def tell(done: int) -> None:
        nonlocal told
        if done - told >= TOLD_EACH:
            told = done
            sys.stderr.write(f"{counted(done, 'schedule')} written\n")

    return tell


def _id(given: str, collection: str) -> str:
    return given if _is_id(given) else schedule_id(collection, normalized(given))


def _is_id(given: str) -> bool:
    return given.startswith("sch-") and len(given) == SCHEDULE_ID_LENGTH and "/" not in shown(given)
