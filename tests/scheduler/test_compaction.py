"""A compaction in a process of its own, over an archive of real captures."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace

import pytest

from scheduler.compaction import FOLDER, Tidied, tidy
from workers.adapters.scratch import exclusive_folder
from workers.adapters.stores import open_store
from workers.config import Settings, process_environment
from workers.errors import RetryableError

pytestmark = pytest.mark.real


@pytest.fixture
def captured(settings_in, plane_over, web, tmp_path) -> Settings:
    """Three files of captures."""
    settings = replace(settings_in(tmp_path), compact_grace_seconds=0.0)

    async def fill() -> None:
        async with plane_over(settings) as plane:
            for page in ("/barrier", "/status", "/barrier"):
                await plane.job([web.url("authority", page)])
                for batch in await plane.release():
                    await plane.capture(batch)
                await plane.deliver()

    asyncio.run(fill())
    return settings


def stored(settings: Settings, prefix: str) -> list[str]:
    async def listing() -> list[str]:
        return sorted([key async for key in store.list(prefix)])

    store = open_store(settings)
    try:
        return asyncio.run(listing())
    finally:
        store.close()


def test_files_are_joined_and_what_was_joined_is_deleted(captured):
    """Between the two steps of one run lies the grace, which is none here."""
    assert asyncio.run(tidy(captured)) == Tidied(made=1, joined=3, deleted=3)
    (file,) = stored(captured, "warc/")
    assert file.endswith("-joined.warc.gz")
    assert asyncio.run(tidy(captured)) == Tidied()


def test_young_files_stay_beside_what_they_became(captured):
    assert asyncio.run(tidy(replace(captured, compact_grace_seconds=3600.0))) == Tidied(made=1, joined=3)
    assert len(stored(captured, "warc/")) == 4


def test_never_two_at_once_on_a_machine(captured):
    with exclusive_folder(captured.spool_dir / FOLDER, whose="a person"):
        assert asyncio.run(tidy(captured)) == Tidied(busy=True)
    assert len(stored(captured, "warc/")) == 3


def test_damage_is_told_and_left_alone(captured):
    key = stored(captured, "warc/")[0]

    async def damage() -> None:
        store = open_store(captured)
        try:
            await store.put(key, b"other bytes")
        finally:
            store.close()

    asyncio.run(damage())
    assert asyncio.run(tidy(captured)) == Tidied(made=1, joined=2, deleted=2, damaged=(key,))


def test_it_ends_with_whoever_started_it(captured):
    """Its parent is gone when its standard input ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "scheduler.compaction"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=process_environment(captured),
    )
    assert process.wait(timeout=60) == 1
    assert asyncio.run(tidy(captured)).joined == 3


def test_a_store_that_is_away_is_an_error_that_may_be_tried_again(captured):
    away = replace(captured, s3_endpoint="http://127.0.0.1:9", s3_attempts=1)
    with pytest.raises(RetryableError, match="ended with 3"):
        asyncio.run(tidy(away))
