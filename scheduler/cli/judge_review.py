"""`judge review` and `record`: what people say. Each judgement is kept at once, so that who stops loses none."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.files import read_file
from scheduler.cli.judge_queue import directory_argument, sample, waiting
from scheduler.cli.judging import ask_of, entry_row, next_build, told_of
from scheduler.cli.output import json_option, print_rows, say
from scheduler.cli.people import user_name
from schemas.ids import utc_string
from schemas.judging import HUMAN
from schemas.records.claim import Support
from schemas.records.judgement import JudgementEntry
from workers.bootstrap import Archive
from workers.errors import CitevaultError
from workers.flows.judge.ledger import Asked, JudgementLedger
from workers.judge.question import Question
from workers.judge.review import Reason, lexical, second_looks
from workers.judge.spoken import Spoken, SpokenWrongly, check_name, check_spoken, read_spoken

MAX_LINES_BYTES = 16 * 1024 * 1024
_LETTERS = {"f": Support.FULL, "p": Support.PARTIAL, "n": Support.NO_SUPPORT, "c": Support.CONTRADICTS}
_ASK = "[f]ull, [p]artial, [n]o support, [c]ontradicts; [s]kip, [q]uit"
by_option = click.option("--by", default=user_name, help="Who judges (default: the user name).")


def register(judge: click.Group) -> None:
    for command in (review, record):
        judge.add_command(command)


@click.command("review")
@directory_argument
@click.argument("evidence", nargs=-1)
@sample
@click.option("--second", is_flag=True, help="What others have judged and you have not: shows how far people agree.")
@by_option
@pass_context
def review(context: Context, directory: str, evidence: tuple[str, ...], rate: int | None, second: bool, by: str) -> int:
    """Go through the queue, or through these edges: each is shown, and what you say is kept at once.

    What others said is not shown before you have judged. Exit 1 where edges are left.
    """
    asked = ask_of(directory)
    check_by(by)

    questions = [asked.one(name) for name in evidence]
    if not questions and second:
        questions = context.with_archive(lambda opened: _seconds(opened, asked.questions, by))
    elif not questions:
        queued = context.with_archive(lambda opened: waiting(context, opened, asked, rate))
        questions = [item.question for item in queued if Reason.UNRESOLVED not in item.reasons]
        if len(questions) < len(queued):
            say(f"{len(queued) - len(questions)} wait for an arbiter: people disagree (`citevault judge arbitrate`)")
    questions = list({question.inputs_sha256: question for question in questions}.values())  # copies are asked once
    done = 0
    try:
        # Nothing is open while a person thinks, so that an interrupt ends the question and not the archive's loop.
        for place, question in enumerate(questions, 1):
            said = _ask(question, place, len(questions))
            if said is not None:
                entry = context.with_archive(partial(_keep, question=question, spoken=said, by=by))
                done += 1
                click.echo(f"{question.evidence_id} {entry.support.value}")
    except (click.Abort, EOFError, _QuitError):
        say("")
    say(f"{done} judged, {len(questions) - done} left" + ("; run it again to go on" if done < len(questions) else ""))
    if done:
        say(next_build(asked.bundle))
    return 0 if done == len(questions) else 1


@click.command("record")
@directory_argument
@click.argument("evidence", required=False)
@click.option(
    "--support", type=click.Choice([each.value for each in Support]), help="What the quote says of the claim."
)
@click.option("--why", help="The words that decide, kept for good (10 characters at least).")
@click.option("--from", "file", metavar="FILE", help='JSON lines {"evidence_id", "support", "why"}, or - for stdin.')
@by_option
@json_option
@pass_context
def record(
    context: Context,
    directory: str,
    evidence: str | None,
    support: str | None,
    why: str | None,
    file: str | None,
    by: str,
    as_json: bool,
) -> int:
    """Record a person's judgement of one edge, or those of a file; of a file with a fault none is kept.

    A line may have `by`, and `inputs_sha256` from `judge queue --json`, which refuses what has changed meanwhile.
    """
    asked = ask_of(directory)
    check_by(by)
    if (file is None) == (evidence is None) or (evidence is not None and (support is None or why is None)):
        raise click.UsageError("give EVIDENCE with --support and --why, or --from FILE")
    spoken = check_spoken(evidence or "", support or "", why or "") if file is None else read_spoken(_lines(file))
    if isinstance(spoken, SpokenWrongly):
        raise click.UsageError(str(spoken))
    pairs = [(asked.one(each.evidence_id), each) for each in spoken]
    for question, each in pairs:
        if each.inputs_sha256 is not None and each.inputs_sha256 != question.inputs_sha256:
            raise click.UsageError(f"{each.evidence_id}: claim, quote or text changed since it was read; list it again")

    async def work(opened: Archive) -> int:
        rows: list[dict[str, JsonValue]] = []
        try:
            for question, each in pairs:
                entry = await _keep(opened, question, each, by)
                rows.append({"evidence_id": question.evidence_id, **entry_row(entry)})
        except CitevaultError:
            say(f"{len(rows)} of {len(pairs)} are kept")
            raise
        print_rows(rows, ("evidence_id", "support", "by", "judged_at"), as_json=as_json)
        say(next_build(asked.bundle))
        return 0

    return context.with_archive(work)


def _lines(file: str) -> bytes:
    if file != "-":
        return read_file(Path(file), MAX_LINES_BYTES)
    data = sys.stdin.buffer.read(MAX_LINES_BYTES + 1)
    if len(data) > MAX_LINES_BYTES:
        raise click.UsageError(f"more than {MAX_LINES_BYTES} bytes; hand them in as several files")
    return data


def check_by(by: str) -> None:
    if check_name(by) or len(by) > 200:
        raise click.UsageError(f"--by: {check_name(by) or 'say who judges, in 200 characters at most'}")


async def _keep(opened: Archive, question: Question, spoken: Spoken, by: str) -> JudgementEntry:
    asked = Asked(question.inputs, question.context_sha256, HUMAN, None)
    ledger, now = JudgementLedger(opened.store), utc_string(opened.clock.now())
    return await ledger.append(asked, spoken.support, spoken.why, by=spoken.by or by, now=now)


async def _seconds(opened: Archive, questions: list[Question], by: str) -> list[Question]:
    known = await JudgementLedger(opened.store).of_each(question.inputs_sha256 for question in questions)
    return second_looks(questions, known, by)


class _QuitError(Exception):
    """The person has had enough."""


def _ask(question: Question, place: int, whole: int) -> Spoken | None:
    """What a person says of an edge; None: skipped."""
    say(f"\n{place} of {whole}")
    for line in [*told_of(question), *(f"  warning: {warning}" for warning in lexical(question))]:
        say(line)
    while True:
        letter = click.prompt(_ASK, prompt_suffix=": ", err=True).strip().lower()[:1]
        if letter == "q":
            raise _QuitError
        if letter == "s":
            return None
        if letter in _LETTERS:
            break
        say("one of these letters")
    while True:
        why = click.prompt("why (the words that decide)", prompt_suffix=": ", err=True).strip()
        said = check_spoken(question.evidence_id, _LETTERS[letter].value, why)
        if not isinstance(said, SpokenWrongly):
            return said[0]
        say(str(said))
