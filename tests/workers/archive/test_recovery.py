"""After a crash a file ends on a record boundary."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from workers.archive.exchange_records import ExchangeRecords
from workers.archive.recovery import recover
from workers.archive.segment import SegmentWriter
from workers.exchange import Exchange


@pytest.fixture
def torn(
    open_segment: Callable[[], SegmentWriter],
    make_exchange: Callable[..., Exchange],
    to_records: Callable[..., ExchangeRecords],
) -> SegmentWriter:
    """A segment that nobody closed: warcinfo and two exchanges, the first of them durable."""
    segment = open_segment()
    segment.append(to_records(make_exchange()).all, 0.0)
    segment.sync()
    segment.append(to_records(make_exchange(content=os.urandom(3000))).all, 0.0)
    segment._file.flush()
    segment._file.close()
    return segment


def test_a_whole_file_stays_byte_for_byte(torn: SegmentWriter) -> None:
    before = torn.open_path.read_bytes()
    recovered = recover(torn.open_path)
    assert recovered.path == torn.path
    assert torn.path.read_bytes() == before
    assert (recovered.cut_bytes, recovered.damage) == (0, None)
    assert [place.type for place in recovered.records] == ["warcinfo", "request", "response", "request", "response"]
    assert [path.name for path in torn.path.parent.iterdir()] == [torn.path.name]


def test_every_cut_ends_on_the_record_boundary_before_it(torn: SegmentWriter, tmp_path: Path) -> None:
    """As if the worker had been killed after any byte of the last record (complaint: unexpected EOF)."""
    data = torn.open_path.read_bytes()
    places = recover(torn.open_path).records
    start = places[-1].offset
    folder = tmp_path / "cuts"
    folder.mkdir()
    for cut in (*range(start, start + 40), *range(start + 40, len(data), 211), len(data) - 1):
        open_path = folder / "s.warc.gz.open"
        open_path.write_bytes(data[:cut])
        recovered = recover(open_path)
        assert (recovered.size, recovered.cut_bytes) == (start, cut - start)
        assert recovered.path is not None
        assert recovered.path.read_bytes() == data[:start]
        assert (recovered.damage is None) == (cut == start)


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b", b"garbage", bytes(4096)])
def test_a_file_without_a_whole_record_is_removed(tmp_path: Path, content: bytes) -> None:
    open_path = tmp_path / "s.warc.gz.open"
    open_path.write_bytes(content)
    recovered = recover(open_path)
    assert (recovered.path, recovered.size, recovered.cut_bytes) == (None, 0, len(content))
    assert list(tmp_path.iterdir()) == []


def test_zeros_after_the_last_record_are_cut_off(torn: SegmentWriter) -> None:
    """What a file system leaves after a power cut."""
    data = torn.open_path.read_bytes()
    torn.open_path.write_bytes(data + bytes(8192))
    recovered = recover(torn.open_path)
    assert recovered.path is not None
    assert recovered.path.read_bytes() == data


def test_recovery_agrees_with_the_files_of_another_crash_suite(conformance_data: Path, tmp_path: Path) -> None:
    cases = json.loads((conformance_data / "warc/expected/ia-gowarc-mend.json").read_text())
    assert cases
    for case in cases:
        source = conformance_data / "warc/ia-gowarc" / case["file"]
        open_path = tmp_path / case["file"]
        shutil.copyfile(source, open_path)
        before = open_path.read_bytes()
        recovered = recover(open_path)
        assert (recovered.damage is not None) == case["corrupt"], case
        assert bool(recovered.cut_bytes) == case["truncate"], case
        if recovered.path is not None:
            assert recovered.path.name == case["rename_to"]
            assert recovered.path.read_bytes() == before[: recovered.size]
        else:
            assert recovered.size == 0
