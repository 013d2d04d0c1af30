"""`groups`: independence groups that a person decides on, with the reasons."""

from __future__ import annotations

import getpass
import re

import click
from pydantic import JsonValue, ValidationError

from scheduler.cli import grouping
from scheduler.cli.cluster_pages import page_of_source
from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import json_option, print_rows, shown
from scheduler.cli.signing import check_why, said_wrongly
from scheduler.cli.urls import normalized
from schemas.ids import source_id, utc_string
from schemas.judging import says_something
from schemas.records.decision import DecisionContent, DissolveGroup, GroupSources
from workers.bootstrap import Archive
from workers.errors import PermanentError
from workers.flows.decisions import append_decision, manual_groups, read_decisions

MANUAL_NAME = re.compile(r"[!-~]{1,300}")
SOURCE = re.compile(r"src-[0-9a-f]{16}")


def register(cli: click.Group) -> None:
    grouping.register(groups)
    cli.add_command(groups)


def _user() -> str:
    """The user name; empty where this process runs under a number that has none, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


@click.group()
def groups() -> None:
    """Independence groups that a person decides on; they go before every rule."""


@groups.command("list")
@json_option
@pass_context
def listing(context: Context, as_json: bool) -> int:
    """List the manual groups, with who decided, when and why."""

    async def work(opened: Archive) -> int:
        standing = manual_groups(await read_decisions(opened.store))
        rows: list[dict[str, JsonValue]] = [
            {"name": g.name, "source_ids": list(g.source_ids), "by": g.by, "at": g.at, "why": g.why} for g in standing
        ]
        print_rows(rows, ("name", "source_ids", "by", "at", "why"), as_json=as_json, nothing="no manual groups")
        return 0

    return context.with_archive(work)


@groups.command("merge")
@click.argument("name")
@click.argument("urls", nargs=-1, required=True)
@click.option("--why", required=True, help="The reason, kept for good (10 characters at least).")
@click.option("--by", default=_user, help="Who decides (default: the user name).")
@pass_context
def merge(context: Context, name: str, urls: tuple[str, ...], why: str, by: str) -> int:
    """Say that these sources (URLs or source ids) are one group; those that it has already stay in it.

    Whatever the rules unite with one of them comes along: only `groups split` sets a source apart.
    """

    async def work(opened: Archive) -> int:
        log = await read_decisions(opened.store)
        held = {source for group in manual_groups(log) if group.name == name for source in group.source_ids}
        given = {await _source(opened, url): url for url in urls}
        sources = held | given.keys()
        if len(sources) < 2:
            raise click.UsageError("a group has two sources at least; `groups split` sets one apart")
        number = await _decide(opened, _group(name, sources), why=why, by=by)
        click.echo(f"decision {number}: {len(sources)} sources count as one, as manual:{shown(name)}")
        for source in sorted(sources):
            click.echo(f"  {await _told(opened, source)}{'' if source in given else '  (as before)'}")
        return 0

    return context.with_archive(work)


@groups.command("split")
@click.argument("name")
@click.argument("urls", nargs=-1)
@click.option("--why", required=True, help="The reason, kept for good (10 characters at least).")
@click.option("--by", default=_user, help="Who decides (default: the user name).")
@pass_context
def split(context: Context, name: str, urls: tuple[str, ...], why: str, by: str) -> int:
    """Dissolve a manual group; or, with URLs, take each of these sources out and let it stand alone.

    NAME may also be that of a cluster or a site, where the rules unite what a person knows to be independent.
    """

    async def work(opened: Archive) -> int:
        if not urls:
            standing = {group.name: group for group in manual_groups(await read_decisions(opened.store))}
            if name not in standing:
                raise PermanentError(
                    "there is no such manual group", where=name[:80], next_step="see `citevault groups list`"
                )
            number = await _decide(opened, DissolveGroup(name=name), why=why, by=by)
            click.echo(f"decision {number}: manual:{shown(name)} is dissolved; clusters and sites decide again on")
            for source in standing[name].source_ids:
                click.echo(f"  {await _told(opened, source)}")
        for source in [await _source(opened, url) for url in urls]:
            alone = f"{name}/{source.removeprefix('src-')}"
            number = await _decide(opened, _group(alone, {source}), why=why, by=by)
            click.echo(f"decision {number}: {await _told(opened, source)} stands alone, as manual:{shown(alone)}")
        return 0

    return context.with_archive(work)


def _group(name: str, sources: set[str]) -> GroupSources:
    if not MANUAL_NAME.fullmatch(name):
        raise click.UsageError(f"{shown(name[:80])!r}: a group's name is printable ASCII without blanks, 300 at most")
    return GroupSources(name=name, source_ids=tuple(sorted(sources)))


async def _decide(opened: Archive, decision: DecisionContent, *, why: str, by: str) -> int:
    """The number of the entry in the decision log."""
    check_why(why)
    if not says_something(by):
        raise click.UsageError("--by: say who decides")
    try:
        entry = await append_decision(opened.store, decision, by=by, why=why, now=utc_string(opened.clock.now()))
    except ValidationError as error:
        raise click.UsageError(said_wrongly(error)) from error
    return entry.sequence


async def _told(opened: Archive, source: str) -> str:
    """A source by its id, and by a page where one is known."""
    found = await page_of_source(opened, source)
    return source if found is None else f"{source}  {found.in_words()}"


async def _source(opened: Archive, given: str) -> str:
    """A source id as given, or that of a URL of which something is archived."""
    if SOURCE.fullmatch(given):
        return given
    resource = normalized(given)
    if not await opened.catalog.snapshots_of(resource):
        raise PermanentError("nothing is archived of this URL", where=shown(given[:200]), next_step="archive it first")
    return source_id(resource)
