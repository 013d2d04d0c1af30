"""Fields of a snapshot that no leaf binds, recomputed: from the stored heads, and from the URL that was asked for.

`content_type` is bound by the leaf and compared here too, since a leaf may repeat what was never sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.bundle import BundleSnapshot
from schemas.urls.conservative import normalize
from schemas.urls.error import UrlError
from validator.found import Found

RECOMPUTED: Final = ("fragment", "content_bytes", "etag", "last_modified", "text_chars", "url_policy")
"""Described fields that are compared with something else too, some of them with `--deep` only."""
MAX_VALUE: Final = 4096
"""Longer values of a head are cut there by the archive."""


@dataclass(frozen=True, slots=True)
class StoredContent:
    """What the records of one snapshot hold, as far as they could be read."""

    content_bytes: int
    heads: Sequence[bytes]
    """Of the record with the payload, and of a revisit that has one: the newer head counts where there is one, and
    for a 304 the original's, so either will do."""


def check_fragment(snapshot: BundleSnapshot, index: int, found: Found) -> None:
    """The fragment is that of `requested_url`; none where that URL cannot be read."""
    asked = normalize(snapshot.requested_url)
    expected = None if isinstance(asked, UrlError) else asked.fragment
    if snapshot.fragment != expected:
        _differs(snapshot, index, "fragment", expected, snapshot.fragment, found)


def check_content(snapshot: BundleSnapshot, index: int, content: StoredContent, found: Found) -> None:
    """Size of the content and fields of the head."""
    found.looked_at("heads of answers")
    if snapshot.content_bytes != content.content_bytes:
        _differs(snapshot, index, "content_bytes", content.content_bytes, snapshot.content_bytes, found)
    for name, field, actual in (
        ("content_type", b"content-type", snapshot.content_type),
        ("etag", b"etag", snapshot.etag),
        ("last_modified", b"last-modified", snapshot.last_modified),
    ):
        stored = [first_value(head, field) for head in content.heads]
        if actual not in stored:
            _differs(snapshot, index, name, stored[0], actual, found)


def first_value(head: bytes, name: bytes) -> str | None:
    """First value of a field, Latin-1, folded lines joined by a blank (RFC 9112, 5.2); None where empty or absent."""
    value: bytes | None = None
    for line in head.split(b"\n")[1:]:
        folded = line[:1] in (b" ", b"\t")
        if value is not None:
            if not folded:
                break
            value += b" " + line.strip()
        elif not folded:
            key, colon, rest = line.partition(b":")
            if colon and key.strip().lower() == name:
                value = rest.strip()
    return value.decode("latin-1")[:MAX_VALUE] if value else None


def _differs(snapshot: BundleSnapshot, index: int, name: str, expected: object, actual: object, found: Found) -> None:
    found.add(
        FindingKind.SNAPSHOT_FIELD,
        pointer=pointer(("snapshots", index, name)),
        ids=(snapshot.id,),
        expected=expected,
        actual=actual,
    )
