"""`judge queue` and `show`: what waits for a person, and everything about one edge."""

from __future__ import annotations

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.judging import Asked, ask_of, entry_row, row_of, sample_option, told_of
from scheduler.cli.output import json_option, lines_option, print_json, print_rows, shown
from schemas.judging import share_ppm
from workers.bootstrap import Archive
from workers.flows.judge.ledger import JudgementLedger
from workers.judge.review import Review, lexical, queue_of

directory_argument = click.argument("directory", metavar="DIR", type=click.Path())
sample = click.option(
    "--sample", "rate", callback=sample_option, metavar="SHARE", help="Rate of the human sample (default: the setting)."
)


def register(judge: click.Group) -> None:
    judge.add_command(queue)
    judge.add_command(show)


@click.command("queue")
@directory_argument
@sample
@lines_option
@pass_context
def queue(context: Context, directory: str, rate: int | None, as_json: bool, as_lines: bool) -> int:
    """List the edges that wait for a person, the most urgent first, and why.

    People disagree (`citevault judge arbitrate`); somebody says contradicts; author and model disagree; a model is
    unstable; words differ; it belongs to the human sample; or nobody but the author has judged it.
    """
    asked = ask_of(directory)

    async def work(opened: Archive) -> int:
        rows: list[dict[str, JsonValue]] = [
            {
                **row_of(item.question),
                "reasons": [reason.value for reason in item.reasons],
                "warnings": [str(warning) for warning in item.warnings],
            }
            for item in await waiting(context, opened, asked, rate)
        ]
        columns = ("evidence_id", "claim_id", "importance", "reasons", "claim", "quote")
        print_rows(rows, columns, as_json=as_json, as_lines=as_lines, nothing="nothing waits for a person")
        return 0

    return context.with_archive(work)


@click.command("show")
@directory_argument
@click.argument("evidence")
@json_option
@pass_context
def show(context: Context, directory: str, evidence: str, as_json: bool) -> int:
    """Show one edge: claim, quote in its passage, warnings, and everything that was ever said of it."""
    question = ask_of(directory).one(evidence)

    async def work(opened: Archive) -> int:
        told = await JudgementLedger(opened.store).of(question.inputs_sha256)
        warnings = lexical(question)
        if as_json:
            rows: list[JsonValue] = [entry_row(entry) for entry in told]
            print_json({**row_of(question), "warnings": [str(w) for w in warnings], "judgements": rows})
            return 0
        for line in [*told_of(question), *(f"  warning: {warning}" for warning in warnings)]:
            click.echo(shown(line))
        print_rows(
            [entry_row(entry) for entry in told],
            ("judged_at", "checker_version", "by", "support", "rationale"),
            nothing="nobody but its author has judged it",
        )
        return 0

    return context.with_archive(work)


async def waiting(context: Context, opened: Archive, asked: Asked, rate: int | None) -> list[Review]:
    """The queue of a bundle. `rate`: parts per million; None: as the settings say."""
    settings = context.settings()
    ppm = rate if rate is not None else share_ppm(settings.human_sample) or 0
    ledger = JudgementLedger(opened.store)
    return queue_of(asked.questions, await ledger.of_each(q.inputs_sha256 for q in asked.questions), ppm)
