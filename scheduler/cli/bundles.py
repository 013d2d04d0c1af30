"""Reading a bundle's directory for what commands make of it; whether it is right is the validator's question."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import click

from scheduler.cli.files import KINDS, read_record, read_text_file
from schemas.records.bundle import Bundle, BundleSnapshot
from schemas.records.claim import Evidence
from workers.cite.fragment import page_url, text_fragment_url
from workers.cite.locator import page_of
from workers.cite.references import QuoteLink
from workers.publish.bundle import BUNDLE_FILE, text_path


def read_bundle(directory: Path) -> Bundle:
    """`bundle.json` of a directory. UsageError where there is none, or it reads as something else."""
    path = directory / BUNDLE_FILE if directory.is_dir() else directory
    if path != directory and not path.exists():
        raise click.UsageError(f"{directory} is no bundle: it has no {BUNDLE_FILE}; next: {KINDS[Bundle][1]}")
    return read_record(path, Bundle, of_bundle=path != directory)


def read_whole_bundle(directory: Path) -> Bundle:
    """The same, where every edge names what is there. UsageError where one does not: the validator says more."""
    document = read_bundle(directory)
    claims, snapshots = {one.id for one in document.claims}, {one.id for one in document.snapshots}
    sources = {one.id for one in document.sources}
    for edge in document.evidence:
        if edge.claim_id not in claims or edge.snapshot_id not in snapshots or edge.source_id not in sources:
            raise click.UsageError(f"{edge.id} names what is not in the bundle; check it with citevault-validate")
    return document


def read_text(directory: Path, snapshot_id: str) -> str:
    """The stored text of a snapshot. UsageError where it is not there."""
    return read_text_file(directory / text_path(snapshot_id), of_bundle=True)


def quote_links(directory: Path) -> dict[str, list[QuoteLink]]:
    """The quotes of a bundle by snapshot, each with a link that leads a reader to it."""
    bundle = read_bundle(directory)
    snapshots = {snapshot.id: snapshot for snapshot in bundle.snapshots}
    found: dict[str, list[QuoteLink]] = defaultdict(list)
    texts: dict[str, str] = {}
    for edge in bundle.evidence:
        snapshot = snapshots.get(edge.snapshot_id)
        if snapshot is None:
            raise click.UsageError(f"{directory}: {edge.id} names no snapshot; check it with citevault-validate")
        if snapshot.text_path is None:  # only the quote is handed on: it and its context are all that a link needs
            text, shift = f"{edge.prefix}{edge.quote}{edge.suffix}", len(edge.prefix) - edge.quote_start
        else:
            if edge.snapshot_id not in texts:
                texts[edge.snapshot_id] = read_text(directory, edge.snapshot_id)
            text, shift = texts[edge.snapshot_id], 0
            if text[edge.quote_start : edge.quote_end] != edge.quote:
                raise click.UsageError(
                    f"{directory}: the quote of {edge.id} has drifted; check it with citevault-validate"
                )
        url = _link(snapshot, edge, text, shift)
        found[edge.snapshot_id].append(QuoteLink(edge.claim_id, edge.support, edge.shown_quote, url, edge.snapshot_id))
    return found


def _link(snapshot: BundleSnapshot, edge: Evidence, text: str, shift: int) -> str:
    """To the words of a quote, whose spans stand `shift` further on in this text; of a PDF to its page."""
    if snapshot.content_type == "application/pdf" or snapshot.pages:
        said = None if edge.locator is None else edge.locator.page
        return page_url(snapshot.final_url, said or page_of(snapshot.pages, edge.quote_start))
    return text_fragment_url(snapshot.final_url, text, [(a + shift, b + shift) for a, b in edge.spans])
