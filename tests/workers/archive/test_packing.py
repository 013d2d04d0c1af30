"""Files of zstd frames: who reads them, who does not, and that nothing else about them differs."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from validator.warc import Broken, read_member
from validator.warc import WarcRecord as CheckedRecord
from workers.archive.exchange_records import ExchangeRecords
from workers.archive.packing import COMPRESSIONS, as_gzip
from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_at, read_file
from workers.archive.reading import read_member as read_own
from workers.archive.salvage import Salvaged, salvage
from workers.archive.segment import ClosedSegment, Owner, SegmentWriter
from workers.archive.warcinfo import Warcinfo
from workers.exchange import Exchange

Write = Callable[[str], ClosedSegment]


@pytest.fixture
def write(tmp_path: Path, make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords]) -> Write:
    """The same exchanges, small and large, packed one way or the other; ids are equal."""
    large = os.urandom(1_500_000) + bytes(2_000_000)

    def make(compression: str) -> ClosedSegment:
        numbers = iter(range(100))
        new_id = lambda: f"urn:uuid:00000000-0000-4000-8000-{next(numbers):012d}"  # noqa: E731
        folder = tmp_path / compression
        folder.mkdir()
        writer = SegmentWriter(
            folder,
            "s",
            "a",
            Warcinfo("citevault/test"),
            created_at="2026-11-29T12:00:00Z",
            compression=compression,  # type: ignore[arg-type]
            new_id=new_id,
        )
        for number, content in enumerate((b"<p>Hello</p>" * 99, b"", large)):
            exchange = make_exchange(content=content, url=f"http://example.org/{number}")
            writer.append(to_records(exchange, warcinfo_id=writer.warcinfo_id, new_id=new_id).all, 0.0)
        return writer.close()

    return make


def test_both_packings_hold_the_same_records(write: Write) -> None:
    gzip, zstd = (write(compression) for compression in COMPRESSIONS)
    assert (gzip.path.name, zstd.path.name) == ("s-a.warc.gz", "s-a.warc.zst")
    with gzip.path.open("rb") as one, zstd.path.open("rb") as other:
        for ours, theirs in zip_longest(read_file(one), read_file(other)):
            assert isinstance(ours.record, WarcRecord)
            assert isinstance(theirs.record, WarcRecord)
            if ours.record.type != "warcinfo":  # it names the file
                assert ours.record.headers == theirs.record.headers
                assert ours.record.block.sha256 == theirs.record.block.sha256
            ours.record.block.close()
            theirs.record.block.close()


def test_index_lines_differ_in_place_and_name_alone(write: Write) -> None:
    def told(segment: ClosedSegment) -> list[bytes]:
        return [line.partition(b', "length"')[0] for line in segment.cdxj.splitlines()]

    gzip, zstd = (write(compression) for compression in COMPRESSIONS)
    assert told(gzip) == told(zstd)
    assert zstd.cdxj.count(b'"s-a.warc.zst"') == 3


def test_fastwarc_verifies_every_digest(write: Write, fastwarc_verdicts: Callable[[BinaryIO], list[Any]]) -> None:
    segment = write("zstd")
    with segment.path.open("rb") as file:
        verdicts = fastwarc_verdicts(file)
    assert len(verdicts) == segment.record_count == 7
    assert all(verdict.block is True for verdict in verdicts)
    assert [verdict.payload for verdict in verdicts if verdict.type == "response"] == [True, True, True]


def test_warcio_does_not_read_it(write: Write) -> None:
    """So neither do pywb and cdxj-indexer, which read through it: gzip stays the default."""
    with write("zstd").path.open("rb") as file, pytest.raises(ArchiveLoadFailed):
        list(ArchiveIterator(file))


def test_cdxj_indexer_finds_nothing_in_it(write: Write, peers: Path) -> None:
    segment = write("zstd")
    done = subprocess.run([str(peers / "cdxj-indexer"), str(segment.path)], capture_output=True, timeout=60)
    assert done.returncode != 0 or not done.stdout


def test_the_validators_reader_reads_an_archives_frames_and_no_bundles(write: Write) -> None:
    segment = write("zstd")
    data = segment.path.read_bytes()
    with segment.path.open("rb") as file:
        members = list(read_file(file))
    for member in members:
        frame = data[member.offset : member.offset + member.length]
        assert isinstance(member.record, WarcRecord)
        with ExitStack() as scratch:
            found = read_member(io.BytesIO(frame), len(frame), scratch, frames=True)
            assert isinstance(found, CheckedRecord)
            assert found.block_sha256 == member.record.block.sha256
            assert isinstance(read_member(io.BytesIO(frame), len(frame), scratch), Broken)
            for harmed in (frame[:-1], frame[:-4] + bytes(4), frame[:20], frame[:9] + b"\xff" + frame[10:]):
                assert isinstance(read_member(io.BytesIO(harmed), len(harmed), scratch, frames=True), Broken)
            assert isinstance(read_member(io.BytesIO(frame + b"x"), len(frame) + 1, scratch, frames=True), Broken)
        member.record.block.close()


def test_a_frame_becomes_the_gzip_member_of_its_record(write: Write) -> None:
    """What goes into a bundle, whose members are gzip."""
    segment = write("zstd")
    data = segment.path.read_bytes()
    with segment.path.open("rb") as file:
        for member in read_file(file):
            frame = data[member.offset : member.offset + member.length]
            again = read_own(as_gzip(frame))
            assert isinstance(again, WarcRecord)
            assert isinstance(member.record, WarcRecord)
            assert as_gzip(frame).startswith(b"\x1f\x8b")
            assert (again.headers, again.block.sha256) == (member.record.headers, member.record.block.sha256)
            assert as_gzip(as_gzip(frame)) == as_gzip(frame)
            again.block.close()
            member.record.block.close()


def test_a_record_is_read_by_its_place(write: Write) -> None:
    segment = write("zstd")
    with segment.path.open("rb") as file:
        places = [(member.offset, member.length, member.record) for member in read_file(file)]
        for offset, length, record in reversed(places):
            again = read_at(file, offset, length)
            assert isinstance(again, WarcRecord)
            assert isinstance(record, WarcRecord)
            assert again.id == record.id
            again.block.close()
            record.block.close()


def test_a_torn_file_is_salvaged(tmp_path: Path, make_visits: Callable[[SegmentWriter, int], list[Any]]) -> None:
    owner = Owner("job-01KB7Q8ZJ4M8V3T0N5R6W9XCDE", "b-01KB7Q8ZJ4M8V3T0N5R6W9XCDF")
    info = Warcinfo("citevault/test")
    writer = SegmentWriter(tmp_path, "s", "a", info, created_at="2026-11-29T12:00:00Z", owner=owner, compression="zstd")
    visits = make_visits(writer, 3)
    writer.abandon()
    os.truncate(writer.open_path, writer.size - 7)
    found = salvage(writer.open_path)
    assert isinstance(found, Salvaged)
    assert [visit.outcome for visit in found.visits] == visits[:2]
    assert found.closed.path.name == "s-a.warc.zst"
