"""`clusters`: near-duplicates, with the figures and the rules that made them, and why two captures are one or not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict

import click
from pydantic import JsonValue

from scheduler.cli.cluster_pages import Page, page, page_of_text, pages_of
from scheduler.cli.context import Context, pass_context
from scheduler.cli.explaining import explanation_json, figures_in_words, print_explanation, tells_other_numbers
from scheduler.cli.naming import line_named
from scheduler.cli.output import json_option, lines_option, print_json, print_rows, say, shown
from scheduler.cli.steps import shown_steps
from schemas.counted import counted
from schemas.records.cluster import Cluster
from schemas.records.snapshot import SnapshotLine
from workers.adapters.scratch import exclusive_folder
from workers.bootstrap import Archive
from workers.errors import PermanentError, RetryableError
from workers.flows.bulk import BulkPorts, cluster_in_bulk
from workers.flows.cluster_explain import ExplainPorts, explain
from workers.flows.cluster_verdicts import history_of
from workers.flows.rejudge import rejudge
from workers.ports import ClusterMembers

BULK_FOLDER = ".bulk"
"""In the spool, beside the folders of workers: a name with a dot is none of theirs."""

MOST_WITH_PAGES = 1_000
"""Each page is looked up in the store."""
APART, UNKNOWN = 1, 3
"""Exit codes: the answer is no; nobody has looked yet."""


def register(cli: click.Group) -> None:
    cli.add_command(clusters)


@click.group(invoke_without_command=True)
@click.option("--all", "singles", is_flag=True, help="Also clusters of a single source.")
@click.option(
    "--pages", type=click.IntRange(0, 10_000), default=5, show_default=True, help="So many pages of each cluster."
)
@lines_option
@click.pass_context
def clusters(click_context: click.Context, singles: bool, pages: int, as_json: bool, as_lines: bool) -> int | None:
    """List clusters of near-duplicate texts, with the pages that show them.

    `other numbers` counts the confirmed pairs that tell other figures: one story, that does not say the same.
    """
    if click_context.invoked_subcommand is not None:
        return None

    async def work(opened: Archive) -> int:
        listed = sorted([found async for found in _several(opened, singles)], key=lambda found: found.id)
        rows: list[dict[str, JsonValue]] = []
        for place, found in enumerate(listed):
            near = await pages_of(opened, found.members, pages if place < MOST_WITH_PAGES else 0)
            row: dict[str, JsonValue] = {
                "id": found.id,
                "sources": len({member.source_id for member in found.members}),
                "snapshots": len(found.members),
                "other_numbers": sum(map(tells_other_numbers, await opened.clusters.edges(found.id))),
                "pages": [page.as_json() for page in near],
            }
            if as_json or as_lines:
                rows.append(row)
            else:
                _print_cluster(row, near)
        if as_json or as_lines or not listed:
            print_rows(rows, (), as_json=as_json, as_lines=as_lines, nothing="no clusters")
        if pages and len(listed) > MOST_WITH_PAGES:
            say(f"pages of the first {MOST_WITH_PAGES} clusters alone; of any other: `citevault clusters show ID`")
        return 0

    return click_context.find_object(Context).with_archive(work)  # type: ignore[union-attr]  # set by the root


@clusters.command("show")
@click.argument("cluster")
@click.option("--purpose", type=click.Choice(["specification", "tracing"]), default="tracing", show_default=True)
@json_option
@pass_context
def show(context: Context, cluster: str, purpose: str, as_json: bool) -> int:
    """Show a cluster: every URL, and why the texts are one. An id that was merged away still answers.

    Each text has a number, by which the confirmed pairs name it.

    It is represented by its most official source for specifications, by its earliest for tracing how it spread.
    """

    async def work(opened: Archive) -> int:
        found = await opened.cluster_reader().cluster(
            cluster, "specification" if purpose == "specification" else "tracing"
        )
        if found is None:
            raise _no_cluster(cluster)
        if as_json:
            print_json(found)
            return 0
        also = f", once also {', '.join(found.aliases)}" if found.aliases else ""
        click.echo(f"{found.id}{also}, represented by {found.representative_source_id} ({found.representative_reason})")
        numbers: dict[str, int] = {}
        for member in found.members:
            number = numbers.setdefault(member.text_sha256, len(numbers) + 1)
            line = await opened.catalog.snapshot(member.snapshot_id)
            if line is not None:
                _print_member(found, number, line, opened)
        for edge in found.edges:
            one, other = sorted((numbers[edge.a], numbers[edge.b]))
            click.echo(f"  {one} ~ {other}: {edge.rule}, {figures_in_words(edge.figures)}")
        return 0

    return context.with_archive(work)


@clusters.command("explain")
@click.argument("one")
@click.argument("other")
@json_option
@pass_context
def explain_pair(context: Context, one: str, other: str, as_json: bool) -> int:
    """Say why two captures are, or are not, one story: the rule that decided, its figures, and what they say otherwise.

    ONE and OTHER are snapshot ids, or URLs (their newest snapshots that may be cited). Exit 1 where they are not one
    story, 3 where nobody has looked yet.
    """

    async def work(opened: Archive) -> int:
        lines = [await line_named(opened, name) for name in (one, other)]
        found = await explain(lines[0], lines[1], ExplainPorts(opened.store, opened.catalog, opened.clusters))
        if as_json:
            print_json(explanation_json(found))
        else:
            print_explanation(found)
        return {"apart": APART, "unknown": UNKNOWN}.get(found.answer, 0)

    return context.with_archive(work)


@clusters.command("history")
@click.argument("cluster")
@json_option
@pass_context
def history(context: Context, cluster: str, as_json: bool) -> int:
    """Show what became of a cluster: born, joined, merged, split, with the reasons, from the log in the store."""

    async def work(opened: Archive) -> int:
        found = await opened.clusters.members(cluster)
        if found is None:
            raise _no_cluster(cluster)
        say("reading the whole cluster log")
        rows: list[dict[str, JsonValue]] = []
        names = frozenset({found.id, *found.aliases, cluster})
        params = opened.cluster_ports().params
        async for sequence, decision in history_of(names, store=opened.store, params=params):
            leader = await page_of_text(opened, decision.leader_text_sha256)
            rows.append(
                {
                    "sequence": sequence,
                    "at": decision.at,
                    "kind": decision.kind,
                    "cluster_id": decision.cluster_id,
                    "other": decision.other,
                    "texts": len(decision.texts),
                    "leader": decision.leader_text_sha256,
                    "page": None if leader is None else leader.url,
                    "reason": decision.reason,
                }
            )
        columns = ("sequence", "at", "kind", "cluster_id", "other", "texts", "page", "reason")
        print_rows(rows, columns, as_json=as_json, nothing="no decisions")
        return 0

    return context.with_archive(work)


@clusters.command("rejudge")
@json_option
@pass_context
def rejudge_all(context: Context, as_json: bool) -> int:
    """Judge pairs again that older confirmation rules have judged, after an upgrade that brings new ones.

    Also looks at pairs that were left out, since one segment brought more than 50,000: until then clusters may depend
    on the order in which pages came. Old verdicts stay in the store beside the new. Stopped, it goes on when it is
    run again.
    """

    async def work(opened: Archive) -> int:
        done = await rejudge(opened.cluster_ports(), lambda at, of: say(f"judged again {at} of {of} pairs"))
        if as_json:
            print_json(asdict(done))
        elif not done.pairs:
            say("nothing to do: all pairs were judged by the rules in force, and none was left out")
        else:
            unreadable = f"; {done.unreadable} could not be looked at any more" if done.unreadable else ""
            click.echo(f"{counted(done.pairs, 'pair')} judged, {done.changed} otherwise than before{unreadable}")
        return 0

    return context.with_archive(work)


@clusters.command("bulk")
@json_option
@pass_context
def bulk(context: Context, as_json: bool) -> int:
    """Cluster everything that is extracted and waits for it, at once and on this machine.

    For a large archive that is clustered for the first time, or anew: the same clusters as segment by segment, from
    files in the spool instead of questions to Redis. It may run beside workers. A Redis or an S3 that is away for a
    moment is waited for. Stopped or killed, it goes on where it was when it is run again.
    """

    async def work(opened: Archive) -> int:
        with (
            exclusive_folder(
                opened.settings.spool_dir / BULK_FOLDER, whose="`citevault clusters bulk`", keep=True
            ) as folder,
            shown_steps() as told,
        ):
            done = await cluster_in_bulk(BulkPorts(opened.cluster_ports(), folder, told, _interrupted))
        if as_json:
            print_json(asdict(done))
        elif not done.segments:
            say("nothing to do: all segments that are extracted are clustered")
        else:
            click.echo(
                f"{counted(done.segments, 'segment')} with {counted(done.texts, 'text')} clustered: "
                f"{counted(done.pairs, 'pair')} looked at, "
                f"{done.confirmed} confirmed"
            )
            if done.pairs_left_out:
                left = counted(done.pairs_left_out, "pair was", "pairs were")
                say(f"{left} left out: too many pages of one form to compare them all")
        return 0

    return context.with_archive(work)


def _interrupted(error: RetryableError, seconds: float) -> None:
    where = f" at {error.where}" if error.where else ""
    say(f"interrupted: {error.what}{where}; goes on in {seconds:.0f} s")


def _no_cluster(name: str) -> PermanentError:
    return PermanentError("there is no such cluster", where=name[:80], next_step="see `citevault clusters`")


async def _several(opened: Archive, singles: bool) -> AsyncIterator[ClusterMembers]:
    """Clusters of several sources, or all."""
    async for name in opened.clusters.all():
        found = await opened.clusters.members(name)
        if found is not None and (singles or len({member.source_id for member in found.members}) > 1):
            yield found


def _print_cluster(row: Mapping[str, JsonValue], pages: Sequence[Page]) -> None:
    counted = f"{row['sources']} sources, {row['snapshots']} snapshots"
    other = f", {row['other_numbers']} pairs that tell other figures" if row["other_numbers"] else ""
    click.echo(f"{row['id']}  {counted}{other}")
    for one in pages:
        click.echo(f"  {one.in_words()}")
    if pages and len(pages) < int(str(row["sources"])):
        click.echo(f"  and more: `citevault clusters show {row['id']}`")


def _print_member(cluster: Cluster, number: int, line: SnapshotLine, opened: Archive) -> None:
    snapshot = line.snapshot
    tier = opened.tiers().verdict(snapshot.normalized_url)
    mark = "*" if snapshot.source_id == cluster.representative_source_id else " "
    published = f", published {snapshot.published_at}" if snapshot.published_at else ""
    told = f"{tier.tier.value} ({tier.reason}){shown(published)}"
    click.echo(f" {mark}{number} {snapshot.id}  {told}  {page(line).in_words()}")
