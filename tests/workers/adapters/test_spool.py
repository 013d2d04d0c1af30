"""Segments of a process that is gone can be taken, once; those of one that lives cannot."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.adapters.spool import SegmentSpool

BATCH = "b-01KB7Q8ZJ4M8V3T0N5R6W9XCDF"
HOLD = """
import sys
from pathlib import Path
from workers.adapters.spool import SegmentSpool
spool = SegmentSpool(Path(sys.argv[1]))
(spool.folder(sys.argv[2]) / "s-a.warc.gz.open").write_bytes(b"x")
(spool.folder(sys.argv[2]) / "s-a.warc.gz.journal").write_bytes(b"x")
print("there", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[SegmentSpool]:
    spool = SegmentSpool(tmp_path / "spool")
    yield spool
    spool.close()


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds a segment of the batch."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "spool"), BATCH],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    yield process
    process.kill()
    process.communicate()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != "lock")


def test_a_batch_folder_is_made_when_it_is_asked_for(spool: SegmentSpool) -> None:
    folder = spool.folder(BATCH)
    assert folder.is_dir()
    assert spool.folder(BATCH) == folder
    assert list(spool.take(BATCH)) == []
    spool.end(BATCH)
    assert not folder.exists()
    spool.end(BATCH)


def test_files_of_a_living_process_are_its_own(spool: SegmentSpool, holder: subprocess.Popen[str]) -> None:
    assert list(spool.take(BATCH)) == []
    assert spool.left(at_least_seconds=0) == []
    spool.drop(BATCH)
    assert holder.poll() is None
    assert len(names(spool.folder(BATCH).parent.parent)) == 2


def test_files_of_a_killed_process_are_taken_once(spool: SegmentSpool, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    other = SegmentSpool(spool.folder(BATCH).parent.parent)
    taken = spool.take(BATCH)
    assert [path.name for path in taken] == ["s-a.warc.gz.open"]
    assert names(spool.folder(BATCH)) == ["s-a.warc.gz.journal", "s-a.warc.gz.open"]
    assert list(other.take(BATCH)) == []
    other.close()


def test_what_is_given_up_may_be_taken_by_any_other(spool: SegmentSpool, tmp_path: Path) -> None:
    (spool.folder(BATCH) / "s-b.warc.gz").write_bytes(b"x")
    spool.end(BATCH)
    other = SegmentSpool(tmp_path / "spool")
    assert [path.name for path in other.take(BATCH)] == ["s-b.warc.gz"]
    other.close()


def test_files_of_two_dead_processes_come_together_oldest_first(spool: SegmentSpool, tmp_path: Path) -> None:
    for name in ("2-a.warc.gz", "1-b.warc.gz.open"):
        dead = SegmentSpool(tmp_path / "spool")
        (dead.folder(BATCH) / name).write_bytes(b"x")
        dead.close()
    assert [path.name for path in spool.take(BATCH)] == ["1-b.warc.gz.open", "2-a.warc.gz"]
    assert [folder.name for folder in (tmp_path / "spool").iterdir()] == [spool.folder(BATCH).parent.name]


def test_what_waits_is_told_with_its_age_and_not_again_at_once(spool: SegmentSpool, tmp_path: Path) -> None:
    dead = SegmentSpool(tmp_path / "spool")
    (dead.folder(BATCH) / "s-b.warc.gz").write_bytes(b"x")
    dead.close()
    assert spool.left(at_least_seconds=60) == []
    (found,) = spool.left(at_least_seconds=0)
    assert found.batch_id == BATCH
    assert [path.name for path in found.segments] == ["s-b.warc.gz"]
    assert 0 <= found.left_seconds < 60
    spool.drop(BATCH)
    assert spool.left(at_least_seconds=0) == []
    assert names(tmp_path / "spool") == []


def test_a_closed_spool_leaves_no_folder(tmp_path: Path) -> None:
    spool = SegmentSpool(tmp_path / "spool")
    spool.close()
    spool.close()
    assert list((tmp_path / "spool").iterdir()) == []


def test_a_folder_that_somebody_removed_is_made_again_and_held(spool: SegmentSpool, tmp_path: Path) -> None:
    own = spool.folder(BATCH).parent
    for removed in (own, own / "lock"):
        shutil.rmtree(own) if removed == own else removed.unlink()
        spool.prove()
        (spool.folder(BATCH) / "s-b.warc.gz").write_bytes(b"x")
        other = SegmentSpool(tmp_path / "spool")
        assert list(other.take(BATCH)) == [], "others see that it is held"
        other.close()
    assert names(own) == ["s-b.warc.gz"], "the proof leaves nothing"


def test_a_spool_that_cannot_be_written_is_told_until_it_can(tmp_path: Path) -> None:
    place = tmp_path / "spool"
    place.write_text("a file in its place")
    spool = SegmentSpool(place)
    with pytest.raises(NotADirectoryError):
        spool.prove()
    assert spool.left(at_least_seconds=0) == []
    place.unlink()
    with pytest.raises(FileNotFoundError):  # it may be a file system that is away
        spool.prove()
    place.mkdir()
    spool.prove()
    assert spool.folder(BATCH).is_dir()
    shutil.rmtree(place)
    spool.close()
