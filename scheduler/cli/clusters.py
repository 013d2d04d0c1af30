"""`clusters`, `groups`, `tiers`: near-duplicates, independence and tiers, with the reasons."""

from __future__ import annotations

import getpass

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import json_option, lines_option, print_json, print_rows, shown
from scheduler.cli.urls import normalized
from schemas.ids import source_id, utc_string
from schemas.records.decision import DecisionContent, DissolveGroup, GroupSources
from workers.bootstrap import Archive
from workers.errors import PermanentError
from workers.flows.decisions import append_decision, manual_groups, read_decisions


def register(cli: click.Group) -> None:
    for group in (clusters, groups, tiers):
        cli.add_command(group)


@click.group(invoke_without_command=True)
@click.option("--all", "singles", is_flag=True, help="Also clusters of a single source.")
@lines_option
@click.pass_context
def clusters(click_context: click.Context, singles: bool, as_json: bool, as_lines: bool) -> int | None:
    """List clusters of near-duplicate texts."""
    if click_context.invoked_subcommand is not None:
        return None

    async def work(opened: Archive) -> int:
        rows: list[dict[str, JsonValue]] = []
        async for name in opened.clusters.all():
            found = await opened.clusters.members(name)
            sources = sorted({member.source_id for member in found.members}) if found else []
            if found is not None and (singles or len(sources) > 1):
                rows.append({"id": found.id, "sources": len(sources), "snapshots": len(found.members)})
        rows.sort(key=lambda row: str(row["id"]))
        print_rows(rows, ("id", "sources", "snapshots"), as_json=as_json, as_lines=as_lines, nothing="no clusters")
        return 0

    return click_context.find_object(Context).with_archive(work)  # type: ignore[union-attr]  # set by the root


@clusters.command("show")
@click.argument("cluster")
@click.option("--purpose", type=click.Choice(["specification", "tracing"]), default="tracing", show_default=True)
@json_option
@pass_context
def show(context: Context, cluster: str, purpose: str, as_json: bool) -> int:
    """Show a cluster: every URL, and why the texts are one."""

    async def work(opened: Archive) -> int:
        found = await opened.cluster_reader().cluster(
            cluster, "specification" if purpose == "specification" else "tracing"
        )
        if found is None:
            raise PermanentError("there is no such cluster", where=cluster[:80], next_step="see `citevault clusters`")
        if as_json:
            print_json(found)
            return 0
        click.echo(f"{found.id}, represented by {found.representative_source_id} ({found.representative_reason})")
        for member in found.members:
            line = await opened.catalog.snapshot(member.snapshot_id)
            click.echo(f"  {member.snapshot_id}  {shown(line.snapshot.final_url if line else None)}")
        for edge in found.edges:
            figures = edge.figures
            click.echo(
                f"  {edge.a[:12]} ~ {edge.b[:12]}: {edge.rule}, overlap {figures.shingle_jaccard_ppm / 10_000:.1f} %, "
                f"containment {figures.containment_ppm / 10_000:.1f} %"
            )
        return 0

    return context.with_archive(work)


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
@click.option("--by", default=getpass.getuser, help="Who decides (default: the user name).")
@pass_context
def merge(context: Context, name: str, urls: tuple[str, ...], why: str, by: str) -> int:
    """Say that these sources (URLs or source ids) are one group."""
    sources = tuple(sorted({_source(url) for url in urls}))
    return _decide(context, GroupSources(name=name, source_ids=sources), why=why, by=by)


@groups.command("split")
@click.argument("name")
@click.argument("urls", nargs=-1)
@click.option("--why", required=True, help="The reason, kept for good (10 characters at least).")
@click.option("--by", default=getpass.getuser, help="Who decides (default: the user name).")
@pass_context
def split(context: Context, name: str, urls: tuple[str, ...], why: str, by: str) -> int:
    """Dissolve a manual group; or, with URLs, put these sources into a group of their own."""
    if not urls:
        return _decide(context, DissolveGroup(name=name), why=why, by=by)
    return _decide(context, GroupSources(name=name, source_ids=tuple(sorted(map(_source, urls)))), why=why, by=by)


@click.group()
def tiers() -> None:
    """Tiers: categories with reasons, not scores."""


@tiers.command("explain")
@click.argument("url")
@json_option
@pass_context
def explain(context: Context, url: str, as_json: bool) -> int:
    """Say which tier a URL has, and which rule gave it."""

    async def work(opened: Archive) -> int:
        verdict = opened.tiers().verdict(normalized(url))
        if as_json:
            print_json(verdict)
        else:
            click.echo(f"{verdict.tier.value}: rule {verdict.reason} of {verdict.policy}")
        return 0

    return context.with_archive(work)


def _decide(context: Context, decision: DecisionContent, *, why: str, by: str) -> int:
    async def work(opened: Archive) -> int:
        try:
            entry = await append_decision(opened.store, decision, by=by, why=why, now=utc_string(opened.clock.now()))
        except ValueError as error:
            raise click.UsageError("a decision needs a name, and a reason of 10 characters at least") from error
        click.echo(f"decision {entry.sequence}")
        return 0

    return context.with_archive(work)


def _source(given: str) -> str:
    return given if given.startswith("src-") else source_id(normalized(given))
