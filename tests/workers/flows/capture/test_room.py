"""No batch is begun on a disk that is nearly full; it is begun as it is once there is room."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from workers import metrics
from workers.errors import RetryableError
from workers.flows.capture.in_turn import capture_in_turn
from workers.flows.capture.room import has_room, wait_for_room
from workers.flows.capture.settings import CaptureSettings

GIB = 1024**3


class Disk:
    """A spool and a clock: time goes on by a second a look, and the room changes with it as `free` says."""

    def __init__(self, *free: int) -> None:
        self._free = list(free)
        self.looks = 0

    def free_bytes(self) -> int:
        return self._free[min(self.looks, len(self._free) - 1)]

    def monotonic(self) -> float:
        self.looks += 1
        return float(self.looks)


def waited(disk: Disk, *, least: int, patience: float = 30.0, stopping: bool = False) -> None:
    settings = CaptureSettings("test", "agent", "w", spool_free_bytes=least, room_patience_seconds=patience)
    asyncio.run(wait_for_room(disk, disk, settings, lambda: stopping))  # type: ignore[arg-type]  # what it asks of them


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("workers.flows.capture.room.LOOK_SECONDS", 0.0)


@pytest.mark.parametrize(("free", "least", "enough"), [(GIB, GIB, True), (GIB - 1, GIB, False), (0, 0, True)])
def test_there_is_room_from_the_limit_on(free, least, enough):
    assert has_room(free, least) is enough


def test_it_waits_until_there_is_room():
    disk = Disk(10, 10, 10, 2000)
    waited(disk, least=1000)
    assert disk.looks == 3
    assert metrics.SPOOL_FREE._value.get() == 2000


def test_without_room_in_time_it_says_what_to_do():
    disk = Disk(10)
    with pytest.raises(RetryableError, match="10 bytes of room") as told:
        waited(disk, least=1000, patience=5)
    assert "CITEVAULT_SPOOL_DIR" in told.value.next_step
    assert disk.looks <= 7


def test_a_worker_that_is_to_end_does_not_wait():
    disk = Disk(10)
    with pytest.raises(RetryableError):
        waited(disk, least=1000, stopping=True)
    assert disk.looks == 1, "it does not ask a second time"


def goes_on() -> bool:
    return False


@pytest.mark.real
def test_a_batch_is_not_claimed_on_a_full_disk_and_captured_by_who_has_room(plane_over, settings_in, raw_web, tmp_path):
    site = raw_web("127.0.0.72")
    site.says("/a", b"a page")
    settings = settings_in(tmp_path)
    full = replace(settings, spool_free_bytes=1024**5)

    async def scenario():
        async with plane_over(full) as running:
            job = await running.job([site.url("/a")])
            (message,) = await running.release()
            archive = running.archive
            impatient = replace(archive.capture_settings(), room_patience_seconds=0.0)
            with pytest.raises(RetryableError, match="a batch is begun from"):
                await capture_in_turn(
                    message, archive.capture_ports(), impatient, archive.transport, archive.robots, goes_on
                )
            assert site.requests == []
        async with plane_over(settings) as running:
            assert await running.capture(message)
            return await running.archive.frontier.progress(job.id)

    assert asyncio.run(scenario()).captured_all
