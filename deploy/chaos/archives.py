"""Two readers that others wrote, FastWARC and warcio, over each WARC file: every digest that they check must hold."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

from fastwarc.warc import ArchiveIterator as FastWarcIterator
from fastwarc.warc import WarcRecord
from warcio.archiveiterator import ArchiveIterator as WarcioIterator
from warcio.exceptions import ArchiveLoadFailed

PIECE_BYTES = 64 * 1024


@dataclass(slots=True)
class Archived:
    """What stands in one file."""

    records: int = 0
    responses: set[str] = field(default_factory=set)
    """Record ids."""
    refers_to: set[str] = field(default_factory=set)
    """Of its revisits: the records that hold their payloads."""
    problems: list[str] = field(default_factory=list)


def read_archive(name: str, data: bytes) -> Archived:
    """Read one file with both. What is wrong is told with the name of the reader that said so."""
    found = Archived()
    try:
        for record in FastWarcIterator(io.BytesIO(data), parse_http=False):
            _by_fastwarc(name, record, found)
    except (OSError, ValueError) as error:
        found.problems.append(f"{name}: FastWARC: {error}")
    seen = 0
    try:
        for record in WarcioIterator(io.BytesIO(data), check_digests=True):
            while record.raw_stream.read(PIECE_BYTES):
                pass
            found.problems += [f"{name}: warcio: {problem}" for problem in record.digest_checker.problems]
            seen += 1
    except (ArchiveLoadFailed, OSError, ValueError) as error:
        found.problems.append(f"{name}: warcio: {error}")
    if seen != found.records:
        found.problems.append(f"{name}: FastWARC reads {found.records} records, warcio {seen}")
    return found


def _by_fastwarc(name: str, record: WarcRecord, found: Archived) -> None:
    found.records += 1
    kind, record_id = record.headers["WARC-Type"], str(record.record_id).strip("<>")
    if not record.verify_block_digest():
        found.problems.append(f"{name}: FastWARC: block digest of {record_id}")
    if kind == "response":
        found.responses.add(record_id)
        if "WARC-Payload-Digest" in record.headers:
            record.parse_http()
            if not record.verify_payload_digest():
                found.problems.append(f"{name}: FastWARC: payload digest of {record_id}")
    elif kind == "revisit":
        found.refers_to.add(str(record.headers.get("WARC-Refers-To", "")).strip("<>"))
