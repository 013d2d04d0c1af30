"""The order of writes as the kernel saw it (deploy/protocol.md): records are on disk before their file goes up,
and the receipt is sent only when the store has confirmed the WARC file and its index.

A capture process runs under `strace`, which writes down each write to the spool, each fsync, and what goes over the
socket to the store.
"""

from __future__ import annotations

import asyncio
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from schemas.messages import CaptureBatch
from schemas.records.job import Lane
from workers.archive.file_parts import PART_BYTES
from workers.config import Settings, process_environment

STRACE = shutil.which("strace")
pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.skipif(STRACE is None, reason="no strace; `make system-packages` installs it"),
]

LONE_WORKER = str(Path(__file__).with_name("lone_worker.py"))
CALLS = "write,writev,pwrite64,fsync,fdatasync,sendto,sendmsg,recvfrom,read,rename,renameat,renameat2"
LINE = re.compile(r"(?P<at>\d+\.\d+) (?P<call>\w+)\((?P<rest>.*) = (?P<result>-?\d+).* <(?P<took>[\d.]+)>$")


@dataclass(frozen=True, slots=True)
class Call:
    """One system call. Times in seconds."""

    began: float
    ended: float
    name: str
    rest: str
    """Its arguments as strace prints them: descriptors with the path or the connection behind them."""
    result: int = 0


def calls_of(traces: Iterable[Path]) -> list[Call]:
    """All calls of all threads that succeeded, as they ended. `strace -ff` writes a file a thread."""
    found = []
    for trace in traces:
        for line in trace.read_text(errors="replace").splitlines():
            match = LINE.match(line)
            if match is not None and int(match["result"]) >= 0:
                began = float(match["at"])
                took, result = float(match["took"]), int(match["result"])
                found.append(Call(began, began + took, match["call"], match["rest"], result))
    return sorted(found, key=lambda call: call.ended)


def puts(calls: Iterable[Call], prefix: str) -> dict[str, Call]:
    """Where the sending of each PUT below a prefix of the archive began, by its key."""
    pattern = re.compile(rf'"PUT /[^ ]*?/({prefix}/[^ ?]+)')
    return {found[1]: call for call in calls if (found := pattern.search(call.rest)) is not None}


def confirmed(calls: Iterable[Call], put: Call) -> Call:
    """The first 200 that came back over the connection of a PUT."""
    connection = re.search(r"<TCP:\[[^\]]+\]>", put.rest)
    assert connection is not None, put
    return next(
        call for call in calls if call.ended > put.ended and connection[0] in call.rest and '"HTTP/1.1 200' in call.rest
    )


def of_file(calls: Iterable[Call], name: str, *kinds: str) -> Iterator[Call]:
    """Calls of these kinds on a segment's file, open or closed."""
    return (call for call in calls if call.name in kinds and re.search(rf"^\d+<[^>]*/{name}(\.open)?>", call.rest))


def test_a_trace_is_read(tmp_path: Path) -> None:
    trace = tmp_path / "t.1"
    trace.write_text(
        '10.000100 write(7</spool/a.warc.gz.open>, "x", 1) = 1 <0.000010>\n'
        "10.000200 fsync(7</spool/a.warc.gz.open>) = 0 <0.002000>\n"
        "10.000300 fsync(7) = -1 EIO (Input/output error) <0.000100>\n"
        "+++ exited with 0 +++\n"
    )
    calls = calls_of([trace])
    assert [call.name for call in calls] == ["write", "fsync"]
    (synced,) = of_file(calls, "a.warc.gz", "fsync")
    assert synced.ended == pytest.approx(10.0022)


@pytest.fixture
def settings(settings_in: Callable[[Path], Settings], tmp_path: Path) -> Settings:
    """Small segments, so that a batch has several."""
    return replace(settings_in(tmp_path), sync_seconds=0.1, segment_seconds=0.4)


def traced(settings: Settings, message: CaptureBatch, folder: Path) -> list[Call]:
    """Capture the batch in a process of its own, and give what the kernel was asked for."""
    assert STRACE is not None
    command = [STRACE, "-ff", "-ttt", "-T", "-yy", "-s", "400", "-e", f"trace={CALLS}", "-o", str(folder / "trace")]
    command += [sys.executable, LONE_WORKER, message.model_dump_json()]
    subprocess.run(command, env=process_environment(settings), check=True, timeout=120, capture_output=True)
    return calls_of(folder.glob("trace.*"))


