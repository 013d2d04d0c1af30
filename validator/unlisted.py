"""What lies in a bundle though nothing names it: files, and stretches of the WARC files.

No check looks at such things and no signature covers them, so a reader could take them for checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from schemas.canonical import sha256_hex
from schemas.findings import FindingKind
from schemas.records.finding import Severity
from validator.form import canonical_form
from validator.found import Found
from validator.heads import head_name
from validator.input import BundleInput
from validator.key_files import MAX_FILES as MAX_KEY_FILES
from validator.key_files import held_instead, promised_key
from validator.limits import LIMITS
from validator.place import Unavailable, read_all

MAX_FILES: Final = 100_000
"""More than a document of the allowed size can name."""
DOCUMENTS: Final = ("bundle.json", "bundle.dsse.json", "validation.dsse.json")


def check_unlisted(given: BundleInput, beside: frozenset[str], severity: Severity, found: Found) -> None:
    """Files first, then what lies between and after the members of each WARC file."""
    names = given.place.names("")
    if not isinstance(names, Unavailable):
        named = beside.union(_named(given))
        keys = 0
        for name in islice(names, MAX_FILES):
            found.looked_at("files")
            key = promised_key(name) if keys < MAX_KEY_FILES else None
            if key is not None:
                keys += 1
                _check_key(given, name, key, severity, found)
            elif name not in named:
                found.add(FindingKind.FILE_UNLISTED, path=name, severity=severity)
    there = [(path, start, end, _is_there(given, path, start)) for path, start, end in _gaps(given)]
    if any(answer is None for *_, answer in there):
        return  # a file that cannot be read is reported already, and its members may be meant to lie in another
    for path, start, end, answer in there:
        if answer:
            actual = f"bytes from {start}" + ("" if end is None else f" to {end}")
            found.add(FindingKind.WARC_UNLISTED, path=path, severity=severity, actual=actual)


def _check_key(given: BundleInput, name: str, key: str, severity: Severity, found: Found) -> None:
    """A key's name is its digest, so that a file tells by itself whether it was altered."""
    held = held_instead(given.place, name, key)
    if held is not None:
        kind = FindingKind.SIGNATURE_KEY_DIFFERS
        found.add(kind, path=name, severity=severity, expected=f"the key {key}", actual=held)


def _is_there(given: BundleInput, path: str, start: int) -> bool | None:
    """Whether the file has a byte at this place; None where it cannot be read."""
    first = given.place.open_range(path, start, 1, 1)
    if isinstance(first, Unavailable):
        return None
    with first:
        try:
            return bool(first.read(1))
        except OSError:
            return None


def _named(given: BundleInput) -> Iterator[str]:
    yield from DOCUMENTS
    for snapshot in given.bundle.snapshots:
        yield snapshot.warc.path
        if snapshot.text_sha256 is not None:
            yield f"texts/{snapshot.id}.txt"
    head = given.bundle.head
    path = f"manifest/{head_name(head.sequence)}"
    yield path
    stored = read_all(given.place, path, LIMITS.small_file)
    for data in (canonical_form(head), stored):
        if isinstance(data, bytes):
            yield f"manifest/{head.sequence:010d}-{sha256_hex(data)[:16]}.dsse.json"


def _gaps(given: BundleInput) -> Iterator[tuple[str, int, int | None]]:
    """Path, start and end of what no member covers; the last one of a file has no end."""
    members: dict[str, list[tuple[int, int]]] = {}
    for snapshot in given.bundle.snapshots:
        own = members.setdefault(snapshot.warc.path, [])
        own += [(member.offset, member.offset + member.length) for member in snapshot.warc.members]
    for path, spans in members.items():
        reached = 0
        for start, end in sorted(spans):
            if start > reached:
                yield path, reached, start
            reached = max(reached, end)
        yield path, reached, None
