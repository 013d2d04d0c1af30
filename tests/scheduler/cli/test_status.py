"""`status` and `watch`: where jobs are, and why a URL is missing."""

from __future__ import annotations

import asyncio
import json

import pytest

from deploy.demo.sites import REQUISITES
from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.outcome import Outcome
from workers.adapters.stores import open_store

pytestmark = pytest.mark.real


def test_status_lists_every_job(citevault, filled):
    said = citevault("status", "--json")
    assert said.code == 0
    rows = {row["job_id"]: row for row in said.json}
    assert set(rows) == {filled.job.id, filled.later.id}
    row = rows[filled.job.id]
    assert (row["state"], row["known"], row["done"], row["hosts_waiting"]) == ("captured", 7, 7, 0)
    assert row["outcomes"] == {"captured": 5, "guard_denied": 1, "robots_denied": 1}


def test_lines_hold_the_same_as_the_document(citevault):
    rows = citevault("status", "--json").json
    assert [json.loads(line) for line in citevault("status", "--jsonl").out.splitlines()] == rows


def test_a_person_gets_a_table_of_jobs(citevault, filled):
    said = citevault("status")
    assert said.code == 0
    assert filled.job.id in said.out


def test_no_jobs_is_no_error(fresh):
    said = fresh("status")
    assert (said.code, said.stdout, said.err) == (0, b"", "no jobs\n")
    assert fresh("status", "--json").json == []


def test_what_is_in_hand_and_what_holds_urls_back_is_said_while_some_are_open(fresh):
    """Nobody has to look into Redis for why nothing goes on. Here no scheduler has ever run."""
    job_id = fresh("archive", "http://127.0.0.9:47111/1").out.strip()
    said = fresh("status")
    assert "in hand: 0 batches with workers, 0 wait for one" in said.err
    assert "held back by scheduler: it has told nothing for two minutes" in said.err
    assert "held back by scheduler: " in fresh("status", job_id).out
    (told,) = fresh("status", job_id, "--json").json["held_back"]
    assert "next: start one" in told
    fresh("cancel", job_id, "--why", "nobody needs it any more")
    assert fresh("status", job_id, "--json").json["held_back"] == []
    assert "in hand" not in fresh("status").err


def test_one_job_says_why_each_missing_url_is_missing(citevault, filled):
    said = citevault("status", filled.job.id, "--json")
    assert said.code == 0
    answer = said.json
    assert answer["collection"] == "default"
    assert answer["segments"] == {"published": 1}
    missing = {item["url"]: item for item in answer["missing"]}
    denied = missing[filled.web.url("courier", "/drafts/next-week")]
    assert denied["outcome"] == "robots_denied"
    assert missing["http://10.0.0.1/private"]["outcome"] == "guard_denied"
    assert all(item["why"] and item["next"] for item in missing.values())
    (bad,) = answer["bad_lines"]
    assert bad["line"] == 8


def test_one_job_as_lines_is_one_line(citevault, filled):
    (line,) = citevault("status", filled.job.id, "--jsonl").out.splitlines()
    assert json.loads(line) == citevault("status", filled.job.id, "--json").json


def test_a_person_reads_the_reasons(citevault, filled):
    said = citevault("status", filled.job.id)
    assert said.code == 0
    assert "7 of 7 URLs: 5 captured, 1 guard_denied, 1 robots_denied; 0 hosts waiting" in said.out
    assert "answers: 4 good, 1 with an error (404: 1); 5 of 5 published" in said.out
    assert f"missing {filled.web.url('courier', '/drafts/next-week')}: robots_denied - " in said.out
    assert "next, for robots_denied: ask the site" in said.out
    assert "bad line 8: " in said.out
    assert "\x1b" not in said.out


def test_only_the_first_bad_lines_are_shown(fresh):
    job = fresh("archive", "--from", "-", stdin=b"nonsense\n" * 60 + b"http://127.0.0.1:9/").out.strip()
    said = fresh("status", job)
    assert said.out.count("  bad line ") == 50
    assert "… and 10 more bad lines" in said.out
    assert len(fresh("status", job, "--json").json["bad_lines"]) == 60


