"""`bundle compare`: which verdicts changed between two bundles of a report, and why."""

from __future__ import annotations

from pathlib import Path

import click

from scheduler.cli.bundle import bundle
from scheduler.cli.bundles import read_bundle
from scheduler.cli.files import read_file
from scheduler.cli.output import json_option, print_json, say, shown
from schemas.canonical import sha256_hex
from schemas.counted import counted
from schemas.records.bundle import Bundle
from schemas.records.comparison import BundleComparison, Cause, ClaimChange
from workers.publish.bundle import BUNDLE_FILE


def register(_cli: click.Group) -> None:
    """The command hangs on `bundle`."""


@bundle.command("compare")
@click.argument("before", metavar="BEFORE", type=click.Path())
@click.argument("after", metavar="AFTER", type=click.Path())
@json_option
def compare(before: str, after: str, as_json: bool) -> int:
    """Say for each claim whether its verdict changed, and what made it: evidence, extractor, normalizer, url_policy,
    cluster, checker, gate, or none. Exit 1 if a verdict changed. Whether either bundle is right: `citevault-validate`.
    """
    from workers.cite.attribution import compare_bundles

    (one, first), (other, second) = _read(before), _read(after)
    try:
        found = compare_bundles(one, first, other, second)
    except KeyError as error:
        raise click.UsageError(
            f"one of the bundles names {shown(str(error.args[0])[:80])} and does not have it; "
            "check both with citevault-validate"
        ) from None
    changed = [claim for claim in found.claims if claim.before is not claim.after]
    if as_json:
        print_json(found)
    else:
        for claim in found.claims:
            _tell(claim)
    say(f"{counted(len(found.claims), 'claim')}, {counted(len(changed), 'verdict')} changed{_counted(found)}")
    if one.id != other.id:
        say(f"these are two reports: {shown(one.id)} and {shown(other.id)}")
    return 1 if changed else 0


def _read(directory: str) -> tuple[Bundle, str]:
    path = Path(directory)
    document = read_bundle(path)
    return document, sha256_hex(read_file(path / BUNDLE_FILE if path.is_dir() else path))


def _tell(claim: ClaimChange) -> None:
    was = "absent" if claim.before is None else claim.before.value
    now = "absent" if claim.after is None else claim.after.value
    together = "" if len(claim.causes) < 2 else f" (with {', '.join(cause.value for cause in claim.causes[1:])})"
    click.echo(
        f"{claim.claim_id}: {was}" + (f" -> {now}: {claim.cause.value}{together}" if was != now else ", as before")
    )
    for edge in claim.edges:
        names = " -> ".join(dict.fromkeys(name for name in (edge.before, edge.after) if name is not None))
        click.echo(shown(f"  {names or claim.claim_id} {edge.cause.value}: {edge.what}"))


def _counted(found: BundleComparison) -> str:
    by = {cause: sum(claim.cause is cause for claim in found.claims) for cause in Cause if cause is not Cause.NONE}
    told = ", ".join(f"{count} by {cause.value}" for cause, count in by.items() if count)
    return f": {told}" if told else ""
