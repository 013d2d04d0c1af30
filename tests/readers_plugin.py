"""Readers of WARC files that are not ours, for suites that want a second opinion of what we wrote."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

import pytest
from fastwarc.warc import ArchiveIterator as FastWarcIterator
from warcio.archiveiterator import ArchiveIterator as WarcioIterator


@dataclass(frozen=True)
class Verdict:
    """What a second reader says of one record; None: it had nothing to check."""

    type: str
    record_id: str
    block: bool | None
    payload: bool | None


@pytest.fixture(scope="session")
def fastwarc_verdicts() -> Callable[[BinaryIO], list[Verdict]]:
    """FastWARC's opinion of each record's digests."""

    def read(stream: BinaryIO) -> list[Verdict]:
        verdicts = []
        for record in FastWarcIterator(stream, parse_http=False):
            block = record.verify_block_digest() if "WARC-Block-Digest" in record.headers else None
            payload = None
            record_type = record.headers["WARC-Type"]
            if "WARC-Payload-Digest" in record.headers and record_type != "revisit":
                if record.is_http:
                    record.parse_http()
                payload = record.verify_payload_digest()
            verdicts.append(Verdict(record_type, str(record.record_id).strip("<>"), block, payload))
        return verdicts

    return read


@pytest.fixture(scope="session")
def warcio_verdicts() -> Callable[[BinaryIO], list[tuple[str, bool | None]]]:
    """warcio's opinion of each record: its type, and whether the digests that it checks hold."""

    def read(stream: BinaryIO) -> list[tuple[str, bool | None]]:
        verdicts = []
        for record in WarcioIterator(stream, check_digests=True):
            # Not content_stream(): warcio 1.8.1 raises AttributeError there for any `br` body.
            while record.raw_stream.read(65536):
                pass
            assert record.digest_checker.problems == [], record.rec_headers
            verdicts.append((record.rec_type, record.digest_checker.passed))
        return verdicts

    return read
