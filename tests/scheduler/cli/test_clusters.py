"""`clusters` and `tiers`: near-duplicates and tiers, with the reasons."""

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
    assert row["id"] in citevault("clusters").out


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
    assert "overlap" in said.out
    for purpose in ("specification", "tracing"):
        shown = citevault("clusters", "show", row["id"], "--json", "--purpose", purpose)
        assert shown.code == 0
        assert shown.json["id"] == row["id"]
        assert len(shown.json["members"]) == 2
        assert shown.json["edges"]


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


def test_a_tier_names_its_rule(citevault):
    said = citevault("tiers", "explain", "https://unknown-host.example/page", "--json")
    assert said.code == 0
    assert (said.json["tier"], said.json["reason"]) == ("secondary", "default")
    person = citevault("tiers", "explain", "https://unknown-host.example/page")
    assert person.out == f"secondary: rule default of {said.json['policy']}\n"


def test_a_tier_of_what_is_no_url_is_bad_input(citevault):
    said = citevault("tiers", "explain", "no url\x1b[2J")
    assert (said.code, said.stdout) == (2, b"")
    assert "\x1b" not in said.err
