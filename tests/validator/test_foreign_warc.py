"""Records that others wrote: whole ones are read and their own digests hold, broken ones are told, nothing raises."""

import hashlib
import io
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from schemas.digests import WarcAlgorithm, WarcDigest, parse_warc_label
from validator.warc import Broken, WarcRecord, read_member

GOOD = [
    "cdxj-indexer/missing-http.warc.gz",
    "ipwb/warcs/froggie.warc.gz",
    "ipwb/warcs/sample-1.warc.gz",
    "pywb/warcs/example2.warc.gz",
    "pywb/warcs/iana.warc.gz",
    "pywb/warcs/httpbin-resource.warc.gz",
    "warcio/example-space-in-target-uri.warc.gz",
    "warcio/example-resource.warc.gz",
    "py-wacz/example-resource.warc.gz",
    "iipc-dedup/20130729-heritrix-original.warc.gz",
]


def members(data: bytes) -> Iterator[bytes]:
    """The gzip members of a file."""
    while data:
        member = zlib.decompressobj(16 + zlib.MAX_WBITS)
        member.decompress(data)
        size = len(data) - len(member.unused_data)
        yield data[:size]
        data = data[size:]


@pytest.mark.parametrize("name", GOOD)
def test_every_member_of_a_good_file_is_one_whole_record(name: str, conformance_data: Path) -> None:
    data = (conformance_data / "warc" / name).read_bytes()
    count = 0
    for member in members(data):
        with ExitStack() as scratch:
            record = read_member(io.BytesIO(member), len(member), scratch)
            assert isinstance(record, WarcRecord), (count, record)
            block = record.block.read()
            label = record.one("WARC-Block-Digest")
            digest = parse_warc_label(label) if label else None
            if isinstance(digest, WarcDigest) and digest.algorithm is WarcAlgorithm.SHA1:
                assert hashlib.sha1(block).digest() == digest.digest
        count += 1
    assert count


def test_no_file_raises_and_no_broken_one_passes(conformance_data: Path) -> None:
    files = [p for p in sorted((conformance_data / "warc").rglob("*")) if p.is_file() and p.stat().st_size < 2_000_000]
    whole = set()
    for file in files:
        data = file.read_bytes()
        with ExitStack() as scratch:
            record = read_member(io.BytesIO(data), len(data), scratch)
            assert isinstance(record, (WarcRecord, Broken))
            if isinstance(record, WarcRecord):
                whole.add(file.name)
    assert len(files) > 50
    assert not {name for name in whole if "bad" in name or "invalid" in name or "trunc" in name}
