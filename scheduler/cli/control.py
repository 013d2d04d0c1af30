"""`pause`, `resume`, `cancel`, `retry`: what a person decides about a job. Written down first, then put in force."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from typing import Final, Literal, TypeVar

import click
from pydantic import ValidationError

from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import say
from scheduler.cli.signing import said_wrongly
from scheduler.control import NoEffect, decide
from schemas.counted import counted
from schemas.records.decision import ControlJob
from schemas.records.outcome import Outcome
from workers.bootstrap import Archive
from workers.errors import PermanentError
from workers.frontier.control import FAILURES, TAKEN_UP

UNSAID = "asked for on the command line, without a reason"
Action = Literal["pause", "resume", "cancel", "retry"]
DONE: Final[dict[Action, str]] = {
    "pause": "paused {job}; go on with: citevault resume {job}",
    "resume": "resumed {job}; follow it with: citevault watch {job}",
    "cancel": "cancelled {job} for good; what it has: citevault status {job}",
    "retry": "trying {job} again; follow it with: citevault watch {job}",
}
F = TypeVar("F", bound=Callable[..., object])


def register(cli: click.Group) -> None:
    for command in (pause, resume, cancel, retry):
        cli.add_command(command)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _signed(command: F) -> F:
    command = click.option("--by", default=_user, help="Who decides (default: the user name).")(command)
    return click.option(
        "--why", default=UNSAID, help="The reason, kept for good with the decision (10 characters at least)."
    )(command)


@click.command()
@click.argument("job")
@_signed
@pass_context
def pause(context: Context, job: str, why: str, by: str) -> int:
    """Stop a job for now. Workers hand back what is left, within some 20 s; what takes longer is fetched again."""
    return _decide(context, ControlJob(job_id=_id(job), action="pause"), why, by)


@click.command()
@click.argument("job")
@_signed
@pass_context
def resume(context: Context, job: str, why: str, by: str) -> int:
    """Let a paused job go on."""
    return _decide(context, ControlJob(job_id=_id(job), action="resume"), why, by)


@click.command()
@click.argument("job")
@_signed
@pass_context
def cancel(context: Context, job: str, why: str, by: str) -> int:
    """End a job for good. What it has captured stays; what it has not ends as `cancelled`."""
    return _decide(context, ControlJob(job_id=_id(job), action="cancel"), why, by)


@click.command()
@click.argument("job")
@click.option(
    "--outcome",
    "outcomes",
    multiple=True,
    type=click.Choice(sorted(outcome.value for outcome in TAKEN_UP)),
    help="Try again what ended so. Repeatable; default: everything that failed or was parked, no refusals.",
)
@_signed
@pass_context
def retry(context: Context, job: str, outcomes: tuple[str, ...], why: str, by: str) -> int:
    """Try again, at once, what ended without an answer (each URL gets all its tries once more), and the segments that
    are parked."""
    meant = sorted(map(Outcome, outcomes)) or sorted(FAILURES)
    return _decide(context, ControlJob(job_id=_id(job), action="retry", outcomes=tuple(meant)), why, by)


def _decide(context: Context, decision: ControlJob, why: str, by: str) -> int:
    async def work(opened: Archive) -> int:
        try:
            done = await decide(
                decision,
                by=by,
                why=why,
                now=opened.clock.now(),
                store=opened.store,
                frontier=opened.frontier,
                ledger=opened.ledger,
            )
        except ValidationError as error:
            raise click.UsageError(said_wrongly(error)) from error
        if done is None:
            raise _unknown(decision.job_id)
        if isinstance(done, NoEffect):
            say(f"{decision.job_id} {done.why}")
            return 1
        if done.segments_again:
            say(f"{counted(done.segments_again, 'parked segment is', 'parked segments are')} tried again")
        if done.batches_again:
            are = counted(done.batches_again, "batch that is", "batches that are")
            say(f"{are} set aside: the scheduler looks at once whether all objects can be read")
        if done.entry is not None:
            click.echo(DONE[decision.action].format(job=decision.job_id))
            progress = await opened.frontier.progress(decision.job_id)
            if progress is not None and progress.left_to_cancel:
                left = counted(progress.left_to_cancel, "URL is", "URLs are")
                say(f"{left} still to end; `citevault status {decision.job_id}` counts down")
        return 0

    return context.with_archive(work, new=False)


def _id(job: str) -> str:
    """The id as given; an id that can be none is one of no job."""
    try:
        ControlJob(job_id=job, action="pause")
    except ValidationError:
        raise _unknown(job) from None
    return job


def _unknown(job: str) -> PermanentError:
    return PermanentError("there is no such job", where=job[:80], next_step="see `citevault status`")
