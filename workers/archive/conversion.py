"""Extracted text as a `conversion` record, and the `metadata` record that says how it was made (WARC 1.1, 6.8).

The text is bound to its source by WARC-Refers-To: the block digest of the conversion record is the
text's SHA-256, and both stand in the signed log. A payload digest would say the same a second time
(the payload of a conversion is its block) and FastWARC cannot verify it, so there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

from workers.archive.octets import CONTENT_TYPE as WARC_FIELDS
from workers.archive.octets import one_line, write_fields
from workers.archive.record import Block, NewId, Record, build, new_record_id, target_uri

TEXT_TYPE = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class ConversionSource:
    """The record that holds the payload that was converted: always a `response`, never a revisit."""

    record_id: str
    target_uri: str
    decoded_sha256: str | None
    """Of the payload with its content coding removed: what the extractor read."""


@dataclass(frozen=True, slots=True)
class ConversionMethod:
    """Everything that the text depends on beside the payload; versions and policies by their ids."""

    extractor: str
    normalizer: str
    content_type: str | None = None
    charset: str | None = None
    policies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversionRecords:
    """The text and its description."""

    conversion: Record
    metadata: Record

    @property
    def all(self) -> tuple[Record, ...]:
        """In the order in which they are written."""
        return (self.conversion, self.metadata)


def conversion_records(
    text: bytes,
    source: ConversionSource,
    method: ConversionMethod,
    *,
    converted_at: str,
    warcinfo_id: str,
    new_id: NewId = new_record_id,
) -> ConversionRecords:
    """Records of one text (UTF-8, after `text-v1`). `converted_at`: when it was made, not captured."""
    block = Block.of(text)
    uri = target_uri(source.target_uri)
    common = [("WARC-Target-URI", uri), ("WARC-Warcinfo-ID", f"<{warcinfo_id}>")]
    conversion = build(
        "conversion",
        new_id(),
        converted_at,
        block,
        content_type=TEXT_TYPE,
        fields=[*common, ("WARC-Refers-To", f"<{source.record_id}>")],
    )
    described = [
        ("extractor", method.extractor),
        ("normalizer", method.normalizer),
        *(("policy", policy) for policy in method.policies),
        ("source-record", source.record_id),
        ("source-content-type", method.content_type),
        ("source-charset", method.charset),
        ("decoded-sha256", source.decoded_sha256),
        ("text-sha256", block.sha256),
    ]
    metadata = build(
        "metadata",
        new_id(),
        converted_at,
        Block.of(write_fields((name, one_line(value)) for name, value in described if value is not None)),
        content_type=WARC_FIELDS,
        fields=[*common, ("WARC-Refers-To", f"<{conversion.id}>")],
    )
    return ConversionRecords(conversion, metadata)
