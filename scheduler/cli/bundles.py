"""Reading a bundle's directory for what commands make of it; whether it is right is the validator's question."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import click

from schemas.reading import DocumentError, read_document
from schemas.records.bundle import Bundle
from workers.cite.fragment import text_fragment_url
from workers.cite.references import QuoteLink
from workers.publish.bundle import BUNDLE_FILE, text_path

MAX_BUNDLE_BYTES = 64 * 1024 * 1024


def read_bundle(directory: Path) -> Bundle:
    """`bundle.json` of a directory. UsageError where there is none, or it reads as something else."""
    path = directory / BUNDLE_FILE if directory.is_dir() else directory
    document = read_document(read_file(path, MAX_BUNDLE_BYTES), Bundle)
    if isinstance(document, DocumentError):
        raise click.UsageError(f"{path} is no bundle: {document}")
    return document


def read_text(directory: Path, snapshot_id: str) -> str:
    """The stored text of a snapshot. UsageError where it is not there."""
    path = directory / text_path(snapshot_id)
    try:
        return read_file(path, MAX_BUNDLE_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path}: no UTF-8; check the bundle with citevault-validate") from error


def read_file(path: Path, limit: int) -> bytes:
    """A file of at most so many bytes. UsageError says what keeps it from being read."""
    try:
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from error
    if len(data) > limit:
        raise click.UsageError(f"{path}: larger than {limit} bytes")
    return data


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
        if edge.snapshot_id not in texts:
            texts[edge.snapshot_id] = read_text(directory, edge.snapshot_id)
        text = texts[edge.snapshot_id]
        if text[edge.quote_start : edge.quote_end] != edge.quote:
            raise click.UsageError(f"{directory}: the quote of {edge.id} has drifted; check it with citevault-validate")
        url = text_fragment_url(snapshot.final_url, text, edge.quote_start, edge.quote_end)
        found[edge.snapshot_id].append(QuoteLink(edge.claim_id, edge.support, edge.shown_quote, url))
    return found
