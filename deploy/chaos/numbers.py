"""Citation numbers through crashes: processes cite pages of one report, are killed in the middle of it and begin again,
and Redis is emptied. Every call and every answer is on record, with times of one clock, and the record must be one that
calls made one after the other could have left.

Linearizable means here: one URL has one number, two have two, numbers have no gap, and where a URL had its answer
before another was asked for at all, it has the lower number. That is enough: let each URL get its number at the first
moment at which it could; these are in order exactly if no lower number was first asked for after a higher was known.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import redis

from deploy.chaos.saying import Say
from scheduler.stack.running import running_parts
from schemas.ids import source_id
from schemas.records.number import CitedSnapshot
from schemas.urls.policy import citation_index_1
from workers.adapters.s3.client import S3Location
from workers.adapters.s3.store import S3ObjectStore
from workers.cite.numbering import Wish
from workers.errors import RetryableError
from workers.flows.numbers import NumberLedger

CALLS, PROCESSES, PAGES = 100_000, 8, 4_000
CALLERS = 8
"""Of each process, at the same time."""
KILL_SECONDS = 2.5
AT_WORK_BYTES = 1_000
"""Some twenty calls on record since it began."""
LONGEST_SECONDS = 3_000.0
REPORT = "report"
NOW = "2026-08-22T03:15:00Z"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the record. Times are of the machine's monotonic clock; `number` is None where nobody answered."""

    page: int
    asked: float
    answered: float | None
    number: int | None


@dataclass(frozen=True, slots=True)
class Numbered:
    """What became of the calls."""

    calls: int
    """Answered."""
    unanswered: int
    """Of processes that were killed in the middle; each was made again."""
    kills: int
    flushes: int
    numbers: int
    objects: int
    seconds: float
    faults: tuple[str, ...]

    @property
    def whole(self) -> bool:
        return not self.faults


def told(numbered: Numbered) -> str:
    """The run for people."""
    lines = [
        f"numbers: {numbered.calls} calls answered in {numbered.seconds:.0f} s "
        f"({numbered.calls / numbered.seconds:.0f} a second), {numbered.numbers} numbers in {numbered.objects} objects",
        f"  {numbered.kills} processes killed, {numbered.unanswered} calls cut off and made again, Redis emptied "
        f"{numbered.flushes} time(s)",
        *(f"  WRONG {fault}" for fault in numbered.faults),
        "  " + ("whole: linearizable, one number a page, no gap" if numbered.whole else "NOT WHOLE"),
    ]
    return "\n".join(lines)


def document(numbered: Numbered) -> dict[str, Any]:
    """The same, for programs."""
    return {"run": "numbers", **asdict(numbered), "whole": numbered.whole}


def faults_of(calls: Iterable[Call], log: dict[int, int]) -> list[str]:
    """What no sequence of calls could have left. `log`: page to number, as a later reader finds it in the store."""
    given: dict[int, int] = {}
    first_asked: dict[int, float] = {}
    first_answered: dict[int, float] = {}
    faults: list[str] = []
    for call in calls:
        first_asked[call.page] = min(call.asked, first_asked.get(call.page, call.asked))
        if call.number is None or call.answered is None:
            continue
        if given.setdefault(call.page, call.number) != call.number:
            faults.append(f"page {call.page} had the numbers {given[call.page]} and {call.number}")
        first_answered[call.page] = min(call.answered, first_answered.get(call.page, call.answered))
    faults += [
        f"page {page} was told {n}, the log has {log.get(page)}" for page, n in given.items() if log.get(page) != n
    ]
    if sorted(log.values()) != list(range(1, len(log) + 1)):
        faults.append("numbers in the log have gaps, or one is there twice")
    latest_asked = float("-inf")
    for page, number in sorted(log.items(), key=lambda item: item[1]):
        latest_asked = max(latest_asked, first_asked.get(page, latest_asked))
        if latest_asked > first_answered.get(page, float("inf")):
            faults.append(f"{number} was known before a lower number was asked for")
    return faults[:20]


