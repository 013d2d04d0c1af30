"""When the scheduler has files joined: not twice at once, not too often, and not where it is told not to."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from scheduler.compaction import Tidied
from scheduler.service.compacting import CLEARED_SECONDS, FAILED_SECONDS, NAME, Compacting, is_due
from scheduler.service.ticking import WorkLog
from workers.adapters.clock import SystemClock
from workers.adapters.directory import DirectoryObjectStore
from workers.errors import PermanentError


@pytest.mark.parametrize(
    ("receipts", "before", "most", "joined", "seconds", "due"),
    [
        (1000, 0, 1000, False, None, True),
        (999, 0, 1000, False, None, False),
        (1999, 1000, 1000, True, 60.0, False),
        (2000, 1000, 1000, True, 60.0, True),
        (5, 5, 1000, True, None, True),
        (5, 5, 1000, True, CLEARED_SECONDS, True),
        (5, 5, 1000, False, CLEARED_SECONDS, False),
        (9999, 0, 0, True, None, False),
    ],
)
def test_a_run_is_due_by_new_files_or_once_a_day(receipts, before, most, joined, seconds, due):
    assert is_due(receipts, before, most=most, joined=joined, seconds=seconds) is due


class Time(SystemClock):
    seconds = 1000.0

    def monotonic(self) -> float:
        return self.seconds


class Runs:
    """What each run answers, in turn."""

    def __init__(self, *answers: Tidied | Exception) -> None:
        self.answers = list(answers)

    async def __call__(self) -> Tidied:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_it_runs_when_enough_came_and_says_what_is_wrong(tmp_path: Path):
    store, clock, log = DirectoryObjectStore(tmp_path), Time(), WorkLog()
    full = PermanentError("there is no room", where="spool", next_step="make room")
    runs = Runs(Tidied(busy=True), full, Tidied(1, 2, 0, ("warc/x",)), Tidied(1, 2, 3))
    compacting = Compacting(store, clock, runs, log, most=2)

    async def scenario() -> None:
        await store.put("commits/job/b-1-0.json", b"")
        assert (await compacting.look(), len(runs.answers)) == (0, 4)
        await store.put("commits/job/b-2-0.json", b"")
        assert (await compacting.look(), len(runs.answers)) == (0, 3), "somebody else is at it: put off"
        assert (await compacting.look(), len(runs.answers)) == (0, 2)
        assert "no room" in log.troubles[NAME]
        assert (await compacting.look(), len(runs.answers)) == (0, 2), "what failed is not tried again at once"
        clock.seconds += FAILED_SECONDS
        assert (await compacting.look(), len(runs.answers)) == (2, 1)
        assert "1 file is damaged" in log.troubles[NAME]
        assert (await compacting.look(), len(runs.answers)) == (0, 1), "nothing new came"
        for number in (3, 4):
            await store.put(f"commits/job/b-{number}-0.json", b"")
        assert (await compacting.look(), len(runs.answers)) == (5, 0)
        assert NAME not in log.troubles

    asyncio.run(scenario())


def test_turned_off_it_does_not_even_look():
    off = Compacting(None, Time(), Runs(), WorkLog(), most=0)  # type: ignore[arg-type]
    assert asyncio.run(off.look()) == 0
