"""A file that grows: the same bytes, however they were gathered, and none of a piece that could not be written."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.archive.growing_file import GATHERED_BYTES, GrowingFile

STEPS = st.lists(
    st.tuples(st.just("add"), st.sampled_from([b"", b"a" * 7, b"b" * (GATHERED_BYTES - 7), b"c" * GATHERED_BYTES]))
    | st.tuples(st.just("stream"), st.sampled_from([b"d", b"e" * 999]))
    | st.tuples(st.just("flush"), st.just(b"")),
    max_size=8,
)


@given(STEPS)
def test_the_file_is_what_was_appended_in_order(steps: list[tuple[str, bytes]]) -> None:
    with TemporaryDirectory() as folder:
        file = GrowingFile(Path(folder) / "file")
        for step, piece in steps:
            match step:
                case "add":
                    file.add(piece)
                case "stream":
                    file.stream([piece[:3], piece[3:]])
                case _:
                    file.flush()
        file.flush()
        file.sync()
        file.close()
        whole = b"".join(piece for _, piece in steps)
        assert (Path(folder) / "file").read_bytes() == whole
        assert file.sha256 == hashlib.sha256(whole).hexdigest()


def test_a_piece_that_cannot_be_written_is_no_part_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = GrowingFile(tmp_path / "file")
    file.stream([b"first "])
    file.add(b"second ")
    real_write = os.write

    def full_disk(handle: int, data: bytes) -> int:
        real_write(handle, bytes(data[:10]))
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("workers.archive.growing_file.os.write", full_disk)
    with pytest.raises(OSError, match="No space left"):
        file.add(b"x" * GATHERED_BYTES)
    assert (tmp_path / "file").read_bytes() == b"first "
    monkeypatch.undo()
    file.add(b"third")
    file.flush()
    file.close()
    assert (tmp_path / "file").read_bytes() == b"first second third"
    assert file.sha256 == hashlib.sha256(b"first second third").hexdigest()


def test_a_stream_that_breaks_off_leaves_nothing_behind(tmp_path: Path) -> None:
    file = GrowingFile(tmp_path / "file")
    file.add(b"before")

    def broken() -> Iterator[bytes]:
        yield b"half"
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        file.stream(broken())
    file.close()
    assert (tmp_path / "file").read_bytes() == b"before"
    assert file.sha256 == hashlib.sha256(b"before").hexdigest()


def test_a_write_that_takes_a_part_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_write = os.write
    monkeypatch.setattr("workers.archive.growing_file.os.write", lambda handle, data: real_write(handle, data[:3]))
    file = GrowingFile(tmp_path / "file")
    file.stream([b"0123456789"])
    file.close()
    assert (tmp_path / "file").read_bytes() == b"0123456789"
