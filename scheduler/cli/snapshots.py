"""`snapshots`, `show`: what is archived."""

from __future__ import annotations

import sys

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.naming import line_named
from scheduler.cli.output import lines_option, print_json, print_rows, say, shown
from scheduler.cli.status import unknown_job
from scheduler.cli.urls import normalized
from scheduler.digest_claims import verdict_in_words
from scheduler.outcomes import requisites_of
from schemas.records.requisite import RequisiteOutcome
from schemas.records.snapshot import Snapshot, SnapshotLine
from workers.bootstrap import Archive
from workers.flows.origins import origin_in_archive
from workers.flows.reading import read_answer, read_text


def register(cli: click.Group) -> None:
    cli.add_command(snapshots)
    cli.add_command(show)


@click.command()
@click.argument("url", required=False)
@click.option("--job", metavar="JOB", help="Only those of one job.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)
@lines_option
@pass_context
def snapshots(context: Context, url: str | None, job: str | None, limit: int, as_json: bool, as_lines: bool) -> int:
    """List snapshots: the newest, or those of a URL, of a job, or of both. Exit 1 if there is none of that URL."""
    resource = None if url is None else normalized(url)

    async def work(opened: Archive) -> int:
        catalog = opened.catalog
        if job is not None and await opened.frontier.progress(job) is None:
            raise unknown_job(job)
        if resource is not None:
            ids = await catalog.snapshots_of(resource)
            if job is not None:
                within = set(await catalog.snapshots_of_job(job))
                ids = [name for name in ids if name in within]
        elif job is not None:
            ids = await catalog.snapshots_of_job(job)
        else:
            ids = await catalog.newest(limit=limit)
        lines = [line for name in ids[:limit] if (line := await catalog.snapshot(name)) is not None]
        columns = ("id", "http_status", "reader_status", "final_url", "title")
        print_rows([_row(line) for line in lines], columns, as_json=as_json, as_lines=as_lines, nothing="no snapshots")
        return 1 if url is not None and not lines else 0

    return context.with_archive(work, new=False)


@click.command()
@click.argument("snapshot", metavar="SNAPSHOT|URL")
@click.option("--text", "what", flag_value="text", help="The text-v1 text.")
@click.option(
    "--record",
    "what",
    flag_value="record",
    help="The block of the response record, byte for byte; of the original for a 304.",
)
@click.option("--headers", "what", flag_value="headers", help="The HTTP response head.")
@click.option(
    "--requisites", "what", flag_value="requisites", help="What was captured with the page, or why it was not, as JSON."
)
@click.option(
    "--digests",
    "what",
    flag_value="digests",
    help="Its digests, and what its server said they are; exit 1 where that does not hold.",
)
@click.option("--json", "what", flag_value="json", default="json", help="The snapshot record (the default).")
@click.option(
    "--origin",
    nargs=2,
    type=click.IntRange(min=0),
    metavar="START END",
    help="Where a span of the text, in code points, stands in the decoded payload, as JSON; exit 1 where it cannot be "
    "told.",
)
@pass_context
def show(context: Context, snapshot: str, what: str, origin: tuple[int, int] | None) -> int:
    """Show one snapshot, named by its id, or by a URL: then its newest that may be cited."""

    async def work(opened: Archive) -> int:
        line = await line_named(opened, snapshot)
        if origin is not None:
            place = await origin_in_archive(opened.store, opened.catalog, line, *origin)
            if place is None:
                say(
                    "it cannot be told: the payload is no text or HTML, or these words are not in one place of it alone"
                )
                return 1
            print_json({"characters": [*place.characters], "payload_bytes": [*place.payload_bytes]})
        elif what == "text":
            text = await read_text(opened.store, line)
            if text is None:
                shot = line.snapshot
                say(f"{shot.id} has no text: {shot.reader_status.value}, {shot.reader_reason}")
                return 1
            sys.stdout.buffer.write(text.encode("utf-8"))  # the bytes that were hashed, whatever the terminal's charset
        elif what == "json":
            print_json(line.snapshot)
        elif what == "digests":
            return _print_digests(line.snapshot)
        elif what == "requisites":
            page = line.snapshot
            found = await requisites_of(opened.store, page.job_id, page.records.response)
            print_json([_requisite(each) for each in found])
        else:
            answer = await read_answer(opened.store, opened.catalog, line.snapshot.records)
            sys.stdout.buffer.write(answer.head if what == "headers" else answer.block)
        return 0

    return context.with_archive(work, new=False)


def _print_digests(snapshot: Snapshot) -> int:
    for name, digest, what in (
        ("content_sha256", snapshot.content_sha256, "as received, content coding intact"),
        ("repr_sha256", snapshot.repr_sha256, "the whole representation"),
        ("decoded_sha256", snapshot.decoded_sha256, "content coding removed"),
        ("text_sha256", snapshot.text_sha256, "the text-v1 text"),
    ):
        click.echo(f"{name:14}  {digest or '-':64}  {what}")
    for claim in snapshot.server_digests:
        click.echo(f"its server on {shown(verdict_in_words(claim))}")
    if not snapshot.server_digests:
        click.echo("its server said nothing of digests")
    return 1 if any(claim.agrees is False for claim in snapshot.server_digests) else 0


def _requisite(each: RequisiteOutcome) -> dict[str, JsonValue]:
    record = each.hops[-1].record("response", "revisit") if each.hops else None
    return {
        "url": each.url,
        "kind": each.kind.value,
        "outcome": each.outcome.value,
        "http_status": each.hops[-1].http_status if each.hops else None,
        "found_in": each.found_in,
        "found_at": each.found_at,
        "record": None if record is None else record.record_id,
        "why": each.failure,
    }


def _row(line: SnapshotLine) -> dict[str, JsonValue]:
    snapshot = line.snapshot
    return {
        "id": snapshot.id,
        "retrieved_at": snapshot.retrieved_at,
        "http_status": snapshot.http_status,
        "reader_status": snapshot.reader_status.value,
        "citeable": snapshot.citeable,
        "requested_url": snapshot.requested_url,
        "final_url": snapshot.final_url,
        "title": snapshot.title,
        "text_sha256": snapshot.text_sha256,
        "revisit": snapshot.records.payload != snapshot.records.response,
        "job_id": snapshot.job_id,
    }
