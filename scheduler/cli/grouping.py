"""`groups explain` and `groups suggest`: why sources count as one, and which may be one although no rule says so."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.files import MAX_DOCUMENT_BYTES, as_record
from scheduler.cli.output import json_option, print_json, say, shown
from scheduler.cli.seeds import open_input
from scheduler.cli.status import unknown_job
from scheduler.cli.urls import normalized
from schemas.counted import counted
from schemas.records.bundle import Bundle
from schemas.records.draft import Draft
from workers.bootstrap import Archive
from workers.errors import CitevaultError, PermanentError
from workers.flows.decisions import manual_groups, read_decisions
from workers.flows.group_view import ExplainedGroup, GroupReader
from workers.flows.suggest import MAX_SOURCES, Suggested, SuggestPorts, suggest

SHOWN_OTHERS, SHOWN_REMARKS = 5, 5
TOLD_EACH = 1000
APART = 1


def register(groups: click.Group) -> None:
    """Add the two commands to `groups`."""
    groups.add_command(explain)
    groups.add_command(suggesting)


@click.command("explain")
@click.argument("urls", nargs=-1, required=True)
@json_option
@pass_context
def explain(context: Context, urls: tuple[str, ...], as_json: bool) -> int:
    """Say in which group each of these sources is, and why: a person's record before clusters before its site.

    Of several URLs also whether they count as one where all of them are cited; exit 1 where they do not.
    """

    async def work(opened: Archive) -> int:
        resources = [normalized(url) for url in urls]
        reader = GroupReader(opened.clusters, opened.catalog, manual_groups(await read_decisions(opened.store)))
        for resource in resources:
            if not await opened.catalog.snapshots_of(resource):
                raise PermanentError(
                    "nothing is archived of this URL", where=shown(resource[:200]), next_step="archive it first"
                )
        told = [await reader.explain(resource) for resource in resources]
        together = await reader.together(resources)
        if as_json:
            rows: list[JsonValue] = [group.model_dump(mode="json") for group in together]
            print_json({"sources": [_as_json(one) for one in told], "together": rows})
        else:
            for one in told:
                _print(one)
            if len(set(resources)) > 1:
                click.echo(f"cited together they count as {len(together)}:")
                for group in together:
                    sources = counted(len(group.source_ids), "source")
                    click.echo(f"  {shown(group.group)} ({group.reason.value}): {sources}")
        return 0 if len(together) == 1 else APART

    return context.with_archive(work)


@click.command("suggest")
@click.argument("urls", nargs=-1)
@click.option("--job", metavar="JOB", help="The sources of a job.")
@click.option("--from", "source", metavar="FILE", help="The sources that a draft or a bundle cites (- is stdin).")
@json_option
@pass_context
def suggesting(context: Context, urls: tuple[str, ...], job: str | None, source: str | None, as_json: bool) -> int:
    """Find sources that may be one although no rule unites them, for a person to decide on with `groups merge`.

    Stories that credit one news agency or release wire, texts that share whole sentences, pages of one author in one
    outlet or of one team, and pages that declare another as their canonical URL. Without a choice: the newest sources
    of the archive.
    """
    if sum(map(bool, (urls, job, source))) > 1:
        raise click.UsageError("give URLs, or --job, or --from")

    async def work(opened: Archive) -> int:
        wanted = [name async for name in _snapshots(opened, urls, job, source)]
        manual = manual_groups(await read_decisions(opened.store))
        ports = SuggestPorts(opened.store, opened.catalog, opened.clusters)
        found = await suggest(wanted, manual, ports, _tell)
        if as_json:
            print_json(
                {
                    "sources": found.sources,
                    "suggestions": [
                        {
                            **asdict(one),
                            "source_ids": list(one.source_ids),
                            "urls": [found.urls[s] for s in one.source_ids],
                        }
                        for one in found.suggestions
                    ],
                }
            )
        else:
            _print_suggestions(found)
        return 0

    return context.with_archive(work)


async def remark(opened: Archive, snapshot_ids: Sequence[str], source: str) -> None:
    """After a bundle is built: say on stderr which of its sources may be one. Never an error: the bundle stands."""
    try:
        manual = manual_groups(await read_decisions(opened.store))
        ports = SuggestPorts(opened.store, opened.catalog, opened.clusters)
        found = await suggest(snapshot_ids, manual, ports, lambda _what, _done, _of: None)
    except CitevaultError as error:
        say(f"whether sources are one could not be looked at: {error}")
        return
    for one in found.suggestions[:SHOWN_REMARKS]:
        say(f"{len(one.source_ids)} of the sources count apart and may be one: {one.why}")
    if found.suggestions:
        say(f"see `citevault groups suggest --from {shlex.quote(source)}`")


async def _snapshots(opened: Archive, urls: Sequence[str], job: str | None, source: str | None) -> AsyncIterator[str]:
    if job is not None:
        if await opened.frontier.progress(job) is None:
            raise unknown_job(job)
        for name in await opened.catalog.snapshots_of_job(job):
            yield name
        return
    if source is not None:
        urls, snapshots = _cited(source)
        for name in snapshots:
            yield name
    for url in urls:
        for name in (await opened.catalog.snapshots_of(normalized(url)))[:1]:
            yield name
    if source is None and not urls:
        for name in await opened.catalog.newest(limit=MAX_SOURCES):
            yield name


def _cited(source: str) -> tuple[list[str], list[str]]:
    """URLs and snapshots that a draft or a bundle cites."""
    with open_input(source) as stream:
        data = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise click.UsageError(f"{source}: larger than {MAX_DOCUMENT_BYTES} bytes")
    if b'"citevault/bundle@1"' in data:
        return [], [snapshot.id for snapshot in as_record(data, Bundle, source).snapshots]
    draft = as_record(data, Draft, source)
    urls = [edge.url for edge in draft.evidence if edge.url is not None]
    return urls, [edge.snapshot_id for edge in draft.evidence if edge.snapshot_id is not None]


def _tell(what: str, done: int, of: int) -> None:
    if done % TOLD_EACH == 0:
        say(f"read {done} of {of} {what}")


def _print_suggestions(found: Suggested) -> None:
    if not found.suggestions:
        say(f"no suggestions among {counted(found.sources, 'source')}")
    for one in found.suggestions:
        click.echo(f"{one.kind}{f' {shown(one.subject)}' if one.subject else ''}: {shown(one.why)}")
        for source in one.source_ids:
            click.echo(f"  {source}  {shown(found.urls[source])}")
        ids = " ".join(one.source_ids)
        click.echo(f"  if so: citevault groups merge NAME {ids} --why WHY")


def _print(one: ExplainedGroup) -> None:
    click.echo(f"{shown(one.url)}  {one.source_id}: {shown(one.group)}")
    if one.manual is not None and one.overridden is not None:
        record = one.manual
        click.echo(f"  by {shown(record.by)}, {record.at}: {shown(record.why)}")
        if record.sets_apart:
            click.echo(f"  this goes before {shown(one.overridden)}")
        else:
            click.echo(f"  this adds to {shown(one.overridden)}: what the rules unite stays united")
    for cluster in one.clusters:
        others = f"with {counted(len(cluster.others), 'other source')}" if cluster.others else "alone"
        click.echo(f"  cluster {cluster.cluster_id}, {others}")
        for url in cluster.others[:SHOWN_OTHERS]:
            click.echo(f"    {shown(url)}")
        if len(cluster.others) > SHOWN_OTHERS:
            click.echo(
                f"    and {len(cluster.others) - SHOWN_OTHERS} more: `citevault clusters show {cluster.cluster_id}`"
            )
    if not one.clusters:
        click.echo("  not clustered yet, so it is unknown what its text shares with others")
    domain = f"of the registrable domain {shown(one.domain)}" if one.domain else "of no registrable domain"
    alone = "" if one.domain else ": it counts by itself, and so does each other port of its host"
    click.echo(f"  site {shown(one.site)}, {domain} by {one.domain_list}{alone}")


def _as_json(one: ExplainedGroup) -> dict[str, JsonValue]:
    record = one.manual
    return {
        "source_id": one.source_id,
        "url": one.url,
        "group": one.group,
        "site": one.site,
        "domain": one.domain or None,
        "domain_list": one.domain_list,
        "clusters": [{"cluster_id": each.cluster_id, "others": list(each.others)} for each in one.clusters],
        "manual": None
        if record is None
        else {"name": record.name, "by": record.by, "at": record.at, "why": record.why},
        "overridden": one.overridden,
    }
