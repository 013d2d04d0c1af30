"""No batch is begun on a disk that is nearly full; it is begun as it is once there is room."""

from __future__ import annotations

import asyncio
import errno
import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest

from workers import metrics
from workers.disk_faults import unkept
from workers.errors import RetryableError, UnkeptError
from workers.flows.capture.in_turn import capture_in_turn
from workers.flows.capture.rests import Rests, rest_after
from workers.flows.capture.room import has_room, wait_for_room
from workers.flows.capture.settings import CaptureSettings

GIB = 1024**3


class Disk:
    """A spool and a clock: time goes on by a second a look, and the room changes with it as `free` says."""

    def __init__(self, *free: int) -> None:
        self._free = list(free)
        self.looks = 0

    def prove(self) -> None:
        """It can be written."""

    def free_bytes(self) -> int:
        return self._free[min(self.looks, len(self._free) - 1)]

    def monotonic(self) -> float:
        self.looks += 1
        return float(self.looks)


def waited(disk: Disk, *, least: int, patience: float = 30.0, stopping: bool = False) -> None:
    settings = CaptureSettings("test", "agent", "w", spool_free_bytes=least, room_patience_seconds=patience)
    ports = SimpleNamespace(files=disk, clock=disk, rests=SimpleNamespace(hindrance=lambda *_: None))
    asyncio.run(wait_for_room(ports, settings, lambda: stopping, "b-1"))  # type: ignore[arg-type]  # what it asks of them


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("workers.flows.capture.room.LOOK_SECONDS", 0.0)


@pytest.mark.parametrize(("free", "least", "enough"), [(GIB, GIB, True), (GIB - 1, GIB, False), (0, 0, True)])
def test_there_is_room_from_the_limit_on(free, least, enough):
    assert has_room(free, least) is enough


def test_it_waits_until_there_is_room():
    disk = Disk(10, 10, 10, 2000)
    waited(disk, least=1000)
    assert disk.looks == 4, "three times for its patience, and once for a rest"
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


def test_what_could_not_be_kept_is_begun_again_after_longer_and_longer():
    full = unkept(OSError(errno.ENOSPC, "No space left on device"), "keep what was captured", "/spool")
    assert [rest_after(failures) for failures in (1, 2, 3, 6, 10**6)] == [2.0, 4.0, 8.0, 60.0, 60.0]
    rests = Rests()
    assert rests.hindrance("b-1", 0.0) is None
    rests.failed("b-1", full, 0.0)
    assert rests.hindrance(None, 1.9) is not None, "the whole process rests"
    assert rests.hindrance("b-1", 2.0) is None
    rests.failed("b-1", full, 2.0)
    rests.kept("b-2")
    assert rests.hindrance("b-2", 2.0) is None, "what was kept shows that there is room for others"
    told = rests.hindrance("b-1", 5.0)
    assert told is not None
    assert "No space left on device (2 times in a row), so it fetches again in 1 s" in told.what
    assert "make room where /spool is" in told.next_step
    rests.kept("b-1")
    assert rests.hindrance("b-1", 5.0) is None


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


class Removing:
    """The transport; the first page that arrives finds that somebody has removed the spool."""

    def __init__(self, transport, spool):
        self._transport = transport
        self._spool = spool
        self.removed = False

    async def fetch(self, request):
        answer = await self._transport.fetch(request)
        if request.purpose == "page" and not self.removed:
            self.removed = True
            shutil.rmtree(self._spool)
        return answer

    async def address(self, host):
        return await self._transport.address(host)


@pytest.mark.real
def test_no_page_is_asked_for_in_vain_while_the_spool_is_gone_or_just_failed(
    plane_over, settings_in, raw_web, tmp_path, monkeypatch
):
    """Somebody removes the spool under a running worker, and makes it again: the same worker goes on by itself."""
    monkeypatch.setattr("workers.flows.capture.rests.FIRST_SECONDS", 0.5)
    site = raw_web("127.0.0.73")
    site.says("/a", b"a page")
    settings = replace(settings_in(tmp_path), lease_seconds=2, heartbeat_seconds=0.5)
    spool = settings.spool_dir

    async def scenario():
        async with plane_over(settings) as running:
            archive = running.archive
            job = await running.job([site.url("/a")])
            (message,) = await running.release()
            transport = Removing(archive.transport, spool)
            impatient = replace(archive.capture_settings(), room_patience_seconds=0.0)

            async def capture(settings=impatient):
                return await capture_in_turn(
                    message, archive.capture_ports(), settings, transport, archive.robots, goes_on, most=1
                )

            with pytest.raises(UnkeptError, match="cannot keep what was captured: No such file") as told:
                await capture()
            assert f"make the folder {spool}" in told.value.next_step
            asked = len(site.requests)
            assert asked
            await archive.frontier.reclaim(now_ms=running.now_ms() + 3_000)
            with pytest.raises(UnkeptError, match="begins no batch: No such file"):
                await capture()
            assert metrics.SPOOL_FREE._value.get() == 0
            spool.mkdir()
            with pytest.raises(UnkeptError, match="1 times in a row"):
                await capture()
            assert len(site.requests) == asked, "nothing was fetched for nothing"
            assert await capture(archive.capture_settings()) == 1
            return await archive.frontier.progress(job.id)

    assert asyncio.run(scenario()).captured_all
    assert metrics.SPOOL_FREE._value.get() > 0
