"""When a batch that comes back is sent, given back, taken apart, or its URL parked."""

from __future__ import annotations

import pytest

from scheduler.suspicion import decide
from schemas.records.job import Lane
from workers.ports import Batch, QueuedUrl


def batch(urls: int, fruitless: int, *, stopped: bool = False) -> Batch:
    queued = tuple(QueuedUrl(f"https://a.test/{n}", f"https://a.test/{n}", "a.test") for n in range(urls))
    return Batch("b-1", "job-1", Lane.BULK, queued, fruitless=fruitless, stopped=stopped)


@pytest.mark.parametrize(
    ("urls", "fruitless", "step"),
    [(5, 0, "send"), (5, 2, "send"), (5, 3, "take apart"), (5, 9, "take apart"), (1, 2, "send"), (1, 3, "park")],
)
def test_it_is_sent_until_as_many_workers_died_in_a_row(urls: int, fruitless: int, step: str):
    assert decide(batch(urls, fruitless), deliveries=3) == step


def test_a_stopped_job_gets_its_urls_back_and_nothing_is_parked():
    assert decide(batch(1, 9, stopped=True)) == "give back"
