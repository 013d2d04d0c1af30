"""The API over a real archive: what it answers is what the records say."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deploy.demo.sites import REQUISITES
from scheduler.web.application import create_app
from schemas.dsse import Envelope
from schemas.reading import read_document
from schemas.records.claim import Support
from schemas.records.judgement import JudgementInputs
from schemas.records.manifest import ManifestHead
from schemas.records.snapshot import Snapshot
from workers.bootstrap import open_archive
from workers.flows.judge.ledger import Asked, JudgementLedger

pytestmark = pytest.mark.real
MISSING_JOB = "job-01ARZ3NDEKTSV4RRFFQ69G5FAV"
HOSTILE = "<script>alert(1)</script>"
MISSING_SNAPSHOT = "snap-000000000000-20260101T000000Z-00000000"


def test_jobs_are_listed_with_their_outcomes(client, filled):
    (job,) = client.get("/api/v1/jobs").json()["items"]
    assert job["id"] == filled.job_id
    assert (job["known"], job["done"], job["with_response"], job["without_response"]) == (7, 7, 5, 2)
    assert job["outcomes"]["robots_denied"] == job["outcomes"]["guard_denied"] == 1


def test_a_job_says_how_far_its_segments_are(client, filled):
    job = client.get(f"/api/v1/jobs/{filled.job_id}").json()
    assert job["segments"]["published"] >= 1
    assert sum(job["segments"].values()) == job["segments"]["published"]
    assert job["snapshots"] == len(filled.snapshots) == 5


def test_each_missing_url_comes_with_its_reason(client, filled):
    answer = client.get(f"/api/v1/jobs/{filled.job_id}/missing").json()
    assert answer["requisites"] == {"captured": REQUISITES}
    assert answer["complete"]
    assert answer["missing"] == 2
    why = {item["outcome"]: item["failure"] for item in answer["items"]}
    assert "robots.txt" in why["robots_denied"]
    assert "10.0.0.1" in why["guard_denied"]
    page = client.get(f"/api/v1/jobs/{filled.job_id}/missing?start=1&limit=1").json()
    assert page["items"] == answer["items"][1:]


def test_snapshots_are_pages_that_join_to_all_of_them(client, filled):
    newest, before = [], None
    while True:
        page = client.get("/api/v1/snapshots", params={"limit": 2} | ({"before": before} if before else {})).json()
        newest += [item["id"] for item in page["items"]]
        before = page["next_before"]
        if before is None:
            break
    of_job, start = [], 0
    while start is not None:
        page = client.get(f"/api/v1/jobs/{filled.job_id}/snapshots", params={"limit": 2, "start": start}).json()
        of_job += [item["id"] for item in page["items"]]
        start = page["next_start"]
    assert sorted(newest) == sorted(of_job) == sorted(filled.snapshots)
    assert tuple(of_job) == filled.snapshots


def test_a_snapshot_reads_as_the_record_that_it_is_and_says_where_its_records_lie(client, filled):
    for snapshot_id in filled.snapshots:
        detail = client.get(f"/api/v1/snapshots/{snapshot_id}").json()
        snapshot = Snapshot.model_validate_json(json.dumps(detail["snapshot"]))
        assert snapshot.id == snapshot_id
        located = {place["record_id"] for place in detail["locations"]}
        assert {snapshot.records.response, snapshot.records.request} <= located
        assert detail["stage"] == "published"
        group = detail["standing"]["group"]
        known = ("site:", "cluster:")  # an error page has no cluster, but its source may be known by other texts
        assert group.startswith(known if detail["standing"]["cluster_id"] else (*known, "unknown"))
        assert detail["standing_unknown"] is None


def test_a_text_is_the_bytes_that_its_digest_is_of(client, filled):
    texts = 0
    for snapshot_id in filled.snapshots:
        snapshot = client.get(f"/api/v1/snapshots/{snapshot_id}").json()["snapshot"]
        answer = client.get(f"/api/v1/snapshots/{snapshot_id}/text")
        if snapshot["text_sha256"] is None:
            assert answer.status_code == 404
            continue
        texts += 1
        assert hashlib.sha256(answer.content).hexdigest() == snapshot["text_sha256"]
        expected = base64.b64encode(hashlib.sha256(answer.content).digest()).decode()
        assert answer.headers["repr-digest"] == f"sha-256=:{expected}:"
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert texts >= 4


def test_an_address_finds_its_snapshots_and_its_source(client, filled):
    url = filled.web.url("authority", "/barrier")
    (snapshot,) = client.get("/api/v1/snapshots", params={"url": url}).json()["items"]
    assert snapshot["requested_url"] == url
    source = client.get("/api/v1/sources", params={"url": url}).json()
    assert source["source"]["id"] == snapshot["source_id"]
    assert source["snapshots"] == [snapshot["id"]]
    assert client.get(f"/api/v1/sources/{snapshot['source_id']}").json() == source
    assert client.get("/api/v1/snapshots", params={"url": "http://never.example/"}).json()["items"] == []


def test_a_story_and_its_copy_are_one_cluster_with_both_sources(client):
    listed = client.get("/api/v1/clusters", params={"least_sources": 2}).json()
    (summary,) = listed["items"]
    assert listed["complete"]
    assert summary["sources"] == 2
    cluster = client.get(f"/api/v1/clusters/{summary['id']}").json()
    assert len({member["source_id"] for member in cluster["members"]}) == 2
    assert cluster["edges"][0]["confirmed"]
    for purpose in ("specification", "tracing"):
        chosen = client.get(f"/api/v1/clusters/{summary['id']}", params={"purpose": purpose}).json()
        assert purpose in chosen["representative_reason"]  # R060
    one, other = (member["snapshot_id"] for member in cluster["members"][:2])
    pair = client.get("/api/v1/clusters/explain", params={"one": one, "other": other}).json()
    assert pair["answer"] == "one-story"
    assert pair["verdicts"][-1]["verdict"] == cluster["edges"][0]
    assert pair["differences"]


def test_a_head_is_given_with_its_digest_and_as_stored(client):
    (summary,) = client.get("/api/v1/manifests").json()["items"]
    view = client.get("/api/v1/manifests/1").json()
    stored = client.get("/api/v1/manifests/1/head").content
    assert hashlib.sha256(stored).hexdigest() == view["head_sha256"] == summary["head_sha256"]
    assert isinstance(read_document(stored, ManifestHead), ManifestHead)
    envelope = read_document(client.get("/api/v1/manifests/1/envelope").content, Envelope)
    assert isinstance(envelope, Envelope)
    assert tuple(view["keyids"]) == tuple(signature.keyid for signature in envelope.signatures)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"/api/v1/jobs/{MISSING_JOB}", 404),
        (f"/api/v1/jobs/{MISSING_JOB}/missing", 404),
        (f"/api/v1/jobs/{MISSING_JOB}/snapshots", 404),
        ("/api/v1/jobs/job-short", 400),
        ("/api/v1/jobs?limit=100000", 400),
        ("/api/v1/jobs?limit=x", 400),
        ("/api/v1/jobs?before=../../x", 400),
        (f"/api/v1/snapshots/{MISSING_SNAPSHOT}", 404),
        (f"/api/v1/snapshots/{MISSING_SNAPSHOT}/text", 404),
        ("/api/v1/snapshots/..%2f..%2fetc", 404),
        ("/api/v1/snapshots?url=javascript:alert(1)", 400),
        (f"/api/v1/snapshots?before={MISSING_SNAPSHOT}", 404),
        ("/api/v1/sources/src-0000000000000000", 404),
        ("/api/v1/sources", 400),
        ("/api/v1/clusters/cl-0000000000000000", 404),
        ("/api/v1/clusters/explain?one=x&other=y", 400),
        (f"/api/v1/clusters/explain?one={MISSING_SNAPSHOT}&other={MISSING_SNAPSHOT}", 404),
        ("/api/v1/manifests/2", 404),
        ("/api/v1/manifests/0", 400),
        ("/api/v1/nothing", 404),
    ],
)
def test_every_error_is_a_problem_that_says_what_is_wrong(client, path, status):
    answer = client.get(path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert problem["detail"]
    assert "Traceback" not in answer.text


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(url=st.text(max_size=40), before=st.text(max_size=20), start=st.integers(-5, 10**20))
def test_no_query_makes_a_defect(client, url, before, start):
    for params in ({"url": url, "start": start}, {"before": before}):
        assert client.get("/api/v1/snapshots", params=params).status_code in (200, 400, 404)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_can_be_changed(client, filled, method):
    refused = client.request(method, f"/api/v1/jobs/{filled.job_id}")
    assert (refused.status_code, "Allow" in refused.json()["next_step"]) == (405, True)


def test_the_description_names_calls_with_typed_answers_and_one_that_writes(client):
    description = client.get("/api/v1/openapi.json").json()
    assert description["openapi"].startswith("3.")
    names = set(description["components"]["schemas"])
    assert {"Problem", "Snapshot", "Cluster", "ManifestHead", "JobDetail"} <= names
    for path, operations in description["paths"].items():
        (method,) = operations
        assert method == ("post" if path == "/api/v1/jobs/{job_id}/decisions" else "get"), path
        assert operations[method]["summary"]
        assert "5XX" in operations[method]["responses"]
    assert client.get("/docs").status_code == 404


def _judged(number: int) -> Asked:
    claim = HOSTILE if number == 0 else f"It has {number} gates."
    inputs = JudgementInputs(claim_text=claim, quote="14 gates", prefix="", suffix="", text_sha256=f"{number:064x}")
    return Asked(inputs, "0" * 64, "human@1", None)


def test_what_was_judged_is_shown_with_by_whom_why_and_how_far_they_agree(client: TestClient, filled) -> None:
    """R097, R098: read only; what people disagree on is unresolved, and a damaged word costs itself alone."""
    said = [
        ("human@1", "ada", Support.FULL),
        ("human@1", "bob", Support.PARTIAL),
        ("chat@1+0a1b2c3d", "m", Support.FULL),
    ]

    async def fill() -> list[str]:
        async with open_archive(filled.settings) as archive:
            ledger = JudgementLedger(archive.store)
            for number in range(3):
                for checker, by, support in said[number:]:
                    asked = replace(_judged(number), checker_version=checker)
                    await ledger.append(asked, support, f"So says {HOSTILE}", by=by, now="2026-11-30T12:00:00Z")
            return [_judged(number).inputs_sha256 for number in range(3)]

    assert client.get("/api/v1/judgements").json() == {"items": [], "things": 0, "next_after": None, "damaged": []}
    assert "Nothing is judged yet" in client.get("/judgements").text
    unresolved, partly, by_model = asyncio.run(fill())
    with TestClient(create_app(filled.settings), base_url="http://127.0.0.1") as fresh:
        first = fresh.get("/api/v1/judgements", params={"limit": 2}).json()
        rest = fresh.get("/api/v1/judgements", params={"after": first["next_after"]}).json()
        items = {item["inputs_sha256"]: item for item in (*first["items"], *rest["items"])}
        assert (first["things"], len(first["items"]), rest["next_after"]) == (3, 2, None)
        assert {name: (item["state"], item["support"]) for name, item in items.items()} == {
            unresolved: ("unresolved", None),
            partly: ("judged", "partial"),
            by_model: ("judged", "full"),
        }
        assert [word["by"] for word in items[unresolved]["words"]] == ["m", "ada", "bob"]
        view = fresh.get("/api/v1/judgements/agreement").json()
        assert view["unresolved"] == [unresolved]
        (pair,) = view["people"]
        assert (pair["one"], pair["other"], pair["agreement"]["pairs"], pair["agreement"]["agreed"]) == (
            "ada",
            "bob",
            1,
            0,
        )
        (audit,) = view["evaluators"]
        assert (audit["judged"], audit["reviewed"]["pairs"], audit["unresolved"]) == (3, 1, 1)
        shown = fresh.get("/judgements").text
        assert "1 unresolved" in shown
        assert "<script>alert" not in shown
        assert fresh.get(f"/judgements?inputs={by_model}").text.count("chat@1+0a1b2c3d") == 2
        assert fresh.get(f"/api/v1/judgements/{'f' * 64}").status_code == 404
        assert fresh.post("/api/v1/judgements", json={}).status_code == 405

        async def damage() -> None:
            async with open_archive(filled.settings) as archive:
                (name,) = [name async for name in archive.store.list(f"judgements/{by_model}/")]
                await archive.store.put(name, b"{")

        asyncio.run(damage())
        listed = fresh.get("/api/v1/judgements").json()
        assert len(listed["items"]) == 2
        assert by_model in listed["damaged"][0]
        assert fresh.get("/judgements").status_code == 200
