"""The file on disk: whole records, durable in groups, named last."""

import errno
import hashlib
import os
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from workers.archive.exchange_records import ExchangeRecords
from workers.archive.growing_file import GATHERED_BYTES
from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_at, read_file
from workers.archive.segment import MAX_BYTES, SegmentWriter, should_close
from workers.archive.warcinfo import Warcinfo
from workers.exchange import Exchange


@pytest.mark.parametrize(
    ("size", "first", "now", "full"),
    [
        (0, None, 1000.0, False),
        (MAX_BYTES - 1, 0.0, 29.9, False),
        (MAX_BYTES, 0.0, 0.0, True),
        (1, 10.0, 40.0, True),
        (1, 10.0, 39.9, False),
    ],
)
def test_a_segment_is_full_at_64_mib_or_after_30_seconds(
    size: int, first: float | None, now: float, full: bool
) -> None:
    assert should_close(size, first, now) is full


def test_closed_segment_is_what_was_appended(
    open_segment: Callable[[], SegmentWriter],
    make_exchange: Callable[..., Exchange],
    to_records: Callable[..., ExchangeRecords],
) -> None:
    segment = open_segment()
    assert segment.open_path.name.endswith(".warc.gz.open")
    places = [segment.warcinfo]
    for number in range(3):
        exchange = make_exchange(url=f"http://example.org/{number}", content=b"x" * number * 1_000_000)
        places += segment.append(to_records(exchange, warcinfo_id=segment.warcinfo_id).all, float(number))
    assert segment.first_record_at == 0.0
    closed = segment.close()
    data = closed.path.read_bytes()
    assert (closed.size, closed.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert closed.record_count == len(places) == 7
    assert closed.cdxj_count == closed.cdxj.count(b"\n") == 3
    assert sorted(path.name for path in closed.path.parent.iterdir()) == [closed.path.name]
    with closed.path.open("rb") as file:
        for place in places:
            record = read_at(file, place.offset, place.length)
            assert isinstance(record, WarcRecord)
            assert (record.id, record.type) == (place.record_id, place.type)
            if record.type != "warcinfo":
                assert record.reference("WARC-Warcinfo-ID") == segment.warcinfo_id
            record.block.close()


def test_sync_is_due_after_a_second_or_4_mib(
    open_segment: Callable[[], SegmentWriter],
    make_exchange: Callable[..., Exchange],
    to_records: Callable[..., ExchangeRecords],
) -> None:
    segment = open_segment()
    assert not segment.needs_sync(1000.0)
    segment.append(to_records(make_exchange()).all, 5.0)
    assert not segment.needs_sync(5.9)
    assert segment.needs_sync(6.0)
    segment.sync()
    assert segment.synced_size == segment.size
    assert not segment.needs_sync(100.0)
    segment.append(to_records(make_exchange(content=os.urandom(4 * 1024 * 1024 + 1))).all, 100.0)
    assert segment.needs_sync(100.0)
    segment.discard()
    assert list(segment.open_path.parent.iterdir()) == []


def test_a_write_that_fails_leaves_the_file_as_it_was(
    open_segment: Callable[[], SegmentWriter],
    make_exchange: Callable[..., Exchange],
    to_records: Callable[..., ExchangeRecords],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A full disk in the middle of a record: nothing of it stays, and the next append works."""
    segment = open_segment()
    segment.append(to_records(make_exchange()).all, 0.0)
    segment.sync()
    before = segment.open_path.read_bytes()
    real_write = os.write

    def full_disk(handle: int, data: bytes) -> int:
        real_write(handle, bytes(data[: len(data) // 2]))
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("workers.archive.growing_file.os.write", full_disk)
    with pytest.raises(OSError, match="No space left"):
        segment.append(to_records(make_exchange(content=os.urandom(GATHERED_BYTES))).all, 0.0)
    monkeypatch.undo()
    assert segment.open_path.read_bytes() == before
    segment.append(to_records(make_exchange()).all, 0.0)
    closed = segment.close()
    assert hashlib.sha256(closed.path.read_bytes()).hexdigest() == closed.sha256
    with closed.path.open("rb") as file:
        members = list(read_file(file))
    assert len(members) == closed.record_count == 5
    for member in members:
        assert isinstance(member.record, WarcRecord)
        member.record.block.close()


def test_records_that_a_full_disk_holds_up_are_written_by_the_next_sync(
    open_segment: Callable[[], SegmentWriter],
    make_exchange: Callable[..., Exchange],
    to_records: Callable[..., ExchangeRecords],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was gathered is not lost, and nothing of it counts as durable meanwhile."""
    segment = open_segment()
    places = segment.append(to_records(make_exchange()).all, 0.0)

    def full_disk(handle: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("workers.archive.growing_file.os.write", full_disk)
    with pytest.raises(OSError, match="No space left"):
        segment.sync()
    assert segment.synced_size == 0
    monkeypatch.undo()
    segment.sync()
    assert segment.synced_size == segment.size == segment.open_path.stat().st_size
    with segment.open_path.open("rb") as file:
        members = list(read_file(file))
    assert [(member.offset, member.length) for member in members[1:]] == [
        (place.offset, place.length) for place in places
    ]
    for member in members:
        assert isinstance(member.record, WarcRecord)
        member.record.block.close()


def test_after_a_failed_fsync_the_segment_is_of_no_use(
    open_segment: Callable[[], SegmentWriter],
    make_exchange: Callable[..., Exchange],
    to_records: Callable[..., ExchangeRecords],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    segment = open_segment()
    records = to_records(make_exchange()).all
    segment.append(records, 0.0)

    def broken(handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("workers.archive.segment.os.fsync", broken)
    with pytest.raises(OSError, match="Input/output"):
        segment.sync()
    monkeypatch.undo()
    assert segment.synced_size == 0
    with pytest.raises(ValueError, match="another attempt"):
        segment.append(records, 0.0)
    segment.discard()


def test_sync_in_another_thread_sees_whole_records_alone(
    open_segment: Callable[[], SegmentWriter],
    make_exchange: Callable[..., Exchange],
    to_records: Callable[..., ExchangeRecords],
) -> None:
    segment = open_segment()
    boundaries = {segment.size}
    seen = set()
    done = threading.Event()

    def keep_syncing() -> None:
        while not done.is_set():
            segment.sync()
            seen.add(segment.synced_size)

    thread = threading.Thread(target=keep_syncing)
    thread.start()
    try:
        for number in range(40):
            records = to_records(make_exchange(content=os.urandom(1000 + 60_000 * (number % 20))))
            segment.append(records.all, float(number))
            boundaries.add(segment.size)
    finally:
        done.set()
        thread.join()
    assert seen <= boundaries
    assert segment.record_count == 81
    closed = segment.close()
    assert hashlib.sha256(closed.path.read_bytes()).hexdigest() == closed.sha256


def test_a_large_body_does_not_fill_the_memory(
    open_segment: Callable[[], SegmentWriter],
    make_exchange: Callable[..., Exchange],
    to_records: Callable[..., ExchangeRecords],
) -> None:
    exchange = make_exchange(content=b"")
    assert exchange.response is not None
    block = os.urandom(1024 * 1024)
    for _ in range(24):
        exchange.response.content.write(block)
    segment = open_segment()
    tracemalloc.start()
    segment.append(to_records(exchange).all, 0.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert segment.size > 24 * 1024 * 1024
    assert peak < 3 * 1024 * 1024
    segment.discard()


def test_two_attempts_never_share_a_file(tmp_path: Path, open_segment: Callable[[], SegmentWriter]) -> None:
    first, second = open_segment(), open_segment()
    assert first.open_path != second.open_path
    with pytest.raises(FileExistsError):
        open_again(first)
    first.discard()
    second.discard()


def open_again(segment: SegmentWriter) -> None:
    handle = os.open(segment.open_path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    os.close(handle)


def test_equal_exchanges_give_equal_files(
    make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords], tmp_path: Path
) -> None:
    """Reproducible: with the same ids and times, byte for byte."""
    files = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        numbers = iter(range(100))
        new_id = lambda numbers=numbers: f"urn:uuid:00000000-0000-4000-8000-{next(numbers):012d}"  # noqa: E731
        segment = SegmentWriter(
            tmp_path / folder, "s", "a", Warcinfo("citevault/test"), created_at="2026-11-29T12:00:00Z", new_id=new_id
        )
        segment.append(to_records(make_exchange(), warcinfo_id=segment.warcinfo_id, new_id=new_id).all, 0.0)
        files.append(segment.close().path.read_bytes())
    assert files[0] == files[1]
