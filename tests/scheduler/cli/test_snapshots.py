"""`snapshots` and `show`: what is archived."""

from __future__ import annotations

import hashlib
import json

import pytest

from deploy.demo.sites import REQUISITES

pytestmark = pytest.mark.real


def by_url(citevault, url):
    (row,) = citevault("snapshots", url, "--json").json
    return row


def test_snapshots_lists_the_newest_first_as_one_document(citevault, filled):
    said = citevault("snapshots", "--json")
    assert said.code == 0
    assert {row["id"] for row in said.json} > set(filled.snapshots)
    times = [row["retrieved_at"][: len("2026-11-29T10:00:00.000")] for row in said.json]
    assert times == sorted(times, reverse=True)


def test_snapshots_of_a_url_are_found_by_any_spelling_of_it(citevault, filled):
    url = filled.web.url("courier", "/news/tidal-barrier")
    plain = citevault("snapshots", url, "--json").json
    tracked = citevault("snapshots", f"{url}?utm_source=letter#quote", "--json").json
    assert [row["final_url"] for row in plain] == [url]
    assert plain == tracked


def test_snapshots_of_a_job_are_its_own(citevault, filled):
    assert [row["id"] for row in citevault("snapshots", "--job", filled.job.id, "--json").json] == [*filled.snapshots]
    (row,) = citevault("snapshots", "--job", filled.later.id, "--json").json
    assert row["job_id"] == filled.later.id


def test_a_url_of_a_job_narrows_to_both(citevault, filled):
    status = filled.web.url("authority", "/status")
    assert len(citevault("snapshots", status, "--json").json) == 2
    (row,) = citevault("snapshots", status, "--job", filled.job.id, "--json").json
    assert row["job_id"] == filled.job.id


def test_a_url_without_snapshots_answers_no(citevault):
    said = citevault("snapshots", "http://127.0.0.1/never", "--json")
    assert (said.code, said.json) == (1, [])


def test_an_unknown_job_is_bad_input(citevault):
    said = citevault("snapshots", "--job", "job-none", "--json")
    assert (said.code, said.stdout) == (2, b"")
    assert "there is no such job (job-none)" in said.err


@pytest.mark.parametrize("url", ["", "mailto:a@example.org", "http://", "no url"])
def test_what_is_no_url_is_bad_input(citevault, url):
    said = citevault("snapshots", url)
    assert (said.code, said.stdout) == (2, b"")
    assert "Traceback" not in said.err


def test_limit_holds_and_is_checked(citevault):
    assert len(citevault("snapshots", "--limit", "2", "--json").json) == 2
    assert citevault("snapshots", "--limit", "0").code == 2


def test_lines_are_one_object_each(citevault):
    rows = citevault("snapshots", "--json").json
    assert [json.loads(line) for line in citevault("snapshots", "--jsonl").out.splitlines()] == rows


def test_a_person_gets_a_table(citevault, filled):
    said = citevault("snapshots")
    assert said.code == 0
    assert "reader status" in said.out
    assert all(name in said.out for name in filled.snapshots)


def test_show_prints_the_record_of_a_snapshot(citevault, filled):
    for arguments in ((), ("--json",)):
        said = citevault("show", filled.snapshots[0], *arguments)
        assert said.code == 0
        assert said.json["id"] == filled.snapshots[0]


def test_show_text_is_the_text_that_was_hashed(citevault, filled):
    row = by_url(citevault, filled.web.url("authority", "/barrier"))
    said = citevault("show", row["id"], "--text")
    assert said.code == 0
    assert hashlib.sha256(said.stdout).hexdigest() == row["text_sha256"]
    assert "The barrier consists of 14 gates of structural steel." in said.out


def test_show_record_begins_with_the_head_and_ends_with_the_content(citevault, filled):
    row = by_url(citevault, filled.web.url("authority", "/barrier"))
    record = citevault("show", row["id"], "--record")
    head = citevault("show", row["id"], "--headers")
    snapshot = citevault("show", row["id"]).json
    assert (record.code, head.code) == (0, 0)
    assert head.stdout.startswith(b"HTTP/1.1 200")
    assert record.stdout.startswith(head.stdout)
    content = record.stdout.partition(b"\r\n\r\n")[2]
    assert hashlib.sha256(content).hexdigest() == snapshot["content_sha256"]


def test_show_takes_a_url_and_says_which_snapshot_it_took(citevault, filled):
    url = filled.web.url("authority", "/status")
    newest = citevault("snapshots", url, "--json").json[0]
    said = citevault("show", url)
    assert said.json["id"] == newest["id"]
    assert f"the newest snapshot of it that may be cited: {newest['id']} of {newest['retrieved_at']}" in said.err
    withdrawn = citevault("show", filled.web.url("courier", "/news/withdrawn"), "--headers")
    assert withdrawn.stdout.startswith(b"HTTP/1.1 404")
    assert "no snapshot of this page may be cited; the newest is " in withdrawn.err
    never = citevault("show", "http://127.0.0.1/never")
    assert (never.code, never.stdout) == (2, b"")
    assert "nothing is archived of this page" in never.err


def test_a_404_is_a_snapshot_with_that_status(citevault, filled):
    row = by_url(citevault, filled.web.url("courier", "/news/withdrawn"))
    assert row["http_status"] == 404
    assert row["citeable"] is False


def test_show_of_an_unknown_snapshot_is_bad_input(citevault):
    for what in ("--text", "--record", "--headers", "--json"):
        said = citevault("show", "snap-000000000000-20260101T000000Z-00000000", what)
        assert (said.code, said.stdout) == (2, b"")
        assert "there is no such snapshot" in said.err
        assert "next: see `citevault snapshots`" in said.err


@pytest.mark.parametrize("name", ["", "x", "../../etc/passwd", "snap-\udcff", "s" * 5000])
def test_show_of_what_is_no_snapshot_id_is_bad_input(citevault, name):
    said = citevault("show", name)
    assert (said.code, said.stdout) == (2, b"")
    assert len(said.err) < 400


def test_show_tells_what_was_captured_with_a_page(citevault, filled):
    page = by_url(citevault, filled.web.url("authority", "/barrier"))
    found = {each["url"].rpartition("/")[2]: each for each in citevault("show", page["id"], "--requisites").json}
    assert len(found) == REQUISITES
    font = found["sluice.ttf"]
    assert (font["kind"], font["outcome"], font["http_status"], font["why"]) == ("font", "captured", 200, None)
    assert font["found_in"] == filled.web.url("authority", "/style/type.css")
    assert font["found_at"] == "css/@font-face"
    assert font["record"].startswith("urn:uuid:")


def test_show_tells_of_a_page_that_needs_nothing(citevault, filled):
    page = by_url(citevault, filled.web.url("portal", "/stories/tidal-barrier"))
    assert citevault("show", page["id"], "--requisites").json == []


def test_show_says_whether_what_its_server_said_of_digests_holds(citevault, filled):
    """R055: and exit 1 where it does not."""
    wrong = by_url(citevault, filled.web.url("portal", "/stories/tidal-barrier"))
    said = citevault("show", wrong["id"], "--digests")
    assert said.code == 1
    assert wrong["text_sha256"] in said.out
    assert "its server on content-digest sha-256: is not that of what came" in said.out
    silent = citevault("show", by_url(citevault, filled.web.url("authority", "/barrier"))["id"], "--digests")
    assert silent.code == 0
    assert "its server said nothing of digests" in silent.out
