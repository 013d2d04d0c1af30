"""`judge arbitrate`: where two people disagree, a third one decides, and says why. Kept for good beside their words."""

from __future__ import annotations

import click

from scheduler.cli.context import Context, pass_context
from scheduler.cli.judge_queue import directory_argument
from scheduler.cli.judge_review import by_option, check_by
from scheduler.cli.judging import ask_of, entry_row, next_build
from scheduler.cli.output import json_option, print_rows, say
from schemas.ids import utc_string
from schemas.judging import ARBITER, last_words
from schemas.people import is_unresolved, of_people
from schemas.records.claim import Support
from workers.bootstrap import Archive
from workers.flows.judge.ledger import Asked, JudgementLedger
from workers.judge.spoken import SpokenWrongly, check_spoken


def register(judge: click.Group) -> None:
    judge.add_command(arbitrate)


@click.command("arbitrate")
@directory_argument
@click.argument("evidence")
@click.option(
    "--support", required=True, type=click.Choice([each.value for each in Support]), help="What the quote says."
)
@click.option("--why", required=True, help="Why one of them is right, kept for good (10 characters at least).")
@by_option
@json_option
@pass_context
def arbitrate(context: Context, directory: str, evidence: str, support: str, why: str, by: str, as_json: bool) -> int:
    """Decide an edge that people disagree on. Until then it is unresolved, and supports nothing.

    It is decided by neither of them: who has changed his mind judges again. Exit 1 where there is nothing to decide.
    """
    question = ask_of(directory).one(evidence)
    check_by(by)
    spoken = check_spoken(evidence, support, why)
    if isinstance(spoken, SpokenWrongly):
        raise click.UsageError(str(spoken))

    async def work(opened: Archive) -> int:
        ledger = JudgementLedger(opened.store)
        told = await ledger.of(question.inputs_sha256)
        people = last_words(of_people(told))
        if not is_unresolved(told):
            say(f"{evidence}: people do not disagree on it; `citevault judge review` adds a judgement")
            return 1
        if by.strip().casefold() in {word.by.strip().casefold() for word in people}:
            raise click.UsageError("--by: an arbiter is neither of those who disagree; to change a word, judge again")
        asked = Asked(question.inputs, question.context_sha256, ARBITER, None)
        now = utc_string(opened.clock.now())
        entry = await ledger.append(asked, spoken[0].support, spoken[0].why, by=by, now=now)
        rows = [{"evidence_id": evidence, **entry_row(each)} for each in (*people, entry)]
        print_rows(rows, ("evidence_id", "checker_version", "support", "by", "rationale"), as_json=as_json)
        say(next_build(ask_of(directory).bundle))
        return 0

    return context.with_archive(work)
