"""The pages over a real archive, and the process as the stack starts it: also while Redis and S3 are away."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from workers.bootstrap import open_archive
from workers.config import Settings
from workers.ports import DueAt

pytestmark = pytest.mark.real
START_SECONDS = 40.0
AWAY = Settings(
    redis_url="redis://127.0.0.1:9/0",
    s3_endpoint="http://127.0.0.1:9",
    aws_access_key_id="a",
    aws_secret_access_key="b",
)
HTML = {"Accept": "text/html"}


def get(address, path, **headers):
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
    finally:
        connection.close()


def wait_until_it_listens(address):
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        with suppress(OSError):
            return get(address, "/static/icon.svg")
        time.sleep(0.1)
    pytest.fail("the web process did not start")


def test_a_cluster_and_a_pair_of_it_are_shown_with_the_reasons(client):
    """R058, R059: a reader sees every address, the figures and the rule."""
    (summary,) = client.get("/api/v1/clusters", params={"least_sources": 2}).json()["items"]
    members = client.get(f"/api/v1/clusters/{summary['id']}").json()["members"]
    shown = client.get(f"/clusters/{summary['id']}", headers=HTML)
    assert shown.status_code == 200
    assert all(f"/snapshots/{member['snapshot_id']}" in shown.text for member in members)
    assert "at least 70 % of all five-word runs" in shown.text
    assert "stands for all" in shown.text
    (link,) = re.findall(r'href="(/pairs[^"]+)"', shown.text)
    pair = client.get(link.replace("&amp;", "&"), headers=HTML)
    assert pair.status_code == 200
    assert "One story" in pair.text
    assert "First differences" in pair.text
    one, other = (
        client.get(f"/api/v1/snapshots/{name}").json()["snapshot"] for name in re.findall(r"snap-[\w-]+", link)
    )
    by_url = client.get("/pairs", params={"one": one["final_url"], "other": other["id"]}, headers=HTML)
    assert (by_url.status_code, "One story" in by_url.text) == (200, True)
    nowhere = client.get("/pairs", params={"one": "https://nowhere.example/", "other": "no name"}, headers=HTML)
    assert (nowhere.status_code, "nothing is archived of this page" in nowhere.text) == (404, True)


def test_the_overview_shows_the_job_the_log_and_the_newest_pages(client, filled):
    answer = client.get("/")
    assert answer.status_code == 200
    assert filled.job_id in answer.text
    assert "2 missing" in answer.text
    assert "snapshots published" in answer.text
    assert "Could not look" not in answer.text.replace("content: ", "")
    assert 'class="away"' not in answer.text


def test_the_overview_shows_how_many_scheduled_visits_are_due(client, filled):
    async def put(forget: bool) -> None:
        names = [f"sch-{number:016x}" for number in range(3)]
        async with open_archive(filled.settings) as archive:
            if forget:
                await archive.due.drop(names)
            else:
                await archive.due.put([DueAt(name, (1_000 + number * 10**13)) for number, name in enumerate(names)])

    asyncio.run(put(forget=False))
    try:
        shown = client.get("/").text
    finally:
        asyncio.run(put(forget=True))
    assert "1 <small>due of 3</small>" in shown
    assert "the next one at 1970-01-01 00:00:01" in shown


def test_the_job_page_says_why_each_missing_url_is_missing(client, filled):
    shown = client.get(f"/jobs/{filled.job_id}").text
    assert "robots.txt does not allow this URL" in shown
    assert "address 10.0.0.1 is not public" in shown
    for snapshot_id in filled.snapshots:
        assert f"/snapshots/{snapshot_id}" in shown
    assert 'class="away"' not in shown


def test_the_snapshot_page_shows_text_digests_and_what_is_published(client, filled):
    for snapshot_id in filled.snapshots:
        snapshot = client.get(f"/api/v1/snapshots/{snapshot_id}").json()["snapshot"]
        shown = client.get(f"/snapshots/{snapshot_id}").text
        assert snapshot["content_sha256"] in shown
        assert "published in the signed log" in shown
        if snapshot["text_sha256"]:
            assert snapshot["text_sha256"] in shown
        assert 'class="away"' not in shown


def test_an_address_is_found_from_the_search_field(client, filled):
    url = filled.web.url("authority", "/barrier")
    assert "Tidal barrier: technical data" in client.get("/snapshots", params={"url": url}).text
    assert "Nothing is archived" in client.get("/snapshots", params={"url": "http://never.example/"}).text
    assert 'class="away"' in client.get("/snapshots", params={"url": "javascript:alert(1)"}).text


def test_people_get_errors_as_a_page_and_programs_as_a_problem(client):
    path = "/jobs/job-01ARZ3NDEKTSV4RRFFQ69G5FAV"
    page = client.get(path, headers=HTML)
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert client.get(path).headers["content-type"] == "application/problem+json"
    assert client.get("/nowhere", headers=HTML).status_code == 404


def test_an_archive_with_nothing_to_do_is_healthy_and_ready(client):
    health = client.get("/healthz")
    assert (health.status_code, health.json()["status"]) == (200, "idle")
    assert health.json()["last_work_at"]
    assert client.get("/readyz").json() == {"status": "ready"}
    head = client.head("/readyz")
    assert (head.status_code, head.content, head.headers["content-length"]) == (
        200,
        b"",
        str(len('{"status":"ready"}')),
    )
    assert client.get("/metrics").status_code == 200


def test_the_process_comes_up_and_answers_in_time_while_redis_and_s3_are_away(serve):
    with serve(AWAY) as address:
        wait_until_it_listens(address)
        started = time.monotonic()
        status, headers, shown = get(address, "/")
        assert time.monotonic() - started < 2.0
        assert status == 200
        assert 'class="away"' in shown
        assert "unknown" in shown
        assert "default-src 'none'" in headers["content-security-policy"]
        status, headers, text = get(address, "/api/v1/jobs")
        assert (status, headers["content-type"]) == (503, "application/problem+json")
        assert headers["retry-after"]
        assert json.loads(text)["detail"]
        assert get(address, "/healthz")[0] == 503
        assert get(address, "/readyz")[0] == 503
        assert get(address, "/", Host="rebound.example")[0] == 421


def test_the_process_answers_from_a_real_archive_with_a_token(serve, filled):
    settings = Settings(
        redis_url=filled.settings.redis_url,
        s3_endpoint=filled.settings.s3_endpoint,
        s3_bucket=filled.settings.s3_bucket,
        s3_prefix=filled.settings.s3_prefix,
        aws_access_key_id=filled.settings.aws_access_key_id,
        aws_secret_access_key=filled.settings.aws_secret_access_key,
        web_host="0.0.0.0",
        api_tokens=("secret-of-the-test",),
    )
    with serve(settings) as address:
        wait_until_it_listens(address)
        assert get(address, "/api/v1/jobs")[0] == 401
        assert get(address, "/healthz")[0] == 200
        status, _, text = get(address, "/api/v1/jobs", Authorization="Bearer secret-of-the-test")
        assert status == 200
        assert json.loads(text)["items"][0]["id"] == filled.job_id


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ({"CITEVAULT_WEB_HOST": "0.0.0.0"}, 2, "without a token"),
        ({}, 2, "citevault up"),
        ({"CITEVAULT_WEB_PORT": "x"}, 2, "whole number"),
        ({"CITEVAULT_REDIS_URL": "redis://127.0.0.1:9", "CITEVAULT_S3_ENDPOINT": "http://127.0.0.1:9",
          "CITEVAULT_WEB_HOST": "192.0.2.1", "CITEVAULT_API_TOKENS": "x", "CITEVAULT_WEB_PORT": "18999"}, 3, "listen"),
    ],
)  # fmt: skip
def test_what_it_cannot_start_with_is_one_sentence_and_an_exit_code(given, code, said, repository, tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CITEVAULT_")}
    ended = subprocess.run(
        [sys.executable, "-m", "scheduler.web"],
        env={**environment, "PYTHONPATH": str(repository), **given},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == code
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
