"""Schedules, as they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scheduler.cadence.changing import new_schedule
from schemas.ids import schedule_id
from schemas.records.job import JobOptions
from schemas.records.schedule import Cadence, Every, Schedule

NOW = "2026-11-30T12:00:00.000000Z"


@pytest.fixture(scope="session")
def schedule() -> Callable[..., Schedule]:
    """A schedule of one page; named fields are what a test is about."""

    def make(
        url: str = "https://a.test/1",
        *,
        cadence: Cadence | None = None,
        captured_at: str | None = None,
        cited: bool = False,
        now: str = NOW,
        **fields: Any,
    ) -> Schedule:
        made = new_schedule(
            schedule_id("default", url),
            collection="default",
            requested_url=url,
            normalized_url=url,
            options=JobOptions(),
            cadence=cadence or Every(every_seconds=7 * 86_400),
            cited=cited,
            captured_at=captured_at,
            now=now,
        )
        return made.model_copy(update=fields)

    return make
