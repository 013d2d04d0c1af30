"""`judge`: whether quotes support their claims, said by a model, by people, and warned of word by word."""

from __future__ import annotations

import sys

import click
from pydantic import JsonValue

from scheduler.cli import judge_agreement, judge_arbitrate, judge_queue, judge_review
from scheduler.cli.context import Context, pass_context
from scheduler.cli.judging import ask_of, entry_row, next_build
from scheduler.cli.output import json_option, lines_option, print_json, print_rows, say
from schemas.counted import counted
from schemas.ids import utc_string
from workers.bootstrap import Archive

MOST_TOLD = 20


def register(cli: click.Group) -> None:
    judge_queue.register(judge)
    judge_review.register(judge)
    judge_agreement.register(judge)
    judge_arbitrate.register(judge)
    cli.add_command(judge)


@click.group()
def judge() -> None:
    """Judge whether the quotes of a bundle support their claims. What is said is kept for good."""


@judge.command("run")
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("--again", is_flag=True, help="Ask also about what this model has judged already; both answers are kept.")
@click.option("--only", "names", multiple=True, metavar="EVIDENCE", help="This edge only; repeatable.")
@json_option
@pass_context
def run(context: Context, directory: str, again: bool, names: tuple[str, ...], as_json: bool) -> int:
    """Ask the pinned model (CITEVAULT_JUDGE_URL, CITEVAULT_JUDGE_MODEL) about each edge that it has not judged yet.

    Exit 3 where an edge has no usable answer; it stays unjudged. Each judgement is kept as it comes.
    """
    from workers.adapters.chat import open_endpoint
    from workers.adapters.evaluator import parameters_in_force
    from workers.flows.judge.asking import Asking, ask_all, keep_checker
    from workers.flows.judge.ledger import JudgementLedger

    settings = context.settings()
    parameters = parameters_in_force(settings)
    asked = ask_of(directory, parameters.context_chars)
    questions = [asked.one(name) for name in dict.fromkeys(names)] or asked.questions

    def told(done: int, whole: int) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{done} of {whole} judged{'' if done < whole else chr(10)}")
            sys.stderr.flush()

    async def work(opened: Archive) -> int:
        found = Asking()
        async with open_endpoint(
            settings.judge_url, settings.judge_api_key, seconds=settings.judge_seconds
        ) as endpoint:
            name = await keep_checker(opened.store, parameters)
            found = await ask_all(
                questions,
                parameters,
                endpoint,
                JudgementLedger(opened.store),
                now=lambda: utc_string(opened.clock.now()),
                at_once=settings.judge_at_once,
                again=again,
                told=told,
            )
        rows: list[dict[str, JsonValue]] = [
            {"evidence_id": q.evidence_id, "new": q.evidence_id in found.fresh, **entry_row(entry)}
            for q in questions
            if (entry := found.entries.get(q.evidence_id)) is not None
        ]
        unanswered: list[dict[str, JsonValue]] = [
            {"evidence_id": q.evidence_id, "why": none.why, "next_step": none.next_step}
            for q in questions
            if (none := found.unanswered.get(q.evidence_id)) is not None
        ]
        if as_json:
            print_json({"checker_version": name, "judgements": [*rows], "unanswered": [*unanswered]})
        else:
            print_rows(rows, ("evidence_id", "support", "new", "rationale"), nothing="nothing was judged")
        for row in unanswered[:MOST_TOLD]:
            say(f"{row['evidence_id']} stays unjudged: {row['why']}; next: {row['next_step']}")
        if len(unanswered) > MOST_TOLD:
            say(f"and {len(unanswered) - MOST_TOLD} more, which --json lists")
        say(f"{name}: {len(rows)} judged, {len(found.fresh)} of them now, {len(unanswered)} without an answer")
        if found.fresh:
            say(next_build(asked.bundle))
        if found.refusal is not None:
            raise found.refusal
        return 3 if unanswered or asked.refused else 0

    return context.with_archive(work)


@judge.command("lexical")
@click.argument("directory", metavar="DIR", type=click.Path())
@lines_option
def lexical(directory: str, as_json: bool, as_lines: bool) -> int:
    """Warn where figures, units, negations, comparisons or names of a claim are not those of its quote.

    It decides nothing, and its silence means nothing. No archive is asked.
    """
    from workers.judge.review import lexical as warnings_of

    asked = ask_of(directory)
    rows: list[dict[str, JsonValue]] = [
        {"evidence_id": question.evidence_id, "claim_id": question.claim_id, "kind": warning.kind, "what": warning.what}
        for question in asked.questions
        for warning in warnings_of(question)
    ]
    print_rows(rows, ("evidence_id", "kind", "what"), as_json=as_json, as_lines=as_lines, nothing="no warnings")
    warnings = counted(len(rows), "warning")
    say(f"{counted(len(asked.questions), 'edge')} compared, {warnings} (lexical@1); none of them is a judgement")
    return 0
