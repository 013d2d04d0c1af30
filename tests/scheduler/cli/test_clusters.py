"""`clusters`: near-duplicates, with the reasons."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.real


def test_syndicated_copies_are_one_cluster(citevault):
    said = citevault("clusters", "--json")
    assert said.code == 0
    (row,) = said.json
    assert row["id"].startswith("cl-")
    assert (row["sources"], row["snapshots"]) == (2, 2)
    assert [json.loads(line) for line in citevault("clusters", "--jsonl").out.splitlines()] == [row]
    listed = citevault("clusters").out
    assert row["id"] in listed
    assert len(row["pages"]) == 2
    for page in row["pages"]:
        assert page["url"] in listed
        assert page["title"] in listed
    assert citevault("clusters", "--pages", "0", "--json").json == [{**row, "pages": []}]


def test_clusters_of_one_source_are_shown_on_request(citevault):
    rows = citevault("clusters", "--all", "--json").json
    assert len(rows) > 1
    assert sorted(row["id"] for row in rows) == [row["id"] for row in rows]


def test_a_cluster_is_shown_with_every_url_and_why(citevault, filled):
    (row,) = citevault("clusters", "--json").json
    said = citevault("clusters", "show", row["id"])
    assert said.code == 0
    for page in (("courier", "/news/tidal-barrier"), ("portal", "/stories/tidal-barrier")):
        assert filled.web.url(*page) in said.out
    assert "\n  1 ~ 2: overlap" in said.out
    for purpose in ("specification", "tracing"):
        shown = citevault("clusters", "show", row["id"], "--json", "--purpose", purpose)
        assert shown.code == 0
        assert shown.json["id"] == row["id"]
        assert len(shown.json["members"]) == 2
        assert shown.json["edges"]


def test_a_pair_is_explained_by_url(citevault, filled):
    urls = [filled.web.url("courier", "/news/tidal-barrier"), filled.web.url("portal", "/stories/tidal-barrier")]
    said = citevault("clusters", "explain", *urls)
    assert said.code == 0
    assert "one story" in said.out
    assert "rule overlap" in said.out
    found = citevault("clusters", "explain", *urls, "--json").json
    assert found["answer"] == "one-story"
    (stored,) = found["verdicts"]
    assert stored["verdict"]["confirmed"]
    by_id = citevault("clusters", "explain", found["one"]["snapshot_id"], found["other"]["snapshot_id"], "--json")
    assert by_id.json == found


def test_two_stories_are_told_apart_with_the_reason(citevault, filled):
    one = filled.web.url("courier", "/news/tidal-barrier")
    urls = [row["final_url"] for row in citevault("snapshots", "--json").json]
    other = next(url for url in urls if "tidal-barrier" not in url)
    said = citevault("clusters", "explain", one, other)
    assert said.code == 1
    assert "not one story" in said.out


def test_what_is_not_archived_cannot_be_explained(citevault):
    said = citevault("clusters", "explain", "https://never.example/", "https://never.example/2")
    assert (said.code, said.stdout) == (2, b"")
    assert "nothing is archived of this page (https://never.example/)\n  next: archive it" in said.err


def test_the_history_of_a_cluster_is_shown(citevault):
    (row,) = citevault("clusters", "--json").json
    told = citevault("clusters", "history", row["id"], "--json")
    assert told.code == 0
    assert told.json[0]["kind"] == "birth"
    assert all(entry["reason"] for entry in told.json)
    assert told.json[0]["page"] in [page["url"] for page in row["pages"]]


def test_judging_again_says_where_nothing_is_to_be_done(citevault):
    said = citevault("clusters", "rejudge")
    assert (said.code, said.stdout) == (0, b"")
    assert "nothing to do" in said.err


@pytest.mark.parametrize("name", ["cl-0000000000000000", "", "x", "../x"])
def test_an_unknown_cluster_is_bad_input(citevault, name):
    said = citevault("clusters", "show", name)
    assert (said.code, said.stdout) == (2, b"")
    assert "there is no such cluster" in said.err


def test_an_archive_without_clusters_says_so(fresh):
    never = fresh("clusters")  # nobody has looked yet, which is not the same
    assert (never.code, never.stdout) == (3, b"")
    assert fresh("rebuild").code == 0
    said = fresh("clusters")
    assert (said.code, said.stdout, said.err) == (0, b"", "no clusters\n")
