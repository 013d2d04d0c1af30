"""`cite`: the citation numbers of a report, which a reader sees as `[3]`, and its list of references."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import click
from pydantic import JsonValue

from scheduler.cli.bundles import read_bundle
from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import json_option, lines_option, print_json, print_rows, say, shown
from scheduler.cli.people import user_name
from scheduler.cli.signing import check_why
from schemas.ids import utc_string
from schemas.records.base import ID_PATTERN
from schemas.records.number import MergeNumbers, NumberChange, SeparateNumber
from schemas.urls.policy import CITATION_INDEX_1, CITATION_INDEX_2, load_policy
from workers.bootstrap import Archive
from workers.cite import migration as plans
from workers.cite.numbering import Numbers
from workers.errors import PermanentError
from workers.flows.numbers import NumberLedger, Planner, url_under
from workers.flows.references import wishes_of

POLICIES = (CITATION_INDEX_1, CITATION_INDEX_2)
_PLAIN = ("allocate", "use")


@click.group()
def cite() -> None:
    """Citation numbers of a report: given once, never reused, kept in the bucket."""


def report_id(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if re.fullmatch(ID_PATTERN, value) is None:
        raise click.BadParameter("a report's id has lower-case letters, digits, `.`, `_` and `-`, 128 at most")
    return value


report_argument = click.argument("report", callback=report_id)
why_option = click.option("--why", required=True, help="The reason, kept for good (10 characters at least).")
by_option = click.option("--by", default=user_name, help="Who decides (default: the user name).")


@cite.command("add")
@report_argument
@click.argument("snapshots", nargs=-1, metavar="[SNAPSHOT|URL]...")
@click.option("--from-bundle", "bundle", type=click.Path(), metavar="DIR", help="All snapshots that a bundle cites.")
@click.option("--section", default="report", show_default=True, help="Where in the report they are cited.")
@click.option("--channel", default="web", show_default=True, help="How they were found.")
@click.option("--policy", type=click.Choice(POLICIES), default=CITATION_INDEX_1, help="URL policy of a new report.")
@click.option("--by", default=user_name, help="Who cites (default: the user name).")
@json_option
@pass_context
def add(
    context: Context,
    report: str,
    snapshots: tuple[str, ...],
    bundle: str | None,
    section: str,
    channel: str,
    policy: str,
    by: str,
    as_json: bool,
) -> int:
    """Give snapshots their numbers; those that have one keep it. Exit 1, and none is given, if one cannot be cited.

    A URL stands for its newest snapshot that may be cited; which that is stands beside the number.
    """
    document = None if bundle is None else read_bundle(Path(bundle))
    cited = [*snapshots, *dict.fromkeys(edge.snapshot_id for edge in document.evidence)] if document else [*snapshots]
    if not cited:
        raise click.UsageError(
            "name snapshots (`citevault snapshots` lists them), URLs of archived pages, or a bundle with --from-bundle"
        )

    async def work(opened: Archive) -> int:
        wishes, refused = await wishes_of(opened.catalog, cited, section=section, channel=channel)
        for reason in refused:
            say(f"citevault: {reason}")
        if refused:
            say(f"none of the {len(cited)} was numbered; next: leave out what cannot be cited, and add the others")
            return 1
        ledger = NumberLedger(opened.store, report, load_policy(policy).id)
        numbers = await ledger.cite(wishes, by=by, now=utc_string(opened.clock.now()))
        rows: list[dict[str, JsonValue]] = [
            {"number": number, "snapshot_id": wish.cited.snapshot_id, "url": wish.cited.normalized_url}
            for number, wish in zip(numbers, wishes, strict=True)
        ]
        print_rows(rows, ("number", "snapshot_id", "url"), as_json=as_json)
        return 0

    return context.with_archive(work)


@cite.command("list")
@report_argument
@lines_option
@pass_context
def listing(context: Context, report: str, as_json: bool, as_lines: bool) -> int:
    """List the numbers of a report with their sections; `--json` also its aliases and its merge log."""

    async def work(opened: Archive) -> int:
        numbers = await existing_numbers(opened, report)
        if as_json:
            print_json(_index(numbers))
            return 0
        rows = [_row(numbers, number) for number in numbers.shown()]
        print_rows(rows, ("number", "title", "sections", "citation_url"), as_lines=as_lines)
        for number, other in sorted(numbers.aliases.items()):
            say(f"[{number}] is [{numbers.standing(other)}]")
        return 0

    return context.with_archive(work)


@cite.command("merge")
@report_argument
@click.argument("number", type=click.IntRange(min=1))
@click.argument("other", type=click.IntRange(min=1))
@why_option
@by_option
@pass_context
def merge(context: Context, report: str, number: int, other: int, why: str, by: str) -> int:
    """Say that two numbers are one resource: the lower stays, the higher becomes its alias and is never given again."""
    check_why(why)
    merged: set[int] = set()

    def plan(numbers: Numbers) -> list[NumberChange]:
        _check_given(numbers, number, other)
        low, high = sorted((numbers.standing(number), numbers.standing(other)))
        merged.clear()  # asked again where another writer was first
        merged.update({high} - {low})
        return [] if low == high else [MergeNumbers(kind="merge", number=high, into=low, why=why)]

    def tell(numbers: Numbers) -> None:
        stays = numbers.standing(number)
        entry = numbers.entries[stays]
        say(f"[{stays}] shows {shown(entry.title or 'no title')}, {shown(entry.citation_url)}")
        for alias in sorted(merged):
            say(f"[{alias}] is its alias now; to undo: citevault cite unmerge {report} {alias} --why WHY")

    return _decide(context, report, plan, by, tell)


@cite.command("unmerge")
@report_argument
@click.argument("number", type=click.IntRange(min=1))
@why_option
@by_option
@pass_context
def unmerge(context: Context, report: str, number: int, why: str, by: str) -> int:
    """Take a merge back: an alias stands for itself again."""
    check_why(why)

    def plan(numbers: Numbers) -> list[NumberChange]:
        _check_given(numbers, number)
        if number not in numbers.aliases:
            raise click.UsageError(f"[{number}] is no alias")
        return [SeparateNumber(kind="separate", number=number, why=why)]

    return _decide(context, report, plan, by)


@cite.command("migrate")
@report_argument
@click.option("--policy", type=click.Choice(POLICIES), required=True, help="The URL policy to go over to.")
@click.option("--apply", "applied", is_flag=True, help="Do it; without this only the difference is shown.")
@click.option("--why", default="", help="The reason, with --apply (10 characters at least).")
@by_option
@json_option
@pass_context
def migrate(context: Context, report: str, policy: str, applied: bool, why: str, by: str, as_json: bool) -> int:
    """Show which numbers another URL policy would merge and split. Exit 1 if it would any and was not applied."""
    if applied:
        check_why(why)
    name = load_policy(policy).id
    reason = why or "A difference that is only looked at."

    async def work(opened: Archive) -> int:
        ledger = NumberLedger(opened.store, report, load_policy(CITATION_INDEX_1).id)
        numbers = await ledger.refresh()
        found = plans.migration(numbers, url_under(name), name, reason)
        _tell_migration(found, numbers, name, as_json)
        if applied and numbers.entries and numbers.policy != name:
            await ledger.append(
                lambda newest: plans.migration(newest, url_under(name), name, reason).changes,
                by=by,
                now=utc_string(opened.clock.now()),
                policy=name,
            )
            return 0
        return 0 if applied or not (found.merges or found.splits) else 1

    return context.with_archive(work)


async def numbers_of(opened: Archive, report: str) -> Numbers:
    return await NumberLedger(opened.store, report, load_policy(CITATION_INDEX_1).id).refresh()


async def existing_numbers(opened: Archive, report: str) -> Numbers:
    """PermanentError where nothing was ever cited under this name."""
    numbers = await numbers_of(opened, report)
    if not numbers.sequence:
        raise PermanentError(
            f"there is no report {report}",
            where="citation numbers",
            next_step="check its name, or give its first numbers with `citevault cite add`",
        )
    return numbers


def _decide(
    context: Context, report: str, plan: Planner, by: str, tell: Callable[[Numbers], None] | None = None
) -> int:
    async def work(opened: Archive) -> int:
        ledger = NumberLedger(opened.store, report, load_policy(CITATION_INDEX_1).id)
        before = (await ledger.refresh()).sequence
        await ledger.append(plan, by=by, now=utc_string(opened.clock.now()))
        say("nothing to do" if ledger.numbers.sequence == before else f"entry {ledger.numbers.sequence}")
        if tell is not None:
            tell(ledger.numbers)
        return 0

    return context.with_archive(work)


def _check_given(numbers: Numbers, *wanted: int) -> None:
    for number in wanted:
        if number not in numbers.entries:
            raise click.UsageError(f"[{number}] was never given in {numbers.report}; see `citevault cite list`")


def _index(numbers: Numbers) -> dict[str, JsonValue]:
    entries: dict[str, JsonValue] = {}
    for number in numbers.shown():
        entry = numbers.entries[number]
        entries[entry.citation_url] = {
            "number": number,
            "title": entry.title,
            "first_seen_section": entry.first_seen_section,
            "used_in_sections": [*entry.used_in_sections],
            "source_channel": entry.source_channel,
            "snapshot_ids": [item.snapshot_id for item in numbers.cited(number)],
        }
    return {
        "report": numbers.report,
        "policy": numbers.policy,
        "entries": entries,
        "next_number": numbers.next_number,
        "aliases": {str(number): numbers.standing(number) for number in sorted(numbers.aliases)},
        "merge_log": [
            {
                "sequence": log.sequence,
                "at": log.at,
                "by": log.by,
                "changes": [
                    change.model_dump(mode="json") for change in log.changes if change.kind not in ("allocate", "use")
                ],
            }
            for log in numbers.history
        ],
    }


def _row(numbers: Numbers, number: int) -> dict[str, JsonValue]:
    entry = numbers.entries[number]
    return {
        "number": number,
        "title": entry.title,
        "sections": ", ".join(entry.used_in_sections),
        "citation_url": entry.citation_url,
        "snapshot_ids": [item.snapshot_id for item in numbers.cited(number)],
    }


def _tell_migration(found: plans.Migration, numbers: Numbers, name: str, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "from": numbers.policy,
                "to": name,
                "merges": [{"number": n, "into": into, "citation_url": url} for n, into, url in found.merges],
                "splits": [{"number": n, "new_number": new, "citation_url": url} for n, new, url in found.splits],
            }
        )
        return
    for number, into, url in found.merges:
        click.echo(f"would merge [{number}] into [{into}]: {shown(url)}")
    for number, new, url in found.splits:
        click.echo(f"would split [{number}]: {shown(url)} becomes [{new}]")
    if not (found.merges or found.splits):
        say(f"{name} changes no number of {numbers.report}")
