"""Frames as the IIPC's draft wants them, read back by us and by FastWARC."""

import io
import os
import tracemalloc
from collections.abc import Iterator

import pytest
import zstandard
from fastwarc.warc import ArchiveIterator
from hypothesis import given
from hypothesis import strategies as st

from workers.archive.inflate import MemberDamagedError
from workers.archive.parsing import CorruptRecord, WarcRecord
from workers.archive.reading import read_file, read_member
from workers.archive.zstd_frame import DICTIONARY_MAGIC, MAGIC, Frame, FramePacker

PACKER = FramePacker()
compress = PACKER.pack

RECORD = (
    b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"
    b"WARC-Date: 2026-11-29T12:00:00Z\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n"
)


def test_a_frame_says_its_size_and_carries_a_checksum() -> None:
    for frame in (compress(b"x" * 5000), b"".join(PACKER.pack_pieces([b"x" * 2500, b"x" * 2500], 5000))):
        assert frame.startswith(MAGIC)
        parameters = zstandard.get_frame_parameters(frame)
        assert (parameters.content_size, parameters.has_checksum, parameters.dict_id) == (5000, True, 0)


@given(st.lists(st.binary(max_size=500), max_size=5))
def test_pieces_give_back_the_whole(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    frame = b"".join(PACKER.pack_pieces(pieces, len(whole)))
    packed = Frame(io.BytesIO(frame + b"next").read)
    assert b"".join(packed.pieces()) == whole
    assert packed.consumed == len(frame)
    assert b"next".startswith(packed.unused)


def test_a_file_of_frames_is_read_record_by_record() -> None:
    frames = [compress(RECORD % number) for number in range(3)]
    found = list(read_file(io.BytesIO(b"".join(frames))))
    assert [located.length for located in found] == [len(frame) for frame in frames]
    for number, located in enumerate(found):
        assert isinstance(located.record, WarcRecord)
        assert located.record.id.endswith(str(number))
        located.record.block.close()
    theirs = list(ArchiveIterator(io.BytesIO(b"".join(frames)), parse_http=False))
    assert [record.stream_pos for record in theirs] == [located.offset for located in found]


def faults() -> Iterator[tuple[bytes, str]]:
    frame = compress(RECORD % 1)
    yield frame[:-1], "ends-early"
    yield frame[:20], "ends-early"
    yield frame[:-4] + bytes(4), "member-damaged"
    yield frame + b"x", "member-length"
    yield DICTIONARY_MAGIC + (4).to_bytes(4, "little") + b"dict", "member-damaged"
    yield compress(RECORD % 1 + RECORD % 2), "content-length"


@pytest.mark.parametrize(("data", "fault"), list(faults()))
def test_what_does_not_hold_is_named(data: bytes, fault: str) -> None:
    read = read_member(data)
    assert isinstance(read, CorruptRecord)
    assert read.fault == fault, read


def test_a_window_beyond_the_drafts_limit_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=24)
    squeeze = zstandard.ZstdCompressor(compression_params=parameters).compressobj(size=20_000_000)
    frame = squeeze.compress(os.urandom(20_000_000)) + squeeze.flush()
    with pytest.raises(MemberDamagedError):
        b"".join(Frame(io.BytesIO(frame).read).pieces())


def test_a_bomb_is_given_in_bounded_pieces() -> None:
    frame = compress(bytes(200_000_000))
    tracemalloc.start()
    assert sum(len(piece) for piece in Frame(io.BytesIO(frame).read).pieces()) == 200_000_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24_000_000
