"""What a leaf promises of a snapshot beside the fields that it repeats: one digest over all that the page and its
server say of themselves, and over the outline that locators are derived from (`schemas/README.md, Manifest log`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from schemas.canonical import canonical_sha256
from schemas.records.snapshot import Heading, Snapshot

DESCRIBED: Final = (
    "visit",
    "fragment",
    "charset",
    "etag",
    "last_modified",
    "content_bytes",
    "text_chars",
    "url_policy",
    "reader_reason",
    "title",
    "author",
    "publisher",
    "published_at",
    "published_source",
    "modified_at",
    "language",
    "robots_directives",
    "server_digests",
)
"""Fields of a snapshot under `description_sha256`. The list never changes: other fields are another digest."""
_FIELDS: Final = set(DESCRIBED)


def description_sha256(snapshot: Snapshot, headings: Sequence[Heading], pages: Sequence[int]) -> str:
    """SHA-256 of the RFC 8785 bytes of the described fields, `headings` and `pages`. CanonicalError where an `x_`
    field within them has no such form."""
    described = snapshot.model_dump(mode="json", by_alias=True, include=_FIELDS)
    described["headings"] = [heading.model_dump(mode="json", by_alias=True) for heading in headings]
    described["pages"] = list(pages)
    return canonical_sha256(described)
