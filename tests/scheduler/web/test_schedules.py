"""Schedules over HTTP: pages of them that join to all, each by its id, and what is due."""

from __future__ import annotations

import asyncio

import pytest

from scheduler.visits.enrolment import Terms, enrol
from schemas import keys
from schemas.ids import utc_string
from schemas.records.job import JobOptions, Seed
from schemas.records.schedule import Every

pytestmark = pytest.mark.real
URLS = [f"http://127.0.0.9:47111/{number}" for number in range(7)]


@pytest.fixture(scope="module")
def scheduled(filled, plane_over) -> None:
    async def add() -> None:
        async with plane_over(filled.settings) as plane:
            archive, now = plane.archive, utc_string(plane.archive.clock.now())
            for number, url in enumerate(URLS):
                seed = Seed(line=1, requested_url=url, normalized_url=url)
                terms = Terms("even" if number % 2 == 0 else "odd", Every(every_seconds=86_400), JobOptions(), False)
                await enrol([seed], terms, store=archive.store, catalog=archive.catalog, due=archive.due, now=now)

    asyncio.run(add())


def listed(client, **params) -> list[dict]:
    found, after = [], None
    while True:
        page = client.get("/api/v1/schedules", params={**params, **({"after": after} if after else {})}).json()
        assert page["damaged"] == []
        found += page["items"]
        after = page["next_after"]
        if after is None:
            return found


def test_pages_of_schedules_join_to_all_of_them(client, scheduled):
    found = listed(client, limit=3)
    assert sorted(each["requested_url"] for each in found) == URLS
    assert [each["id"] for each in found] == sorted(each["id"] for each in found)
    even = listed(client, limit=2, collection="even")
    assert sorted(each["requested_url"] for each in even) == URLS[::2]


def test_one_schedule_is_found_by_its_id(client, scheduled):
    (first, *_) = listed(client)
    assert client.get(f"/api/v1/schedules/{first['id']}").json() == first
    assert client.get("/api/v1/schedules/sch-0000000000000000").status_code == 404
    assert client.get("/api/v1/schedules/nonsense").status_code == 400


def test_what_is_due_is_counted(client, scheduled):
    counts = client.get("/api/v1/schedules/counts").json()
    assert counts["waiting"] == len(URLS)
    assert counts["next_at"] is not None


def test_a_damaged_shard_keeps_nobody_from_the_others(client, scheduled, filled, plane_over):
    """It is told, and an id that lies in it is an error and not missing."""
    (first, *_, last) = listed(client)
    key = keys.schedules(first["id"][4:7])

    async def swap(body: bytes) -> bytes:
        async with plane_over(filled.settings) as plane:
            before = await plane.archive.store.get(key)
            await plane.archive.store.put(key, body)
            return before

    before = asyncio.run(swap(b"no gzip"))
    try:
        page = client.get("/api/v1/schedules", params={"limit": 200}).json()
        assert len(page["damaged"]) == 1
        assert last["id"] in [each["id"] for each in page["items"]]
        assert client.get(f"/api/v1/schedules/{first['id']}").status_code == 500
    finally:
        asyncio.run(swap(before))
