"""Reading a WARC file and verifying every digest, as the validator does it, against warcio's digest check.

The file is written here, by neither side, so that nobody reads what it likes best. Each side must find every record
and every digest good, and each must notice one flipped byte, before it is timed.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from contextlib import ExitStack
from dataclasses import dataclass
from uuid import UUID

from warcio.archiveiterator import ArchiveIterator

from deploy.bench.result import Result
from deploy.bench.texts import text
from deploy.bench.timing import compare
from validator.http_block import read_head
from validator.leaf_records import digest_of
from validator.warc import Broken, read_member, sha256_from_here

RECORDS = 600
PAGE_WORDS = 6_500
"""Some 39 kB a page, the mean of the capture benchmark."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A WARC file in memory, and where its members are."""

    data: bytes
    members: tuple[tuple[int, int], ...]


def corpus(records: int, page_words: int = PAGE_WORDS) -> Corpus:
    """Responses with SHA-256 block and payload digests, a gzip member each, at zlib's usual level."""
    out = io.BytesIO()
    members = []
    long = text(page_words + 50 * records, seed=1)
    for number in range(records):
        start = 300 * number
        payload = long[start : start + 6 * page_words].encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(payload)}\r\n\r\n".encode()
        block = head + payload
        fields = (
            "WARC/1.1\r\nWARC-Type: response\r\n"
            f"WARC-Record-ID: <urn:uuid:{UUID(int=number)}>\r\n"
            "WARC-Date: 2026-11-29T12:00:00Z\r\n"
            f"WARC-Target-URI: http://origin.example/{number}\r\n"
            f"WARC-Block-Digest: sha256:{hashlib.sha256(block).hexdigest()}\r\n"
            f"WARC-Payload-Digest: sha256:{hashlib.sha256(payload).hexdigest()}\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
        )
        gzip = zlib.compressobj(6, zlib.DEFLATED, 31)
        member = gzip.compress(fields.encode() + block + b"\r\n\r\n") + gzip.flush()
        members.append((out.tell(), len(member)))
        out.write(member)
    return Corpus(out.getvalue(), tuple(members))


def good_by_validator(given: Corpus) -> int:
    """How many records have the digests that they name, by the validator's own reader."""
    stream = io.BytesIO(given.data)
    good = 0
    for offset, length in given.members:
        stream.seek(offset)
        with ExitStack() as scratch:
            record = read_member(stream, length, scratch)
            if isinstance(record, Broken):
                continue
            head = read_head(record.block, record.block_bytes)
            if head is None:
                continue
            digest = sha256_from_here(record.block)
            good += (
                digest_of(record, "WARC-Block-Digest") == bytes.fromhex(record.block_sha256)
                and digest_of(record, "WARC-Payload-Digest") == digest.digest()
            )
    return good


def good_by_warcio(given: Corpus) -> int:
    """The same by warcio, as its `check` command reads."""
    good = 0
    for record in ArchiveIterator(io.BytesIO(given.data), check_digests=True):
        stream = record.content_stream()
        while stream.read(16 * 1024):
            pass
        good += record.digest_checker.passed is True
    return good


def measure(records: int = RECORDS) -> list[Result]:
    """AssertionError where a side overlooks a record or a flipped byte."""
    given = corpus(records)
    broken = _flipped(given)
    for name, check in (("validator", good_by_validator), ("warcio", good_by_warcio)):
        if (check(given), check(broken)) != (records, records - 1):
            raise AssertionError(f"{name} does not see what it must; its speed means nothing")
    found = compare(lambda: good_by_validator(given), lambda: good_by_warcio(given))
    return [
        Result(
            name="reading and verifying every digest against warcio",
            value=records / found.ours,
            unit="records/CPU-s",
            peer="warcio",
            peer_value=records / found.peer,
            ratio=found.ratio,
            lower_is_better=False,
            floor=2,
            goal=3,
        )
    ]


def _flipped(given: Corpus) -> Corpus:
    """The same file with one byte of one payload changed, compressed anew so that only digests can tell."""
    offset, length = given.members[-1]
    plain = bytearray(zlib.decompress(given.data[offset : offset + length], 31))
    plain[-100] ^= 1
    gzip = zlib.compressobj(6, zlib.DEFLATED, 31)
    member = gzip.compress(bytes(plain)) + gzip.flush()
    return Corpus(given.data[:offset] + member, (*given.members[:-1], (offset, len(member))))