def run(
    folder: Path, say: Say, *, calls: int = CALLS, processes: int = PROCESSES, pages: int = PAGES, seed: int = 1
) -> Numbered:
    """One run in this folder, which is emptied first, on a Valkey and a SeaweedFS of its own."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with running_parts(folder / "stores", {"redis", "s3"}) as stores:
        location = {
            "endpoint": stores.s3_endpoint,
            "bucket": stores.bucket,
            "prefix": f"numbers-{secrets.token_hex(4)}",
            "access_key": stores.credentials.access_key,
            "secret_key": stores.credentials.secret_key,
        }
        (folder / "store.json").write_text(json.dumps(location), encoding="utf-8")
        started = time.monotonic()
        kills, flushes = _drive(folder, say, stores.redis_url, calls, processes, pages, seed)
        seconds = time.monotonic() - started
        log, objects = asyncio.run(_log(folder))
    record = [call for number in range(processes) for call in read_calls(folder / f"calls-{number}.jsonl")]
    answered = [call for call in record if call.number is not None]
    faults = faults_of(record, log)
    if len(answered) < calls:
        faults.append(f"{calls - len(answered)} calls were never answered")
    return Numbered(
        len(answered), len(record) - len(answered), kills, flushes, len(log), objects, seconds, tuple(faults)
    )


def _drive(
    folder: Path, say: Say, redis_url: str, calls: int, processes: int, pages: int, seed: int
) -> tuple[int, int]:
    """Run the processes until all calls are answered; kill one now and then, and empty Redis once, half way."""
    choose = random.Random(seed)  # noqa: S311
    share = [calls // processes + (number < calls % processes) for number in range(processes)]
    running = {number: _start(folder, number, share[number], pages, seed) for number in range(processes)}
    began_at = {number: _size(folder, number) for number in running}
    kills = flushes = 0
    begun = time.monotonic()
    next_kill = begun + KILL_SECONDS
    told = begun
    try:
        while running:
            time.sleep(0.05)
            for number, process in list(running.items()):
                code = process.poll()
                if code == 0:
                    del running[number]
                elif code is not None:
                    began_at[number] = _size(folder, number)
                    running[number] = _start(folder, number, share[number], pages, seed)
            now = time.monotonic()
            if now >= next_kill:
                at_work = [
                    number for number in sorted(running) if _size(folder, number) > began_at[number] + AT_WORK_BYTES
                ]
                if at_work:  # one that only starts would never get anywhere on a busy machine
                    running[choose.choice(at_work)].send_signal(signal.SIGKILL)
                    kills, next_kill = kills + 1, now + KILL_SECONDS * choose.uniform(0.3, 1.7)
            done = sum(_lines(folder / f"calls-{number}.jsonl") for number in range(processes)) if now > told + 5 else 0
            if done:
                told = now
                say(f"numbers: some {done // 2} of {calls} calls, {kills} kills")
                if not flushes and done // 2 > calls // 2:
                    with redis.Redis.from_url(redis_url) as client:
                        client.flushall()
                    flushes += 1
            if now - begun > LONGEST_SECONDS:
                raise RetryableError("the calls did not end in time", where=str(folder))
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    if not flushes:
        with redis.Redis.from_url(redis_url) as client:
            client.flushall()
        flushes += 1
    return kills, flushes


def _start(folder: Path, number: int, calls: int, pages: int, seed: int) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "deploy.chaos.numbers",
        str(folder),
        str(number),
        str(calls),
        str(pages),
        str(seed),
    ]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603 (this interpreter, this module)


def _size(folder: Path, number: int) -> int:
    file = folder / f"calls-{number}.jsonl"
    return file.stat().st_size if file.exists() else 0


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def read_calls(file: Path) -> list[Call]:
    """A process's record: a line before each call and one after it, `[call, page, time, number]`. A line that was cut
    off by a kill is no line, and a call without its second line was not answered."""
    calls: list[Call] = []
    waiting: dict[str, tuple[int, float]] = {}
    for line in file.read_bytes().split(b"\n")[:-1] if file.exists() else []:
        try:
            name, page, moment, number = json.loads(line)
        except ValueError:
            continue
        if number is None:
            waiting[name] = (page, moment)
        elif name in waiting:
            calls.append(Call(page, waiting.pop(name)[1], moment, number))
    return calls + [Call(*asked, None, None) for asked in waiting.values()]


async def _log(folder: Path) -> tuple[dict[int, int], int]:
    store = _store(folder)
    try:
        numbers = await NumberLedger(store, REPORT, citation_index_1().id).refresh()
    finally:
        store.close()
    return {int(url.split("-")[1].split(".")[0]): n for url, n in numbers.by_url.items()}, numbers.sequence


def _store(folder: Path) -> S3ObjectStore:
    return S3ObjectStore(S3Location(**json.loads((folder / "store.json").read_text(encoding="utf-8"))))


def wish(page: int) -> Wish:
    """Citing one of the pages."""
    url = f"https://page-{page}.example/"
    source = source_id(url)
    name = f"snap-{source.removeprefix('src-')[:12]}-20260822T031500Z-00000000"
    cited = CitedSnapshot(snapshot_id=name, source_id=source, normalized_url=url, fragment=None)
    return Wish(cited, "report", None, "web")


async def _work(folder: Path, number: int, calls: int, pages: int, seed: int) -> None:
    """One process with several callers: goes on where the one before it was killed, with what was in the air again."""
    record = folder / f"calls-{number}.jsonl"
    before = read_calls(record)
    again = [call.page for call in before if call.number is None][-CALLERS:]
    places = iter(range(sum(call.number is not None for call in before), calls))
    life = f"{number}-{len(before)}"
    choose = random.Random(f"{seed}-{life}")  # noqa: S311
    store = _store(folder)
    ledger = NumberLedger(store, REPORT, citation_index_1().id)
    await ledger.refresh()
    with record.open("ab", buffering=0) as file:
        file.write(b"\n")

        def note(*values: object) -> None:
            file.write(json.dumps(values).encode() + b"\n")

        async def caller() -> None:
            for place in places:
                page = again.pop() if again else _page(choose, pages, place, calls)
                name = f"{life}-{place}"
                note(name, page, time.monotonic(), None)
                (answer,) = await ledger.cite([wish(page)], by=f"process {number}", now=NOW)
                note(name, page, time.monotonic(), answer)

        await asyncio.gather(*(caller() for _ in range(CALLERS)))
    store.close()


def _page(choose: random.Random, pages: int, place: int, calls: int) -> int:
    """Pages come up one after the other, as in a report that is written, and old ones again and again."""
    newest = max(1, pages * (place + 1) // calls)
    return choose.randrange(newest) if choose.random() < 0.5 else choose.randrange(max(0, newest - 20), newest)


if __name__ == "__main__":
    asyncio.run(_work(Path(sys.argv[1]), *(int(text) for text in sys.argv[2:6])))
    os._exit(0)
