"""Jobs are controlled over HTTP as on the command line: written down, in force at once, and for those who may."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from scheduler.intake import Order, accept, read_urls
from scheduler.web.application import create_app
from schemas.records.job import JobOptions, Scope
from workers.flows.decisions import read_decisions

pytestmark = pytest.mark.real
MISSING_JOB = "job-01ARZ3NDEKTSV4RRFFQ69G5FAV"
WISH = {"action": "pause", "by": "ada", "why": "the site asked us to wait"}


@pytest.fixture
def job(filled, plane_over) -> str:
    """A job of two URLs that nobody has tried."""

    async def hand_in() -> str:
        async with plane_over(filled.settings) as plane:
            archive, urls = plane.archive, ["http://127.0.0.9:47111/1", "http://127.0.0.9:47111/2"]
            order = Order(options=JobOptions(depth=1, scope=Scope.HOST))
            now = archive.clock.now()
            return (await accept(read_urls(urls), order, store=archive.store, frontier=archive.frontier, now=now)).id

    return asyncio.run(hand_in())


@pytest.fixture
def decided(filled, plane_over):
    """What was decided about a job, as the log has it."""

    def read(job_id: str) -> list[tuple[str, str, str]]:
        async def log() -> list[tuple[str, str, str]]:
            async with plane_over(filled.settings) as plane:
                entries = await read_decisions(plane.archive.store)
            return [
                (each.decision.action, each.by, each.why)
                for each in entries
                if getattr(each.decision, "job_id", "") == job_id
            ]

        return asyncio.run(log())

    return read


def test_a_job_is_paused_goes_on_and_ends_for_good(client, filled, job, decided):
    address = f"/api/v1/jobs/{job}"
    for action, state in (("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")):
        done = client.post(f"{address}/decisions", json={**WISH, "action": action})
        assert (done.status_code, done.json()["segments_again"]) == (201, 0)
        assert done.json()["sequence"] >= 1
        with TestClient(
            create_app(filled.settings), base_url="http://127.0.0.1"
        ) as later:  # of nothing looked up before
            progress = later.get(address).json()["progress"]
        assert progress["state"] == state
    assert progress["outcomes"] == {"cancelled": 2}
    assert decided(job) == [(action, "ada", WISH["why"]) for action in ("pause", "resume", "cancel")]
    shown = client.get(address).json()["decisions"]
    assert [(each["action"], each["by"]) for each in shown] == [(action, by) for action, by, _ in decided(job)]


def test_what_would_have_no_effect_is_a_conflict_and_not_written_down(client, job, filled, decided):
    for job_id, action, why in (
        (job, "resume", "is not paused"),
        (job, "retry", "has no URL with such an outcome"),
        (filled.job_id, "pause", "has an outcome for every URL"),
    ):
        answer = client.post(f"/api/v1/jobs/{job_id}/decisions", json={**WISH, "action": action})
        assert (answer.status_code, answer.headers["content-type"]) == (409, "application/problem+json")
        assert why in answer.json()["detail"]
        assert decided(job_id) == []


def test_a_body_that_no_decision_needs_is_refused_and_nothing_is_written_down(client, job, decided):
    address = f"/api/v1/jobs/{job}/decisions"
    for body in (bytes(3 << 20), iter([bytes(1 << 20)] * 3)):  # with a length and without
        answer = client.post(address, content=body)
        assert (answer.status_code, answer.headers["content-type"]) == (413, "application/problem+json")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.json()["where"] == address
        assert answer.json()["next_step"]
    assert decided(job) == []


def test_failures_are_tried_again(client, filled):
    answer = client.post(
        f"/api/v1/jobs/{filled.job_id}/decisions",
        json={**WISH, "action": "retry", "outcomes": ["robots_denied"], "why": "the site let us in"},
    )
    assert answer.status_code == 201
    with TestClient(create_app(filled.settings), base_url="http://127.0.0.1") as later:
        progress = later.get(f"/api/v1/jobs/{filled.job_id}").json()["progress"]
    assert (progress["later"], progress["done"]) in ((1, 6), (0, 6))


@pytest.mark.parametrize(
    ("wish", "named"),
    [
        ({**WISH, "why": "short"}, "why"),
        ({**WISH, "by": ""}, "by"),
        ({key: value for key, value in WISH.items() if key != "by"}, "by"),
        ({**WISH, "action": "delete"}, "action"),
        ({**WISH, "outcomes": ["timeout"]}, "only a retry"),
        ({**WISH, "action": "retry", "outcomes": ["captured"]}, "captured"),
        ({**WISH, "action": "retry", "outcomes": ["nonsense"]}, "outcomes"),
        ({**WISH, "force": True}, "force"),
        ([], "request"),
    ],
)
def test_what_is_not_sensible_is_refused_and_named(client, job, decided, wish, named):
    answer = client.post(f"/api/v1/jobs/{job}/decisions", json=wish)
    assert answer.status_code == 400
    assert named in answer.json()["detail"]
    assert decided(job) == []


def test_a_job_that_is_not_there_is_missing(client):
    assert client.post(f"/api/v1/jobs/{MISSING_JOB}/decisions", json=WISH).status_code == 404


def test_pages_of_other_sites_change_nothing(client, job, decided):
    """A form or script of another site, which a browser would send with what it knows of passwords."""
    address = f"/api/v1/jobs/{job}/decisions"
    for headers in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
    ):
        answer = client.post(address, json=WISH, headers=headers)
        assert (answer.status_code, "another site" in answer.json()["detail"]) == (403, True)
    plain = client.post(address, content=b'{"action": "pause"}', headers={"Content-Type": "text/plain"})
    assert (plain.status_code, plain.json()["next_step"]) == (400, "send it with Content-Type: application/json")
    broken = client.post(address, content=b'{"action": \xff', headers={"Content-Type": "application/json"})
    assert (broken.status_code, "openapi" in broken.json()["next_step"]) == (400, True)
    assert decided(job) == []
    own = {"Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1"}
    assert client.post(address, json=WISH, headers=own).status_code == 201


def test_with_tokens_only_their_holders_decide(filled, job, decided):
    app = create_app(replace(filled.settings, api_tokens=("secret",)))
    with TestClient(app, base_url="http://archive.example") as outside:
        address = f"/api/v1/jobs/{job}/decisions"
        assert outside.post(address, json=WISH).status_code == 401
        assert decided(job) == []
        assert outside.post(address, json=WISH, headers={"Authorization": "Bearer secret"}).status_code == 201


def test_links_of_a_job_are_told(client, job, filled):
    empty = {"pages": 0, "found": 0, "cut_pages": 0, "unread_sitemaps": [], "left_out": [], "complete": True}
    for job_id in (job, filled.job_id):
        assert client.get(f"/api/v1/jobs/{job_id}/links").json() == empty
    assert client.get(f"/api/v1/jobs/{MISSING_JOB}/links").status_code == 404
