"""Files that a command is given: read up to a limit, as text or as records. UsageErrors say what to do next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from stat import S_ISREG
from typing import Final, TypeVar

import click

from scheduler.cli.output import shown
from schemas.pointer import value_at
from schemas.reading import DocumentError, DocumentProblem, read_document, read_json
from schemas.records.base import Record
from schemas.records.bundle import Bundle
from schemas.records.draft import Draft
from schemas.records.source_map import SourceMap

R = TypeVar("R", bound=Record)

MAX_DOCUMENT_BYTES: Final = 64 * 1024 * 1024
MOST_SHOWN: Final = 60
"""Characters of a refused value that a message repeats."""
KINDS: Final[dict[type[Record], tuple[str, str]]] = {
    Bundle: ("bundle", "name the folder that `citevault bundle build -o` wrote"),
    Draft: ("draft", "README.md, Your first draft, shows one; schemas/README.md, 14. Draft, has all fields"),
    SourceMap: ("source map", "make one with `citevault source-map build PAGE… -o MAP`"),
}
"""What a record is called, and what to do where something else was given."""


def read_file(path: Path, limit: int = MAX_DOCUMENT_BYTES, *, of_bundle: bool = False) -> bytes:
    """A file of at most so many bytes. `of_bundle`: it came from a stranger, so what is no regular file, such as a
    pipe that nobody writes into or a link that leads elsewhere, is not opened."""
    try:
        if of_bundle and not S_ISREG(path.lstat().st_mode):
            raise click.UsageError(f"{path}: no regular file; next: check the bundle with citevault-validate")
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise unreadable(str(path), error) from error
    if len(data) > limit:
        raise click.UsageError(f"{path}: larger than {limit} bytes; next: give a smaller one, or several")
    return data


def read_text_file(path: Path, limit: int = MAX_DOCUMENT_BYTES, *, of_bundle: bool = False) -> str:
    """A file of UTF-8."""
    try:
        return read_file(path, limit, of_bundle=of_bundle).decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path}: no UTF-8 from byte {error.start} on; next: save it as UTF-8") from error


def read_record(path: Path, kind: type[R], *, of_bundle: bool = False) -> R:
    """A file as one of `KINDS`."""
    return as_record(read_file(path, of_bundle=of_bundle), kind, str(path))


def as_record(data: bytes, kind: type[R], name: str) -> R:
    """Bytes as one of `KINDS`. `name` is what a person calls them."""
    document = read_document(data, kind)
    if isinstance(document, DocumentError):
        what, next_step = KINDS[kind]
        told = replace(document, actual=_found(data, document))
        raise click.UsageError(f"{name} is no {what}: {told}; next: {next_step}")
    return document


def _found(data: bytes, error: DocumentError) -> str:
    """The value that is refused, where it is a short string: its own author reads this, and looks for it."""
    value = None
    if error.code in (DocumentProblem.BAD_VALUE, DocumentProblem.WRONG_TYPE):
        document = read_json(data)
        value = None if isinstance(document, DocumentError) else value_at(document, error.pointer)
    return f'"{shown(value)}"' if isinstance(value, str) and len(value) <= MOST_SHOWN else error.actual


def unreadable(name: str, error: OSError) -> click.UsageError:
    """Why a file cannot be read. A path that is not there is most often one seen from another folder."""
    step = (
        f"correct the path, which is seen from {Path.cwd()}" if isinstance(error, FileNotFoundError) else "name a file"
    )
    return click.UsageError(f"{name}: {error.strerror}; next: {step}")
