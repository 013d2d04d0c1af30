"""`archive`: hand in URLs, and wait for what becomes of them."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.crawl import CrawlWish, crawl_options, with_crawl
from scheduler.cli.options import checked_collection, opened_networks
from scheduler.cli.order import STAGES
from scheduler.cli.output import json_option, print_json, say, shown
from scheduler.cli.seeds import HeardLines, network, opened_source, unreachable
from scheduler.cli.waiting import MOST_OUTCOMES, Ended, published_segments, told_end, wait_for
from scheduler.intake import IntakeInterruptedError, NothingToArchive, Order, accept_taken, read_urls, take_in
from scheduler.intake.source import Source
from scheduler.outcomes import MissingReader
from schemas.counted import counted
from schemas.records.job import JobOptions, Lane, RobotsPolicy, Scope, StoredJob
from workers.bootstrap import Archive
from workers.errors import PermanentError

TOLD_QUEUED = 50_000
"""Of fewer URLs nobody has to be told that they are on their way."""
MAX_INTERACTIVE = 20
"""So many URLs given by hand go to the interactive queue; what comes from a file, or by links, is bulk work."""


def register(cli: click.Group) -> None:
    cli.add_command(archive)


@click.command()
@click.argument("urls", nargs=-1)
@click.option(
    "--from",
    "source",
    metavar="FILE",
    help="Read from a file (`-`: standard input): one URL a line, CSV with a url column, JSONL of search hits, "
    "a sitemap, a bundle, or a job file.",
)
@click.option("--collection", metavar="NAME", help="Named set of jobs; duplicates are looked for within it.")
@click.option(
    "--wait",
    "stage",
    is_flag=False,
    flag_value="published",
    type=click.Choice(STAGES),
    help="Wait until everything is captured, extracted, or published (the default).",
)
@click.option("--robots", type=click.Choice([policy.value for policy in RobotsPolicy]), help="Default: obey.")
@click.option(
    "--allow-network",
    "networks",
    multiple=True,
    metavar="CIDR",
    help="Open a private range to this job, such as 127.0.0.0/8. Repeatable.",
)
@click.option("--insecure-tls", is_flag=True, help="Archive pages whose certificate does not verify, and mark them.")
@click.option("--fresh", is_flag=True, help="Fetch every page in full, also one that its server would call unchanged.")
@click.option(
    "--no-requisites", is_flag=True, help="Archive the pages alone: no style sheets, images, fonts, scripts, frames."
)
@crawl_options
@json_option
@pass_context
def archive(
    context: Context,
    urls: tuple[str, ...],
    source: str | None,
    collection: str | None,
    stage: str | None,
    robots: str | None,
    networks: tuple[str, ...],
    insecure_tls: bool,
    fresh: bool,
    no_requisites: bool,
    depth: int | None,
    sitemaps: tuple[str, ...],
    scope: str | None,
    exclude: tuple[str, ...],
    max_pages: int | None,
    max_pages_per_host: int | None,
    as_json: bool,
) -> int:
    """Archive URLs. Prints the id of the job; with --wait, exit 1 if a URL ended without a response, 3 if all
    that is left is set aside until an object is restored."""
    if bool(urls or sitemaps) == bool(source):
        raise click.UsageError("give URLs and sitemaps, or --from FILE")
    settings = context.settings()
    if collection is not None:
        checked_collection(collection)
    given = JobOptions(
        robots=RobotsPolicy(robots or "obey"),
        allow_networks=opened_networks(settings, networks),
        insecure_tls=insecure_tls,
        fresh=fresh,
        requisites=not no_requisites,
        sitemaps=bool(sitemaps),
    )
    wish = CrawlWish(depth, None if scope is None else Scope(scope), exclude, max_pages, max_pages_per_host)
    with ExitStack() as stack:
        if source is None:
            lines = HeardLines(read_urls([*urls, *sitemaps]))
            options = with_crawl(given, wish)
            by_hand = len(urls) <= MAX_INTERACTIVE and not options.follow_depth
            order = Order(collection or "default", Lane.INTERACTIVE if by_hand else Lane.BULK, options)
        else:
            found = opened_source(stack, source)
            lines = HeardLines.of(found)
            order = _order(found, collection, given, robots, wish)
        lines.refuse = unreachable(settings, order.options.allow_networks)
        folder = TemporaryDirectory(prefix="citevault-intake-")
        taken = take_in(lines, Path(stack.enter_context(folder)), _told)  # before a stack is started for it
        if isinstance(taken, NothingToArchive):
            told = f"none of {taken.lines} lines was good" if taken.lines else "the input is empty"
            say(f"nothing to archive: {told}\n  next: give one URL a line, each with http:// or https:// in front")
            return 2

        async def work(opened: Archive) -> int:
            try:
                job = await accept_taken(
                    taken,
                    lines,
                    order,
                    store=opened.store,
                    frontier=opened.frontier,
                    now=opened.clock.now(),
                    told_queued=_told_queued,
                )
            except IntakeInterruptedError as error:  # the job exists: its id must not be lost
                print_json(_job(error.job)) if as_json else click.echo(error.job.id)
                raise
            folder.cleanup()  # it may be waited for long
            code = await _report(opened, job, stage, as_json)
            if job.bad_lines:
                of = counted(job.lines, "line")
                say(f"not taken: {job.bad_lines} of {of}; the job keeps them, each with the reason")
            return code

        return context.with_archive(work)


def _order(found: Source, collection: str | None, given: JobOptions, robots: str | None, wish: CrawlWish) -> Order:
    """A job file brings its own collection and options; what the command line names goes before them."""
    if found.job_file is None:
        return Order(collection or "default", Lane.BULK, with_crawl(given, wish))
    own = found.job_file.options
    if own.render:
        raise PermanentError(
            "the job file asks for rendering, and this version archives what servers send",
            where="options",
            next_step="leave out render",
        )
    own = with_crawl(own, wish)
    opened = [network(each, place="the job file's options.allow_networks") for each in own.allow_networks]
    options = own.model_copy(
        update={
            "allow_networks": tuple(dict.fromkeys([*opened, *given.allow_networks])),
            "insecure_tls": own.insecure_tls or given.insecure_tls,
            "fresh": own.fresh or given.fresh,
            "requisites": own.requisites and given.requisites,
            "robots": given.robots if robots else own.robots,
        }
    )
    return Order(collection or found.job_file.collection, Lane.BULK, options)


def _told(lines: int) -> None:
    say(f"{counted(lines, 'line')} read")


def _told_queued(urls: int) -> None:
    if urls >= TOLD_QUEUED:
        say(f"{urls} URLs queued")


async def _report(opened: Archive, job: StoredJob, stage: str | None, as_json: bool) -> int:
    """Print the job, wait if asked to, and say how it ended."""
    say(
        f"{counted(job.seeds, 'URL')} queued ({counted(job.lines, 'line')}, "
        f"{counted(job.duplicates, 'other spelling or repeat', 'other spellings or repeats')}, "
        f"{counted(job.bad_lines, 'bad line')} kept with the job)"
    )
    if not as_json:
        click.echo(job.id)
    ended = await wait_for(opened, job.id, stage) if stage else None
    if ended is None:
        if as_json:
            print_json({**_job(job), "ended": None})
        return 0
    reader = MissingReader(opened.store, job.id)
    whole = await reader.advance(most=MOST_OUTCOMES)
    published = published_segments(await opened.ledger.of_job(job.id))
    if as_json:
        answers = reader.answers.as_json(published) if whole else None
        print_json({**_job(job), "ended": {**_ended(ended), "answers": answers}})
    counts = ", ".join(f"{count} {shown(name)}" for name, count in sorted(ended.progress.outcomes.items()))
    say(f"{stage}: {counts or 'nothing'}")
    if whole:
        say(reader.answers.sentence(published))
    return told_end(job.id, ended, reader.missing())


def _job(job: StoredJob) -> dict[str, JsonValue]:
    return {
        "job_id": job.id,
        "collection": job.collection,
        "lines": job.lines,
        "seeds": job.seeds,
        "duplicates": job.duplicates,
        "bad_lines": job.bad_lines,
    }


def _ended(ended: Ended) -> dict[str, JsonValue]:
    return {
        "known": ended.progress.known,
        "done": ended.progress.done,
        "outcomes": dict(ended.progress.outcomes),
        "without_response": ended.without_response,
        "parked": list(ended.parked),
        "intake_fault": ended.intake_fault,
    }
