"""`export`: what a bundle holds, in the formats of other programs."""

from __future__ import annotations

import json
from pathlib import Path

import click
from pydantic import JsonValue

from scheduler.cli.bundles import read_whole_bundle
from scheduler.cli.output import say
from schemas.records.bundle import Bundle
from workers.cite.annotations import annotation_collection
from workers.cite.references import Reference

bundle_argument = click.argument("directory", metavar="BUNDLE", type=click.Path())
output_option = click.option("-o", "--output", metavar="FILE", help="Where it is written (default: standard output).")
base_option = click.option(
    "--archive-base", metavar="URL", help="Where archived copies are served: BASE/<14 digits>/<url>."
)


def register(cli: click.Group) -> None:
    cli.add_command(export)


@click.group()
def export() -> None:
    """Export a bundle's evidence or references."""


@export.command("annotations")
@bundle_argument
@output_option
@base_option
def export_annotations(directory: str, output: str | None, archive_base: str | None) -> int:
    """Write the evidence as W3C Web Annotations, one for each quote."""
    document = read_whole_bundle(Path(directory))
    _write(annotation_collection(document, archive_base), output)
    say(f"{len(document.evidence)} annotations")
    return 0


@export.command("csl")
@bundle_argument
@output_option
@base_option
def export_csl(directory: str, output: str | None, archive_base: str | None) -> int:
    """Write the cited pages as CSL-JSON, in order of citation; what is in the bundle and not cited is left out."""
    from workers.cite.reference_formats import csl_json  # its libraries take a while to load

    items = csl_json(_references(read_whole_bundle(Path(directory)), archive_base))
    _write(items, output)
    say(f"{len(items)} references")
    return 0


def _references(document: Bundle, archive_base: str | None) -> list[Reference]:
    """One for each snapshot that an edge cites (R117, X23)."""
    snapshots = {one.id: one for one in document.snapshots}
    tiers = {one.id: one.tier.tier for one in document.sources}
    cited = dict.fromkeys(edge.snapshot_id for edge in document.evidence)
    return [
        Reference(
            number=place,
            shown=place,
            snapshot=snapshots[name],
            tier=tiers[snapshots[name].source_id],
            source_channel="web",
            sections=(),
            archive_base=archive_base,
        )
        for place, name in enumerate(cited, 1)
    ]


def _write(value: JsonValue, output: str | None) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        Path(output).write_text(text, encoding="utf-8")