def test_servers_that_answered_wrongly_are_told_of(fresh, empty, receipt_of):
    url = "http://127.0.0.1:9/"
    job = fresh("archive", url).out.strip()
    receipt = receipt_of([url], job_id=job)
    (outcome,) = receipt.outcomes
    told = outcome.model_copy(update={"remarks": tuple(f"lie {number} \x1b[2J" for number in range(60))})

    async def put():
        store = open_store(empty)
        await store.create(
            keys.receipt(job, "b-1", 0), canonical_bytes(receipt.model_copy(update={"outcomes": (told,)}))
        )
        store.close()

    asyncio.run(put())
    said = fresh("status", job)
    assert said.out.count("  remark lie ") == 50
    assert "… and 10 more remarks" in said.out
    assert "\x1b" not in said.out
    remarks = fresh("status", job, "--json").json["remarks"]
    assert len(remarks) == 60
    assert remarks[0]["url"] == url


def test_servers_whose_digests_do_not_hold_are_told_of(citevault, filled):
    """R055: what was recorded with the snapshot is said where a person looks."""
    url = filled.web.url("portal", "/stories/tidal-barrier")
    (remark,) = citevault("status", filled.job.id, "--json").json["remarks"]
    assert remark["url"] == url
    assert remark["remark"].startswith(f"{url}: content-digest sha-256: is not that of what came")
    assert f"  remark {url}: content-digest" in citevault("status", filled.job.id).out


def test_answers_that_are_not_whole_are_told_of_with_the_reason(fresh, empty, receipt_of):
    """R042: cut off is an outcome with a sentence, not only a mark in the WARC."""
    urls = [f"http://127.0.0.1:9/{number}" for number in range(52)]
    job = fresh("archive", *urls).out.strip()
    receipt = receipt_of(urls, job_id=job)
    cut = {"outcome": Outcome.TRUNCATED, "failure": "the server closed the connection after 5 of 9 bytes \x1b[2J"}
    outcomes = tuple(outcome.model_copy(update=cut) for outcome in receipt.outcomes)

    async def put():
        store = open_store(empty)
        await store.create(
            keys.receipt(job, "b-1", 0), canonical_bytes(receipt.model_copy(update={"outcomes": outcomes}))
        )
        store.close()

    asyncio.run(put())
    said = fresh("status", job)
    assert f"  incomplete {urls[0]}: truncated - the server closed the connection after 5 of 9 bytes" in said.out
    assert said.out.count("  incomplete ") == 50
    assert "… and 2 more that are incomplete" in said.out
    assert "\x1b" not in said.out
    assert [item["url"] for item in fresh("status", job, "--json").json["incomplete"]] == urls


@pytest.mark.parametrize("command", ["status", "watch"])
@pytest.mark.parametrize("job", ["job-none", "", "../x", "x" * 5000])
def test_an_unknown_job_is_bad_input(citevault, command, job):
    said = citevault(command, job)
    assert (said.code, said.stdout) == (2, b"")
    assert "there is no such job" in said.err


def test_watch_ends_as_the_job_did(citevault, filled):
    said = citevault("watch", filled.job.id)
    assert said.code == 1
    assert "7 of 7 URLs" in said.err
    assert "2 URLs ended without a response" in said.err
    assert citevault("watch", filled.later.id).code == 0
    told = citevault("watch", filled.job.id, "--json")
    assert (told.code, told.json) == (1, citevault("status", filled.job.id, "--json").json)


def test_what_pages_needed_is_counted_apart_from_urls(citevault, filled):
    answer = citevault("status", filled.job.id, "--json").json
    assert answer["requisites"] == {"captured": REQUISITES}
    assert answer["missing_requisites"] == []
    assert answer["known"] == 7
    assert f"what pages needed: {REQUISITES} captured" in citevault("status", filled.job.id).out
