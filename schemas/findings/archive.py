"""Findings on the stored records, their payloads and what was extracted from them; with `--deep`."""

from __future__ import annotations

from schemas.findings.wording import error, warning

WARC_MEMBER_MISSING = error(
    "warc.member-missing",
    "A record that a snapshot rests on is not among its members.",
    "Build the bundle again with all records.",
)
WARC_WITHHELD = warning(
    "warc.withheld",
    "A record of a quote-only snapshot is not handed on, so it was not checked.",
    "Ask the archive for the record, or fetch the page again.",
    inconclusive=True,
)
WARC_UNLISTED = warning(
    "warc.unlisted",
    "A stretch of a WARC file is no member that a snapshot names (an error in profile strict).",
    "Build the bundle again; it holds the records that it names and no others.",
)
WARC_MEMBER_BROKEN = error(
    "warc.member-broken",
    "A member is not exactly one whole gzip member with one whole WARC record.",
    "Restore the file from the archive.",
)
WARC_RECORD_DIFFERS = error(
    "warc.record-differs",
    "A record has another id, type, target, date or reference than the documents say.",
    "Restore the file from the archive.",
)
WARC_BLOCK_DIGEST = error(
    "warc.block-digest",
    "A block's SHA-256 is not that of its header or of the leaf.",
    "The record was changed: restore it from the archive.",
)
WARC_PAYLOAD_DIGEST = error(
    "warc.payload-digest",
    "A payload's SHA-256 is not that of its header or of the snapshot.",
    "The record was changed: restore it from the archive.",
)
WARC_TAKEN_DOWN = warning(
    "warc.taken-down",
    "A record was taken down: a tombstone stands in its place, neither intact nor broken.",
    "Ask the archive's owner for the signed tombstone.",
    inconclusive=True,
)
WARC_NOT_LOCATED = warning(
    "warc.not-located",
    "No receipt tells where a record lies, so it was not read.",
    "Give the folder or prefix that holds `commits/`, `warc/` and `text/` too.",
    inconclusive=True,
)
WARC_PLACES_UNREAD = warning(
    "warc.places-unread",
    "An object that tells where records lie could not be read, so the records that it names were not found.",
    "Restore that object from a copy, and run again; the records themselves may be whole.",
    inconclusive=True,
)
PAYLOAD_DECODED_DIGEST = error(
    "payload.decoded-digest",
    "The decoded payload's SHA-256 is not decoded_sha256.",
    "Do not rely on the text; extract it again from the payload.",
)
PAYLOAD_UNDECODABLE = warning(
    "payload.undecodable",
    "The payload could not be decoded and compared here (an unknown coding, no decoded_sha256, or too large).",
    "Check it with other tools.",
    inconclusive=True,
)
PAYLOAD_UNREADABLE_TYPE = warning(
    "payload.unreadable-type",
    "This program reads no payload of this kind (media type, charset or size): quotes were not looked for in it.",
    "Look for the quotes in the payload with another reader.",
    inconclusive=True,
)
CONVERSION_DIFFERS = error(
    "conversion.differs",
    "The conversion record is not the text file, or refers to another payload.",
    "Restore both from the archive.",
)
EXTRACTION_DIFFERS = error(
    "extraction.differs",
    "The archive's extractor, of the same id, makes another text of the payload.",
    "Do not rely on the text; ask the archive how it came about.",
)
EXTRACTION_FIELD = error(
    "extraction.field-differs",
    "The archive's extractor, of the same id, reads another title, author, date or outline in the payload.",
    "Do not believe the field; ask who published the log.",
)
EXTRACTION_UNREPEATABLE = warning(
    "extraction.unrepeatable",
    "The text could not be made again by the extractor that the snapshot names.",
    "Install the version that it names, and run again.",
    inconclusive=True,
)
