"""`judge agreement`: how far evaluators agree with the people who judged the same, for the sample and for all."""

from __future__ import annotations

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.judge_people import line_of, tell_people
from scheduler.cli.judging import ask_of, sample_option
from scheduler.cli.output import json_option, print_json, print_rows, say
from schemas.agreement import Agreement
from schemas.judging import share_ppm
from schemas.people import of_people
from schemas.records.judgement import JudgementEntry
from workers.bootstrap import Archive


def register(judge: click.Group) -> None:
    judge.add_command(agreement)


@click.command("agreement")
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path())
@click.option(
    "--sample", callback=sample_option, metavar="SHARE", help="Rate of the human sample (default: the setting)."
)
@click.option("--people", is_flag=True, help="Compare people with each other, and name what they disagree on.")
@json_option
@pass_context
def agreement(context: Context, directory: str | None, sample: int | None, people: bool, as_json: bool) -> int:
    """Compare each evaluator with people: over the edges of a bundle, or, without one, over all that was ever judged.

    Raw share and Cohen's kappa, for the human sample alone, which is the fair figure, and for all that people reviewed.
    With --people every two people who judged the same; exit 1 where something that they disagree on is unresolved.
    """
    from workers.flows.judge.ledger import JudgementLedger
    from workers.judge.review import audits_of

    settings = context.settings()
    rate = sample if sample is not None else share_ppm(settings.human_sample) or 0
    asked = None if directory is None else ask_of(directory)

    async def work(opened: Archive) -> int:
        ledger = JudgementLedger(opened.store)
        entries: dict[str, list[JudgementEntry]] = {}
        if asked is not None:
            known = await ledger.of_each(question.inputs_sha256 for question in asked.questions)
            entries = {inputs: list(told) for inputs, told in known.items()}
        else:
            async for entry in ledger.everything():
                entries.setdefault(entry.inputs_sha256, []).append(entry)
        if people:
            return tell_people(entries, asked.questions if asked is not None else (), as_json)
        audits = audits_of(entries, rate)
        rows: list[dict[str, JsonValue]] = [
            {
                "checker_version": audit.checker_version,
                "judged": audit.judged,
                "sample": audit.sample,
                "sample_reviewed": audit.sample_reviewed,
                "in_sample": _said(audit.in_sample),
                "reviewed": _said(audit.reviewed),
                "unresolved": audit.unresolved,
            }
            for audit in audits
        ]
        if as_json:
            print_json([*rows])
        else:
            for row, audit in zip(rows, audits, strict=True):
                row |= {"in_sample": line_of(audit.in_sample), "reviewed": line_of(audit.reviewed)}
            names = ("checker_version", "judged", "sample", "sample_reviewed", "in_sample", "reviewed", "unresolved")
            print_rows(rows, names, nothing="no evaluator has judged anything here")
        if not audits:
            say(_missing(sum(bool(of_people(told)) for told in entries.values())))
        for audit in audits:
            if audit.sample_reviewed < audit.sample:
                left = audit.sample - audit.sample_reviewed
                say(f"{audit.checker_version}: {left} of its sample wait for a person (`citevault judge review DIR`)")
        return 0

    return context.with_archive(work)


def _missing(by_people: int) -> str:
    """What is to be done where there is no evaluator to compare. `by_people`: inputs that people have judged."""
    if not by_people:
        return "next: `citevault judge run DIR` has a model judge the edges, `citevault judge review DIR` a person"
    return (
        f"people alone have judged ({by_people}); next: `citevault judge run DIR` has a model judge the same, "
        "and `citevault judge agreement --people [DIR]` tells how far people agree with each other"
    )


def _said(of: Agreement) -> dict[str, JsonValue]:
    return {
        "pairs": of.pairs,
        "agreed": of.agreed,
        "raw_ppm": of.raw_ppm,
        "kappa_ppm": of.kappa_ppm,
        "table": [{"evaluator": one, "person": other, "count": count} for one, other, count in of.table],
    }
