"""`cite render`: the references of a report, of what it cites and of nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import click
from pydantic import JsonValue

from scheduler.cli.bundles import quote_links
from scheduler.cli.cite import cite, existing_numbers, report_argument
from scheduler.cli.context import Context, pass_context
from scheduler.cli.files import read_text_file
from scheduler.cli.output import print_json, say
from schemas.citations.numbers import cited_numbers
from workers.bootstrap import Archive
from workers.cite.numbering import Numbers
from workers.cite.references import Reference, markdown
from workers.flows.references import references_of

FORMATS = ("markdown", "html", "csl-json", "bibtex")
Format = Literal["markdown", "html", "csl-json", "bibtex"]


def register(cli: click.Group) -> None:
    cli.add_command(cite)


@cite.command("render")
@report_argument
@click.option("--format", "kind", type=click.Choice(FORMATS), default="markdown", show_default=True)
@click.option("--cited-in", "document", type=click.Path(dir_okay=False), help="Only what this Markdown file cites.")
@click.option("--bundle", type=click.Path(), metavar="DIR", help="A bundle whose quotes are linked (HTML).")
@click.option("--archive-base", metavar="URL", help="Where archived copies are served: BASE/<14 digits>/<url>.")
@click.option(
    "--renumber",
    is_flag=True,
    help="Show 1, 2, 3 … in order of citation, and say what each number is shown as; no number is changed.",
)
@click.option("--json", "as_json", is_flag=True, help="One document: the references, and what each number is shown as.")
@pass_context
def render(
    context: Context,
    report: str,
    kind: Format,
    document: str | None,
    bundle: str | None,
    archive_base: str | None,
    renumber: bool,
    as_json: bool,
) -> int:
    """Print the references. Exit 1 if the document cites a number that was never given."""
    text = None if document is None else read_text_file(Path(document))
    links = None if bundle is None else quote_links(Path(bundle))

    async def work(opened: Archive) -> int:
        numbers = await existing_numbers(opened, report)
        wanted = numbers.shown() if text is None else cited_numbers(text)
        unknown = [number for number in wanted if number not in numbers.entries]
        for number in unknown:
            say(f"citevault: [{number}] was never given in {report}; next: `cite add`, or correct the document")
        if unknown:
            return 1
        standing = list(dict.fromkeys(numbers.standing(number) for number in wanted))
        order = {number: place for place, number in enumerate(standing, 1)} if renumber else None
        references = await references_of(
            numbers, standing, opened.catalog, opened.tiers(), shown=order, quotes=links, archive_base=archive_base
        )
        for one in references:
            if one.unverified_merge:
                say(f"lossy-merge-unverified: addresses under [{one.number}] gave different texts (`cite list --json`)")
        shown = _shown(numbers, references)
        rendered = _rendered(kind, references)
        if as_json:
            places: list[JsonValue] = [asdict(each) for each in shown]
            print_json({"report": report, "format": kind, "references": rendered, "shown": places})
            return 0
        for each in shown if renumber else ():
            also = "".join(f", as is [{alias}]" for alias in each.aliases)
            say(f"[{each.number}] is shown as [{each.shown}]{also}")
        if isinstance(rendered, str):
            click.echo(rendered, nl=False)
        else:
            print_json(rendered)
        return 0

    return context.with_archive(work)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A number, what a reader sees in its place, and the numbers that were merged into it."""

    number: int
    shown: int
    aliases: list[int]


def _shown(numbers: Numbers, references: Sequence[Reference]) -> list[_Shown]:
    """In the order of the references."""
    merged: dict[int, list[int]] = {}
    for alias in sorted(numbers.aliases):
        merged.setdefault(numbers.standing(alias), []).append(alias)
    return [_Shown(one.number, one.shown, merged.get(one.number, [])) for one in references]


def _rendered(kind: Format, references: Sequence[Reference]) -> JsonValue:
    """The references in one form, ready to be printed; CSL-JSON as what it is."""
    from workers.cite import reference_formats  # its libraries take a while to load

    match kind:
        case "markdown":
            return markdown(references)
        case "html":
            return reference_formats.html(references)
        case "bibtex":
            return reference_formats.bibtex(references)
        case "csl-json":
            return reference_formats.csl_json(references)
