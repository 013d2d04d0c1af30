"""`bundle drift`: what became of a bundle's quotes on the newest snapshots of their pages."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import click

from scheduler.cadence.home import leads_home
from scheduler.cli.bundle import bundle
from scheduler.cli.bundles import read_whole_bundle
from scheduler.cli.context import Context, pass_context
from scheduler.cli.files import read_file
from scheduler.cli.output import json_option, print_json, say, shown
from schemas.canonical import sha256_hex
from schemas.ids import utc_string
from schemas.records.drift import DriftedEdge, DriftReport
from workers.adapters.keys import load_key
from workers.bootstrap import Archive
from workers.cite.word_diff import first_signed, legend
from workers.publish.bundle import BUNDLE_FILE
from workers.publish.drift_feed import STANDING, atom, drifted, webhook_body, webhook_headers

KINDS = ("atom:", "webhook:")


def register(_cli: click.Group) -> None:
    """The command hangs on `bundle`."""


@bundle.command("drift")
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option(
    "--notify",
    "targets",
    multiple=True,
    metavar="atom:FILE or webhook:URL",
    help="Also write an Atom feed; or, where something drifted, post the signed report. Repeatable.",
)
@json_option
@pass_context
def drift(context: Context, directory: str, targets: tuple[str, ...], as_json: bool) -> int:
    """Look each quote up in the newest snapshot of its page. Exit 1 if one does not stand any more as it did."""
    from workers.adapters.webhook import post
    from workers.flows.bundle_members import Members
    from workers.flows.drift import drift_report

    for target in targets:
        if not target.startswith(KINDS):
            raise click.UsageError(f"--notify {target[:60]!r}: give atom:FILE or webhook:URL")
    document = read_whole_bundle(Path(directory))
    digest = sha256_hex(read_file(Path(directory) / BUNDLE_FILE))

    async def work(opened: Archive) -> int:
        members = Members(opened.store, opened.catalog)
        now = opened.clock.now()
        report = await drift_report(document, digest, opened.catalog, members, leads_home, now=utc_string(now))
        _tell(report, as_json)
        for target in targets:
            kind, _, place = target.partition(":")
            if kind == "atom":
                await asyncio.to_thread(Path(place).write_bytes, atom(report))
            elif drifted(report):
                key = load_key(opened.settings.signing_key)
                body = webhook_body(report)
                await post(place, body, webhook_headers(body, key, int(now.timestamp())))
                say(f"posted to {place}")
        return 1 if drifted(report) else 0

    return context.with_archive(work)


def _tell(report: DriftReport, as_json: bool) -> None:
    counted = Counter(edge.state.value for edge in report.edges)
    if as_json:
        print_json(report)
    else:
        drifting = [edge for edge in report.edges if edge.state not in STANDING]
        signed = first_signed([edge.diff for edge in drifting])
        for number, edge in enumerate(drifting):
            click.echo(_line(edge))
            if number == signed:
                say(legend("the quote", "the page as it is now"))
    say(", ".join(f"{count} {state}" for state, count in sorted(counted.items())))
    if drifted(report):
        say("the old verdicts stay valid for their snapshots; quote the page anew where a claim is to stand on it")


def _line(edge: DriftedEdge) -> str:
    told = "; ".join(filter(None, (edge.reason, edge.diff)))
    figures = f", lost {', '.join(edge.lost)}" if edge.lost else ""
    figures += f", gained {', '.join(edge.gained)}" if edge.gained else ""
    return shown(f"{edge.evidence_id} of {edge.claim_id}: {edge.state.value}{figures}" + (f": {told}" if told else ""))
