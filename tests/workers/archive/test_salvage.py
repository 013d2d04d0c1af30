"""What a killed worker leaves is committed as far as it is whole, and nothing else is."""

import hashlib
import os
import random
from pathlib import Path
from typing import Any

import pytest

from workers.archive.journal import journal_path, remove_segment
from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_file
from workers.archive.salvage import Salvaged, Spoiled, salvage


def left(journaled: Any, visits: int = 6) -> tuple[Path, bytes]:
    """An open segment whose visits are all in the journal; its path and bytes."""
    for number in range(visits):
        journaled.visit(number, hops=1 + number % 2)
    journaled.writer.sync()
    path = journaled.kill()
    return path, path.read_bytes()


def whole_file(found: Salvaged) -> None:
    """The salvaged file is a good segment: every member whole, and told rightly."""
    data = found.closed.path.read_bytes()
    assert (found.closed.size, found.closed.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    with found.closed.path.open("rb") as file:
        members = list(read_file(file))
    for member in members:
        assert isinstance(member.record, WarcRecord), member.record
        member.record.block.close()
    places = {(m.record.id, m.offset, m.length) for m in members if isinstance(m.record, WarcRecord)}
    told = {(p.record_id, p.offset, p.length) for visit in found.visits for p in visit.records}
    assert told < places
    assert len(places) == found.closed.record_count == len(told) + 1
    assert found.closed.cdxj_count == found.closed.cdxj.count(b"\n") == sum(len(v.outcome.hops) for v in found.visits)


def test_a_whole_segment_is_told_as_if_it_had_been_closed(journaled: Any) -> None:
    path, data = left(journaled)
    found = salvage(path)
    assert isinstance(found, Salvaged)
    assert found.closed.path.read_bytes() == data
    assert found.closed.path.name == path.name.removesuffix(".open")
    assert [visit.outcome for visit in found.visits] == journaled.visits
    assert (found.cut_bytes, found.lost) == (0, ())
    whole_file(found)


@pytest.mark.parametrize("seed", range(8))
def test_a_cut_anywhere_leaves_the_visits_before_it(seed: int, journaled: Any) -> None:
    """A file cut in the middle of a member, and its journal naming more: nothing half stays."""
    path, data = left(journaled)
    cut = random.Random(seed).randrange(journaled.writer.warcinfo.length + 1, len(data))
    os.truncate(path, cut)
    whole = [v for v in journaled.visits if max(p.offset + p.length for h in v.hops for p in h.records) <= cut]
    found = salvage(path)
    if not whole:
        assert isinstance(found, Spoiled)
        return
    assert isinstance(found, Salvaged)
    assert [visit.outcome for visit in found.visits] == whole
    assert data.startswith(found.closed.path.read_bytes())
    assert found.cut_bytes == cut - found.closed.size
    assert found.lost
    whole_file(found)


@pytest.mark.parametrize("garbage", [b"\x00" * 4096, b"\x1f\x8b\x08\x00garbage", b"WARC/1.1\r\n", os.urandom(300)])
def test_garbage_after_the_last_record_is_cut_off(garbage: bytes, journaled: Any) -> None:
    path, data = left(journaled)
    path.write_bytes(data + garbage)
    found = salvage(path)
    assert isinstance(found, Salvaged)
    assert found.closed.path.read_bytes() == data
    assert (found.cut_bytes, found.lost) == (len(garbage), ())


def test_records_that_no_journal_names_are_cut_off(journaled: Any) -> None:
    """What came after the last group of the journal is whole, and says nothing of its outcome: it is fetched again."""
    journaled.visit(1)
    journaled.writer.sync()
    end = journaled.writer.size
    journaled.visit(2)
    found = salvage(journaled.kill())
    assert isinstance(found, Salvaged)
    assert [visit.outcome for visit in found.visits] == journaled.visits[:1]
    assert found.closed.size == end
    whole_file(found)


def test_what_was_only_gathered_is_gone_with_the_process_and_named_nowhere(journaled: Any) -> None:
    journaled.visit(1)
    journaled.writer.sync()
    end = journaled.writer.size
    journaled.visit(2)
    journaled.writer._file.close()
    assert journaled.writer.open_path.stat().st_size == end < journaled.writer.size
    found = salvage(journaled.writer.open_path)
    assert isinstance(found, Salvaged)
    assert [visit.outcome for visit in found.visits] == journaled.visits[:1]
    whole_file(found)


def test_a_segment_that_is_left_holds_all_that_its_journal_names(journaled: Any) -> None:
    journaled.visit(1)
    journaled.writer.sync()
    journaled.visit(2)
    journaled.writer.abandon()
    found = salvage(journaled.writer.open_path)
    assert isinstance(found, Salvaged)
    assert [visit.outcome for visit in found.visits] == journaled.visits
    whole_file(found)


def test_a_visit_without_records_is_kept(journaled: Any) -> None:
    """Such as one whose address does not fit a record."""
    journaled.visit(1)
    journaled.writer.note(journaled.visits[0].model_copy(update={"hops": (), "normalized_url": "http://example.org/x"}))
    journaled.writer.sync()
    found = salvage(journaled.kill())
    assert isinstance(found, Salvaged)
    assert len(found.visits) == 2


def test_a_closed_segment_is_salvaged_as_it_is(journaled: Any) -> None:
    """Killed between the close and the receipt."""
    journaled.visit(1)
    closed = journaled.writer.close()
    found = salvage(closed.path)
    assert isinstance(found, Salvaged)
    assert found.closed == closed


def test_a_closed_segment_that_lost_its_end_is_not_stored_again(journaled: Any) -> None:
    """Its bytes may lie in the store under that name already."""
    journaled.visit(1)
    journaled.visit(2)
    closed = journaled.writer.close()
    os.truncate(closed.path, closed.size - 1)
    assert salvage(closed.path) == Spoiled("it had been closed, and the disk lost its end")


def test_without_a_journal_nothing_is_claimed(journaled: Any) -> None:
    path, _ = left(journaled)
    journal_path(path).unlink()
    assert isinstance(salvage(path), Spoiled)


def test_a_journal_that_does_not_fit_its_file_brings_nothing_back(journaled: Any) -> None:
    path, data = left(journaled)
    path.write_bytes(data[journaled.writer.warcinfo.length :])
    assert salvage(path) == Spoiled("its first record is not the warcinfo of its journal")


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b", b"garbage"])
def test_a_file_without_a_whole_record_is_spoiled(content: bytes, journaled: Any) -> None:
    path, _ = left(journaled)
    path.write_bytes(content)
    assert salvage(path) == Spoiled("no record in it is whole")
    assert not path.exists()


def test_a_record_that_the_disk_changed_ends_what_is_whole(journaled: Any) -> None:
    path, data = left(journaled)
    third = journaled.visits[2].hops[0].records[1]
    at = third.offset + third.length // 2
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    found = salvage(path)
    assert isinstance(found, Salvaged)
    assert [visit.outcome for visit in found.visits] == journaled.visits[:2]
    assert found.lost
    whole_file(found)


def test_a_file_without_a_whole_visit_is_removed_under_whatever_name_it_has_by_then(journaled: Any) -> None:
    left = journaled.kill()
    journaled.writer._write_journal(journaled.writer._to_journal)
    assert salvage(left) == Spoiled("no visit in it is whole")
    remove_segment(left)
    assert list(left.parent.iterdir()) == []
