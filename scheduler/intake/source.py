"""Which format an input has: by what stands in it first, else by its name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import BinaryIO, Final

from scheduler.intake.ask import Ask, IntakeLimits, bad_line
from scheduler.intake.documents import BUNDLE_MARK, JOB_MARK, bundle_asks, job_asks, read_job_file, whole
from scheduler.intake.pieces import Broken, plain_pieces, raw_lines
from scheduler.intake.sitemap_index import Beside, nothing_beside, read_sitemaps
from scheduler.intake.text_formats import DELIMITERS, read_hits, read_plain, read_table
from schemas.reading import DocumentError, ReadingLimits, read_json
from schemas.records.job import BadLine, JobFile

HEAD_BYTES: Final = 4096


class Kind(StrEnum):
    """Formats that `archive --from` reads."""

    PLAIN = "plain"
    TABLE = "csv"
    HITS = "jsonl"
    SITEMAP = "sitemap"
    JOB_FILE = "job-file"
    BUNDLE = "bundle"
    UNKNOWN = "unknown"
    DOCUMENT = "document"
    """One JSON document, or lines of JSON of which the first is long: what it is stands further on."""


SUFFIXES: Final = {
    ".csv": Kind.TABLE,
    ".tsv": Kind.TABLE,
    ".jsonl": Kind.HITS,
    ".ndjson": Kind.HITS,
    ".xml": Kind.SITEMAP,
    ".txt": Kind.PLAIN,
}


NO_LISTS: Final = {
    b"%PDF": "a PDF file",
    b"PK\x03\x04": "a ZIP file, as spreadsheets are",
    b"WARC/": "a WARC file",
    b"\xd0\xcf\x11\xe0": "an old Office file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"(\xb5/\xfd": "a zstd file",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    b"[": "a JSON array",
}
MOST_NULS: Final = 3
LISTS: Final = "one URL a line, CSV with a column `url`, JSON Lines of search hits, a sitemap, a bundle or a job file"


@dataclass(frozen=True, slots=True)
class Undecided:
    """An input that is none of the formats, as far as can be told. `looks_like`: what it seems to be."""

    looks_like: str


@dataclass(frozen=True, slots=True)
class Source:
    """An input whose format is known. `job_file` carries collection and options where it is one."""

    kind: Kind
    asks: Iterator[Ask | BadLine]
    job_file: JobFile | None = None


def open_source(
    stream: BinaryIO, *, name: str = "", limits: IntakeLimits | None = None, beside: Beside = nothing_beside
) -> Source:
    """Look at the beginning of a binary stream, seekable or not, and choose its reader. gzip is unpacked. `beside`
    opens the members of a sitemap index."""
    allowed = limits or IntakeLimits()
    pieces = plain_pieces(stream, allowed.max_total_bytes)
    head: list[bytes | Broken] = []
    while sum(len(piece) for piece in head if isinstance(piece, bytes)) < HEAD_BYTES:
        piece = next(pieces, None)
        if piece is None:
            break
        head.append(piece)
        if isinstance(piece, Broken):
            break
    kind = detect(b"".join(piece for piece in head if isinstance(piece, bytes))[:HEAD_BYTES], name)
    if isinstance(kind, Undecided):
        message = f"this looks like {kind.looks_like}, and is no list of URLs; hand in {LISTS}"
        return Source(Kind.UNKNOWN, iter([bad_line(1, "input.unknown-format", message)]))
    if kind is Kind.SITEMAP:
        return Source(kind, read_sitemaps(_chained(head, pieces), beside, allowed.max_total_bytes))
    return _reader(kind, _chained(head, pieces), allowed)


def detect(head: bytes, name: str = "") -> Kind | Undecided:
    """The format, from the first bytes and the name of the input."""
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    for mark, looks_like in NO_LISTS.items():
        if begin.startswith(mark):
            return Undecided(looks_like)
    if head.count(b"\0") > MOST_NULS and b"://" not in head:
        return Undecided("binary data")
    if begin.startswith(b"<"):
        return Kind.SITEMAP
    first = begin.partition(b"\n")[0]
    if begin.startswith(b"{"):
        if JOB_MARK in head:
            return Kind.JOB_FILE
        if BUNDLE_MARK in head:
            return Kind.BUNDLE
        return Kind.HITS if _is_object(first) else Kind.DOCUMENT
    if _names_url_column(first):
        return Kind.TABLE
    plain_name = PurePath(name.removesuffix(".gz"))
    kind = SUFFIXES.get(plain_name.suffix.lower(), Kind.PLAIN)
    return Kind.PLAIN if kind is Kind.SITEMAP and begin else kind


def _names_url_column(line: bytes) -> bool:
    """`url` alone, or as one of several columns, in a line that holds no URL itself."""
    text = line.decode("utf-8", "replace").strip().lower()
    named = any("url" in (cell.strip(' "') for cell in text.split(delimiter)) for delimiter in DELIMITERS)
    return named and "://" not in text


def _document_kind(data: bytes) -> Kind:
    """What a whole JSON input is: its `schema` says so, wherever that stands."""
    document = read_json(data, limits=ReadingLimits(max_bytes=len(data) + 1))
    if isinstance(document, DocumentError):
        return Kind.HITS if _is_object(data.lstrip().partition(b"\n")[0]) else Kind.JOB_FILE
    schema = document.get("schema") if isinstance(document, dict) else None
    if isinstance(schema, str) and schema.encode().startswith(BUNDLE_MARK):
        return Kind.BUNDLE
    return Kind.HITS if schema is None and isinstance(document, dict) and "url" in document else Kind.JOB_FILE


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _chained(head: list[bytes | Broken], pieces: Iterator[bytes | Broken]) -> Iterator[bytes | Broken]:
    yield from head
    if not (head and isinstance(head[-1], Broken)):
        yield from pieces


def _reader(kind: Kind, pieces: Iterator[bytes | Broken], limits: IntakeLimits) -> Source:
    match kind:
        case Kind.JOB_FILE | Kind.BUNDLE | Kind.DOCUMENT:
            data = whole(pieces, limits.max_document_bytes)
            if isinstance(data, BadLine):
                return Source(kind, iter([data]))
            if kind is Kind.DOCUMENT:
                kind = _document_kind(data)
            if kind is Kind.HITS:
                return Source(kind, read_hits(raw_lines(iter([data]), limits.max_line_bytes)))
            if kind is Kind.BUNDLE:
                return Source(kind, bundle_asks(data))
            job = read_job_file(data)
            return Source(kind, iter([job])) if isinstance(job, BadLine) else Source(kind, job_asks(job), job)
    lines = raw_lines(pieces, limits.max_line_bytes)
    readers = {Kind.TABLE: read_table, Kind.HITS: read_hits, Kind.PLAIN: read_plain}
    return Source(kind, readers[kind](lines))
