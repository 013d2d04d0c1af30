"""A full disk is told with its file system and amounts, whoever stumbled over it."""

from __future__ import annotations

from pathlib import Path

from redis import exceptions

from scheduler.cli.root import run
from workers.adapters import disk
from workers.adapters.disk import MIB, Room, full_of, room_at
from workers.adapters.redis.client import translated
from workers.errors import RetryableError


def room(free: int, total: int, files: int | None = None) -> Room:
    return Room(Path("/data/spool"), Path("/data"), free, total, files)


def test_full_is_what_the_stores_take_no_writes_on():
    assert room(63 * MIB, 1024 * MIB).is_full
    assert not room(65 * MIB, 1024 * MIB).is_full
    assert room(900 * MIB, 100 * 1024 * MIB).is_full, "SeaweedFS closes its volumes at 1 %"
    assert not room(1025 * MIB, 10**7 * MIB).is_full
    assert room(10**6 * MIB, 10**7 * MIB, files=0).is_full
    assert "inodes" in room(10**6 * MIB, 10**7 * MIB, files=0).sentence(1)


def test_a_folder_that_is_not_there_yet_is_on_the_file_system_of_the_one_above(tmp_path):
    found = room_at(tmp_path / "absent" / "deep")
    assert found.mount.is_mount()
    assert 0 < found.free_bytes <= found.total_bytes


def test_a_command_that_fails_on_a_full_disk_says_so(tmp_path, monkeypatch, capsys):
    """`archive` cannot reach its store; that the disk is full is why, and what is to be mended first."""
    monkeypatch.setenv("CITEVAULT_REDIS_URL", "redis://127.0.0.1:1/0")
    monkeypatch.setenv("CITEVAULT_S3_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    assert run(["--data-dir", str(tmp_path), "status"]) == 3
    assert "full" not in capsys.readouterr().err
    monkeypatch.setattr(disk, "LEAST_PART", 1)
    monkeypatch.setattr(disk, "MOST_WANTED", 2**62)
    assert full_of([tmp_path]) is not None
    assert run(["--data-dir", str(tmp_path), "status"]) == 3
    said = capsys.readouterr().err
    assert "next: the disk is full: " in said
    assert f"on the file system at {room_at(tmp_path).mount}" in said


def test_redis_that_cannot_keep_writes_is_waited_for():
    error = translated(exceptions.ResponseError("MISCONF Errors writing to the AOF file: No space left on device"))
    assert isinstance(error, RetryableError)
    assert "make room" in error.next_step
