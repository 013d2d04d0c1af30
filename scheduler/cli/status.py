"""`status`, `watch`: where jobs are, and why a URL is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.links import links_told, say_links
from scheduler.cli.output import json_option, lines_option, print_json, print_lines, print_rows, say, shown
from scheduler.cli.waiting import MOST_OUTCOMES, published_segments, told_end, tried_again, wait_for
from scheduler.digest_claims import digest_remarks
from scheduler.in_hand import read_in_hand
from scheduler.links import LinkReader
from scheduler.outcomes import MissingReader
from scheduler.rebuild import damaged_objects
from scheduler.stuck import NEXT_STEP, AsideBatch, aside_batches, stuck_segments, stuck_sentences, unread_answers
from scheduler.unfinished_intake import intake_fault
from schemas.counted import counted
from schemas.records.decision import ControlJob, Decision
from schemas.records.job import BadLine
from schemas.records.outcome import Outcome
from workers.bootstrap import Archive
from workers.catalog.jobs import job_key, load_job
from workers.errors import CorruptError, ObjectMissingError, PermanentError
from workers.flows.decisions import read_decisions
from workers.flows.documents import read_lines_object
from workers.frontier.control import decisions_about
from workers.ports import JobProgress, ObjectStore

SHOWN_BAD_LINES = 50
SHOWN_REQUISITES = 20
SHOWN_REMARKS = 50
SHOWN_STUCK = 20


def register(cli: click.Group) -> None:
    cli.add_command(status)
    cli.add_command(watch)


@click.command()
@click.argument("job", required=False)
@lines_option
@pass_context
def status(context: Context, job: str | None, as_json: bool, as_lines: bool) -> int:
    """Progress of all jobs, or of one with the reason for each missing URL. Exit 3 where a damaged or missing object
    keeps that of one from being whole; what can be read is shown."""

    async def work(opened: Archive) -> int:
        if job is None:
            found = [progress for name in await opened.frontier.jobs() if (progress := await _of(opened, name))]
            print_rows(
                [_row(progress) if as_json or as_lines else _shown_row(progress) for progress in found],
                ("job_id", "state", "known", "done", "hosts_waiting", "outcomes"),
                as_json=as_json,
                as_lines=as_lines,
                nothing="no jobs",
            )
            damaged, aside = await damaged_objects(opened.store), await opened.frontier.aside()
            for sentence in await stuck_sentences(opened.ledger, [each.key for each in damaged], aside):
                say(sentence)
            for progress in found:
                if (fault := await intake_fault(opened.store, progress)) is not None:
                    say(fault)
            if any(progress.done < progress.known for progress in found):
                await _say_in_hand(opened)
            return 0
        return await one_job(opened, job, as_json=as_json, as_lines=as_lines)

    return context.with_archive(work, new=False)


@click.command()
@click.argument("job")
@json_option
@pass_context
def watch(context: Context, job: str, as_json: bool) -> int:
    """Follow a job until it is published, through all tries of its URLs. Exit 1 if one ended without a response, 3 if
    a segment was given up, a part of its seeds is lost, or all that is left is set aside. --json prints what
    `status JOB --json` says at the end."""

    async def work(opened: Archive) -> int:
        if await _of(opened, job) is None:
            return await _unread_job(opened, job, as_json=as_json, as_lines=False)
        ended = await wait_for(opened, job, "published", through_tries=True)
        say(_sentence(ended.progress))
        reader = MissingReader(opened.store, job)
        await reader.advance(most=MOST_OUTCOMES)
        code = told_end(job, ended, reader.missing(cancelled=ended.progress.state == "cancelled"))
        damaged = await one_job(opened, job, as_json=True, as_lines=False) if as_json else 0
        return code or damaged

    return context.with_archive(work, new=False)


async def one_job(opened: Archive, job_id: str, *, as_json: bool, as_lines: bool) -> int:
    """Print what is known of a job; the exit code: 3 where an object of it is damaged or gone."""
    progress = await _of(opened, job_id)
    if progress is None:
        return await _unread_job(opened, job_id, as_json=as_json, as_lines=as_lines)
    aside = aside_batches(await opened.frontier.aside(job_id))
    try:
        job = await load_job(opened.store, job_id)
    except (CorruptError, ObjectMissingError) as gone:
        return _without_job(progress, gone, aside, as_json=as_json, as_lines=as_lines)
    entries = await opened.ledger.of_job(job_id)
    stages: dict[str, JsonValue] = {}
    for entry in entries:
        name = "parked" if entry.parked else entry.stage
        stages[name] = int(str(stages.get(name, 0))) + 1
    stuck, unread = stuck_segments(entries), await unread_answers(opened.store, job_id, entries)
    published = published_segments(entries)
    reader = MissingReader(opened.store, job_id)
    await reader.advance()
    unread_receipts = {**reader.unreadable, **reader.gone(entry.receipt_key for entry in entries)}
    missing: list[dict[str, JsonValue]] = [
        {
            "url": item.requested_url,
            "outcome": item.outcome.value,
            "why": item.failure,
            "next": item.next_step,
            "tries": item.tries,
            "retry_at": item.retry_at,
        }
        for item in reader.missing(cancelled=progress.state == "cancelled")
    ]
    incomplete: list[dict[str, JsonValue]] = [
        {"url": item.requested_url, "outcome": item.outcome.value, "why": item.failure} for item in reader.incomplete()
    ]
    remarked = [*reader.remarks(cancelled=progress.state == "cancelled"), *await digest_remarks(opened.store, entries)]
    remarks: list[JsonValue] = [{"url": each.requested_url, "remark": each.sentence} for each in remarked]
    links = LinkReader(opened.store, job_id)
    if job.options.follow_depth:
        await links.advance()
    bad = await read_lines_object(opened.store, job.bad_lines_key, BadLine) if job.bad_lines_key else []
    decided, undecided = await _decided(opened.store, job_id)
    in_hand = await read_in_hand(opened, job_id)
    fault = await intake_fault(opened.store, progress)
    code = 3 if fault is not None or unread_receipts or undecided or aside else 0
    if as_json or as_lines:
        answer: dict[str, JsonValue] = {**_row(progress), "collection": job.collection, "created_at": job.created_at}
        answer["decisions"] = [
            {"action": what.action, "by": entry.by, "at": entry.at, "why": entry.why} for entry, what in decided
        ]
        told: list[JsonValue] = [line.model_dump(mode="json") for line in bad]
        answer |= {"segments": stages, "missing": [dict(item) for item in missing], "remarks": remarks}
        answer["bad_lines"] = told
        answer["intake_fault"] = fault
        answer["unreadable"] = [{"key": key, "error": str(why)} for key, why in sorted(unread_receipts.items())]
        answer["set_aside"] = [each.model_dump(mode="json") for each in aside]
        answer["stuck"] = [each.model_dump(mode="json") for each in stuck]
        answer["unread"] = [each.model_dump(mode="json") for each in unread]
        answer["requisites"] = {outcome.value: count for outcome, count in sorted(reader.requisites.items())}
        answer["missing_requisites"] = [
            {"url": each.url, "kind": each.kind.value, "outcome": each.outcome.value, "why": each.failure or ""}
            for each in reader.missing_requisites()
        ]
        if job.options.follow_depth:
            answer["links"] = links_told(links)
        answer["incomplete"] = [dict(item) for item in incomplete]
        answer["answers"] = reader.answers.as_json(published)
        answer["held_back"] = [*in_hand.holdups] if progress.done < progress.known else []
        print_lines([answer]) if as_lines else print_json(answer)
        return code
    click.echo(f"{job_id} in collection {job.collection}, handed in at {job.created_at}")
    click.echo(_sentence(progress))
    if fault is not None:
        click.echo(f"  {fault}")
    _say_aside(aside)
    for _, damage in sorted(unread_receipts.items())[:SHOWN_STUCK]:
        click.echo(f"  what this receipt says of URLs is left out below: {shown(str(damage))}")
    if len(unread_receipts) > SHOWN_STUCK:
        click.echo(f"  … and {len(unread_receipts) - SHOWN_STUCK} more receipts that cannot be read (--json)")
    if progress.done < progress.known:
        for sentence in in_hand.holdups:
            click.echo(f"  held back by {shown(sentence)}")
    for decision, what in decided:
        click.echo(f"  {what.action} by {shown(decision.by)} at {decision.at[:19]}Z: {shown(decision.why)}")
    if job.options.follow_depth:
        say_links(links, job.options, ended=progress.captured_all)
    if reader.requisites:
        click.echo(f"what pages needed: {_counts(reader.requisites)}")
    click.echo(reader.answers.sentence(published))
    click.echo("segments: " + (", ".join(f"{count} {name}" for name, count in stages.items()) or "none"))
    for each in stuck[:SHOWN_STUCK]:
        state = "parked" if each.parked else "failing, and tried again"
        click.echo(f"  {each.stage} segment {each.segment_id} {state}: {shown(each.error)}")
    if any(each.parked for each in stuck):
        click.echo(f"  next, for what is parked: {NEXT_STEP}")
    for answer_ in unread[:SHOWN_STUCK]:
        click.echo(f"  not extracted {shown(answer_.requested_url)}: {shown(answer_.error)}")
    for line in bad[:SHOWN_BAD_LINES]:
        excerpt = f": {shown(line.excerpt[:80])}" if line.excerpt else ""
        click.echo(f"  bad line {line.line}: {shown(line.message)}{excerpt}")
    if len(bad) > SHOWN_BAD_LINES:
        click.echo(f"  … and {len(bad) - SHOWN_BAD_LINES} more bad lines (all of them: --json)")
    for item in missing:
        again = "" if item["retry_at"] is None else f"; tried again from {str(item['retry_at'])[:19]}Z on"
        click.echo(f"  missing {shown(item['url'])}: {item['outcome']} - {shown(item['why'])}{again}")
    for error in reader.answers.errors[:SHOWN_REMARKS]:
        click.echo(f"  answered with an error {shown(error.requested_url)}: {error.status}")
    if len(reader.answers.errors) > SHOWN_REMARKS:
        click.echo(f"  … and {len(reader.answers.errors) - SHOWN_REMARKS} more errors (--json has the first thousand)")
    for item in incomplete[:SHOWN_REMARKS]:
        click.echo(f"  incomplete {shown(item['url'])}: {item['outcome']} - {shown(item['why'])}")
    if len(incomplete) > SHOWN_REMARKS:
        click.echo(f"  … and {len(incomplete) - SHOWN_REMARKS} more that are incomplete (all of them: --json)")
    for requisite in reader.missing_requisites()[:SHOWN_REQUISITES]:
        why = f"{requisite.outcome.value} - {shown(requisite.failure or '')}"
        click.echo(f"  not captured with its page: {requisite.kind.value} {shown(requisite.url)}: {why}")
    if len(reader.missing_requisites()) > SHOWN_REQUISITES:
        click.echo("  … and more of them (--json has the first thousand)")
    for outcome, step in sorted({(str(item["outcome"]), str(item["next"])) for item in missing}):
        click.echo(f"  next, for {outcome}: {step}")
    for remark in remarked[:SHOWN_REMARKS]:
        click.echo(f"  remark {shown(remark.sentence)}")
    if len(remarks) > SHOWN_REMARKS:
        click.echo(f"  … and {len(remarks) - SHOWN_REMARKS} more remarks (all of them: --json)")
    return code


async def _unread_job(opened: Archive, job_id: str, *, as_json: bool, as_lines: bool) -> int:
    """Say so where the frontier does not know a job since a rebuild could not read its object, exit 3; PermanentError
    where there never was such a job."""
    key = await _unread_key(opened.store, job_id)
    if key is None:
        raise unknown_job(job_id)
    fault = f"Redis was rebuilt without this job, since its object cannot be read: {key}; what it has captured is kept"
    fault += "; next: restore it from a copy of the bucket, then `citevault rebuild`; where there is no copy, hand in "
    fault += "again what is wanted"
    if as_json or as_lines:
        answer: dict[str, JsonValue] = {"job_id": job_id, "job_fault": fault}
        print_lines([answer]) if as_lines else print_json(answer)
    else:
        click.echo(job_id)
        click.echo(f"  {shown(fault)}")
    return 3


async def _unread_key(store: ObjectStore, job_id: str) -> str | None:
    try:
        key = job_key(job_id)
    except PermanentError:
        return None
    return key if any(each.key == key for each in await damaged_objects(store)) else None


def _without_job(
    progress: JobProgress,
    error: CorruptError | ObjectMissingError,
    aside: Sequence[AsideBatch],
    *,
    as_json: bool,
    as_lines: bool,
) -> int:
    """What Redis knows of a job whose own object is damaged or gone: that object says what was asked for, so more of
    the job cannot be told before it is restored. Exit 3."""
    fault = f"the object of this job cannot be read: {error.what} at {job_key(progress.job_id)}; next: restore it"
    fault += f" from a copy of the bucket, then `citevault retry {progress.job_id}`"
    if as_json or as_lines:
        answer: dict[str, JsonValue] = {**_row(progress), "job_fault": fault}
        answer["set_aside"] = [each.model_dump(mode="json") for each in aside]
        print_lines([answer]) if as_lines else print_json(answer)
        return 3
    click.echo(progress.job_id)
    click.echo(_sentence(progress))
    click.echo(f"  {shown(fault)}")
    _say_aside(aside)
    return 3


def _say_aside(aside: Sequence[AsideBatch]) -> None:
    for each in aside[:SHOWN_STUCK]:
        urls = counted(each.urls, "URL waits", "URLs wait")
        again = f"{urls}; looked at {counted(each.looks, 'time')}, the next time at {each.next_look_at[:19]}Z"
        click.echo(f"  set aside batch {each.batch_id} ({again}): {shown(each.fault)}")
    if len(aside) > SHOWN_STUCK:
        click.echo(f"  … and {len(aside) - SHOWN_STUCK} more batches that are set aside (all of them: --json)")


async def _decided(store: ObjectStore, job_id: str) -> tuple[list[tuple[Decision, ControlJob]], bool]:
    """What was decided about a job; whether that cannot be read, which is said, and hides nothing else."""
    try:
        return decisions_about(await read_decisions(store), job_id), False
    except CorruptError as error:
        say(f"what was decided about jobs cannot be read: {error}")
        return [], True


async def _say_in_hand(opened: Archive) -> None:
    found = await read_in_hand(opened)
    say(found.sentence)
    for sentence in found.holdups:
        say(f"held back by {shown(sentence)}")


async def _of(opened: Archive, job_id: str) -> JobProgress | None:
    return await opened.frontier.progress(job_id)


def _row(progress: JobProgress) -> dict[str, JsonValue]:
    return {
        "job_id": progress.job_id,
        "state": progress.shown_state,
        "known": progress.known,
        "done": progress.done,
        "hosts_waiting": progress.hosts_waiting,
        "later": progress.later,
        "next_try_at": progress.next_try_at,
        "left_to_cancel": progress.left_to_cancel,
        "unread_segments": progress.unread_segments,
        "outcomes": dict(sorted(progress.outcomes.items())),
    }


def _shown_row(progress: JobProgress) -> dict[str, JsonValue]:
    row = _row(progress)
    return {**row, "state": f"cancelling, {progress.left_to_cancel} left"} if progress.left_to_cancel else row


def _counts(outcomes: Mapping[Outcome, int]) -> str:
    return ", ".join(f"{count} {outcome.value}" for outcome, count in sorted(outcomes.items()))


def _sentence(progress: JobProgress) -> str:
    outcomes = ", ".join(f"{count} {name}" for name, count in sorted(progress.outcomes.items())) or "no outcome yet"
    again = f"; {tried_again(progress)}" if progress.later else ""
    reading = (
        f"; links of {counted(progress.unread_segments, 'segment')} to be taken" if progress.unread_segments else ""
    )
    state = "" if progress.state == "running" else f"{progress.state}; "
    if progress.left_to_cancel:
        state = f"cancelling, {progress.left_to_cancel} left; "
    counts = f"{progress.done} of {counted(progress.known, 'URL')}: {outcomes}"
    return f"{state}{counts}; {counted(progress.hosts_waiting, 'host')} waiting{again}{reading}"


def unknown_job(job: str) -> PermanentError:
    return PermanentError("there is no such job", where=job[:80], next_step="see `citevault status`")