def test_records_are_synced_before_they_go_up_and_the_receipt_goes_last(
    settings: Settings,
    tmp_path: Path,
    web: Any,
    plane_over: Callable[[Settings], AbstractAsyncContextManager[Any]],
) -> None:
    async def scenario() -> tuple[list[Call], int]:
        async with plane_over(settings) as plane:
            await plane.job([f"{origin}/{number}" for origin in web.origins.values() for number in range(30)])
            (message,) = await plane.release()
            calls = await asyncio.to_thread(traced, settings, message, tmp_path)
            store = plane.archive.store
            return calls, len([key async for key in store.list("commits/")])

    calls, committed = asyncio.run(scenario())
    warcs, indexes, receipts = puts(calls, "warc"), puts(calls, "cdxj"), puts(calls, "commits")
    assert len(warcs) == len(indexes) == len(receipts) == committed >= 1
    in_order = zip(warcs.items(), indexes.values(), receipts.values(), strict=True)
    for (warc_key, warc), index, receipt in in_order:
        name = re.escape(warc_key.rpartition("/")[2])
        written = max(call.ended for call in of_file(calls, name, "write", "writev", "pwrite64"))
        synced = [call for call in of_file(calls, name, "fsync", "fdatasync") if call.began >= written]
        assert synced, f"{warc_key}: nothing was synced after the last write"
        assert synced[0].ended <= warc.began, f"{warc_key}: went up before it was on disk"
        named = [call for call in calls if call.name.startswith("rename") and name.replace("\\", "") in call.rest]
        assert named
        assert named[0].ended <= warc.began
        for stored in (warc, index):
            assert confirmed(calls, stored).ended <= receipt.began, "the receipt went before what it names was stored"


def test_a_part_goes_up_only_when_every_byte_of_it_is_synced(
    settings: Settings,
    tmp_path: Path,
    raw_web: Any,
    plane_over: Callable[[Settings], AbstractAsyncContextManager[Any]],
) -> None:
    """While the file still grows: what is sent is never more than what was on disk before."""
    site, noise, pages = raw_web("127.0.0.72"), random.Random(7), 12
    for number in range(pages):
        site.says(f"/{number}", noise.randbytes(2_000_000))
        site.answers[f"/{number}"] = answering_late(site.answers[f"/{number}"])

    async def scenario() -> tuple[list[Call], str, int]:
        async with plane_over(replace(settings, segment_seconds=300.0)) as plane:
            await plane.job([site.url(f"/{number}") for number in range(pages)], lane=Lane.BULK)
            (message,) = await plane.release(lane=Lane.BULK)
            calls = await asyncio.to_thread(traced, plane.archive.settings, message, tmp_path)
            store = plane.archive.store
            (key,) = [key async for key in store.list("warc/")]
            return calls, key, (await store.info(key)).size

    calls, key, size = asyncio.run(scenario())
    name = re.escape(key.rpartition("/")[2])
    sent = [
        (int(found[1]), call) for call in calls if (found := PART.search(call.rest)) is not None and key in call.rest
    ]
    assert [number for number, _ in sent] == [1, 2, 3]
    written = list(of_file(calls, name, "write", "writev", "pwrite64"))
    assert sum(call.result for call in written) == size
    assert sent[0][1].began < written[-1].began, "the first part went up while the file grew"
    for number, part in sent:
        synced = [call.began for call in of_file(calls, name, "fsync", "fdatasync") if call.ended <= part.began]
        on_disk = sum(call.result for call in written if call.ended <= max(synced, default=0.0))
        assert on_disk >= min(number * PART_BYTES, size), f"part {number} went up before it was on disk"


PART = re.compile(r'"PUT /[^ ]*[?&]partNumber=(\d+)')


def answering_late(answer: bytes) -> Callable[[Any], None]:
    """The same after a moment, so that the file grows slowly enough to be watched."""

    def serve(connection: Any) -> None:
        time.sleep(0.25)
        connection.sendall(answer)

    return serve
