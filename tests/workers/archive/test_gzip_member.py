"""R083: one reproducible gzip member per record."""

import gzip
import shutil
import subprocess
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.archive.gzip_member import compress, compress_pieces


@given(st.binary(max_size=5000))
def test_member_holds_the_bytes(data: bytes) -> None:
    assert gzip.decompress(compress(data)) == data


@given(st.lists(st.binary(max_size=2000), max_size=6))
def test_streamed_member_holds_the_bytes(pieces: list[bytes]) -> None:
    member = b"".join(compress_pieces(pieces))
    assert gzip.decompress(member) == b"".join(pieces)
    decoder = zlib.decompressobj(31)
    decoder.decompress(member)
    assert decoder.eof
    assert decoder.unused_data == b""


def test_equal_records_give_equal_members_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"WARC/1.1\r\n" * 50
    before = compress(data), b"".join(compress_pieces([data]))
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert (compress(data), b"".join(compress_pieces([data]))) == before
    assert before[0][4:8] == before[1][4:8] == b"\x00\x00\x00\x00"


def test_members_in_a_row_are_what_gzip_reads(tmp_path: object) -> None:
    program = shutil.which("gzip")
    assert program, "install gzip: it is a second reader"
    data = compress(b"one") + b"".join(compress_pieces([b"two"])) + compress(b"")
    done = subprocess.run([program, "-dc"], input=data, capture_output=True, check=True)
    assert done.stdout == b"onetwo"
