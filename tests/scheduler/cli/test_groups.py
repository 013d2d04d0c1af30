"""`groups`: what a person decides on independence, with name and reason (R070, X34)."""

from __future__ import annotations

import contextlib
import getpass
import io
import json

import pytest

from scheduler.cli import grouping
from workers.dedup.suggestions import Suggestion
from workers.flows.suggest import Suggested

pytestmark = pytest.mark.real
WHY = "both print the same agency report"
ONE, TWO, THREE = "src-0000000000000001", "src-0000000000000002", "src-0000000000000003"


def groups(citevault):
    said = citevault("groups", "list", "--json")
    assert said.code == 0
    return {row["name"]: row["source_ids"] for row in said.json}


def test_a_group_is_kept_with_who_when_and_why(fresh):
    said = fresh("groups", "merge", "wire", ONE, TWO, "--why", WHY, "--by", "A. Editor")
    assert said.code == 0
    assert said.out.splitlines() == ["decision 1: 2 sources count as one, as manual:wire", f"  {ONE}", f"  {TWO}"]
    (row,) = fresh("groups", "list", "--json").json
    assert row.pop("at").endswith("Z")
    assert row == {"name": "wire", "source_ids": [ONE, TWO], "by": "A. Editor", "why": WHY}
    assert "A. Editor" in fresh("groups", "list").out


def test_no_groups_is_no_error(fresh):
    said = fresh("groups", "list")
    assert (said.code, said.stdout, said.err) == (0, b"", "no manual groups\n")


def test_who_decides_is_the_user_where_nobody_is_named(fresh):
    fresh("groups", "merge", "wire", ONE, TWO, "--why", WHY)
    (row,) = fresh("groups", "list", "--json").json
    assert row["by"] == getpass.getuser()


def test_a_merge_adds_to_what_the_group_has(fresh):
    fresh("groups", "merge", "wire", ONE, TWO, "--why", WHY)
    said = fresh("groups", "merge", "wire", THREE, "--why", WHY).out.splitlines()
    assert said[0] == "decision 2: 3 sources count as one, as manual:wire"
    assert said[1:] == [f"  {ONE}  (as before)", f"  {TWO}  (as before)", f"  {THREE}"]
    assert groups(fresh) == {"wire": [ONE, TWO, THREE]}


def test_a_source_is_in_the_group_that_named_it_last(fresh):
    fresh("groups", "merge", "wire", ONE, TWO, THREE, "--why", WHY)
    fresh("groups", "merge", "other", TWO, THREE, "--why", WHY)
    assert groups(fresh) == {"other": [TWO, THREE], "wire": [ONE]}


def test_a_split_without_urls_dissolves_the_group(fresh):
    fresh("groups", "merge", "wire", ONE, TWO, "--why", WHY)
    said = fresh("groups", "split", "wire", "--why", WHY)
    assert said.code == 0
    assert said.out.splitlines()[0].startswith("decision 2: manual:wire is dissolved")
    assert said.out.splitlines()[1:] == [f"  {ONE}", f"  {TWO}"]
    assert groups(fresh) == {}


def test_a_split_with_urls_lets_each_stand_alone(fresh):
    fresh("groups", "merge", "wire", ONE, TWO, THREE, "--why", WHY)
    said = fresh("groups", "split", "wire", ONE, TWO, "--why", WHY)
    assert said.code == 0
    assert said.out.splitlines() == [
        f"decision 2: {ONE} stands alone, as manual:wire/0000000000000001",
        f"decision 3: {TWO} stands alone, as manual:wire/0000000000000002",
    ]
    assert groups(fresh) == {"wire": [THREE], "wire/0000000000000001": [ONE], "wire/0000000000000002": [TWO]}


def test_sources_are_named_by_what_is_archived_of_them(citevault, filled):
    courier = filled.web.url("courier", "/news/tidal-barrier")
    authority = filled.web.url("authority", "/barrier")
    before = groups(citevault)
    said = citevault("groups", "merge", "named", courier + "?utm_source=x", authority, "--why", WHY)
    assert said.code == 0
    assert courier in said.out
    assert authority in said.out
    expected = sorted(citevault("show", name).json["source_id"] for name in _snapshots(citevault, courier, authority))
    assert groups(citevault) == {**before, "named": expected}
    assert citevault("groups", "split", "named", "--why", WHY).code == 0
    assert groups(citevault) == before


def _snapshots(citevault, *urls):
    return [citevault("snapshots", url, "--json").json[0]["id"] for url in urls]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["merge", "wire", ONE], "a group has two sources at least"),
        (["merge", "wire", ONE, ONE], "a group has two sources at least"),
        (["merge", "wire", ONE, TWO, "--why", "too short"], "give 10 characters at least"),
        (["merge", "wire", ONE, TWO, "--why", ""], "give 10 characters at least"),
        (["merge", "wire", ONE, TWO, "--why", "x" * 100_001], "--why: longer than the 100000 characters"),
        (["merge", "wire", ONE, TWO, "--why", "no such letter \udcff"], "--why: "),
        (["merge", "wire", ONE, TWO, "--by", " "], "--by: say who decides"),
        (["merge", "wire", ONE, TWO, "--by", "x" * 5000], "--by: longer than the 4096 characters"),
        (["merge", "two words", ONE, TWO], "a group's name is printable ASCII without blanks"),
        (["merge", "", ONE, TWO], "a group's name is printable ASCII without blanks"),
        (["merge", "x" * 301, ONE, TWO], "a group's name is printable ASCII without blanks"),
        (["merge", "wire\x1b[2J", ONE, TWO], "a group's name is printable ASCII without blanks"),
        (["merge", "wire", ONE, "http://127.0.0.1/never"], "nothing is archived of this URL"),
        (["merge", "wire", ONE, "no url"], "no url"),
        (["split", "unknown"], "there is no such manual group"),
        (["split", "wire", "http://127.0.0.1/never"], "nothing is archived of this URL"),
        (["split", "wire", ONE, "--why", "too short"], "give 10 characters at least"),
    ],
)
def test_what_is_refused_leaves_no_decision(fresh, arguments, sentence):
    said = fresh("groups", *arguments, *([] if "--why" in arguments else ["--why", WHY]))
    assert (said.code, said.stdout) == (2, b"")
    assert sentence in said.err
    assert "\x1b" not in said.err
    assert groups(fresh) == {}


def test_a_user_without_a_name_is_asked_for_one(fresh, monkeypatch):
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    said = fresh("groups", "merge", "wire", ONE, TWO, "--why", WHY)
    assert (said.code, said.stdout) == (2, b"")
    assert "--by: say who decides" in said.err


def barrier(filled):
    return [filled.web.url("courier", "/news/tidal-barrier"), filled.web.url("portal", "/stories/tidal-barrier")]


def test_two_copies_are_told_why_they_count_as_one(citevault, filled):
    """R070, R071: by their cluster; with the other URLs of it."""
    urls = barrier(filled)
    said = citevault("groups", "explain", *urls, "--json")
    assert said.code == 0
    (together,) = said.json["together"]
    assert together["reason"] == "cluster"
    first = said.json["sources"][0]
    assert first["group"] == together["group"]
    assert any(cluster["others"] for cluster in first["clusters"])
    assert "cited together they count as 1" in citevault("groups", "explain", *urls).out


def test_sources_that_count_apart_are_an_answer_no(citevault, filled):
    urls = [row["final_url"] for row in citevault("snapshots", "--json").json]
    host = {url.split("/")[2]: url for url in urls}
    apart = next(
        pair
        for pair in ((one, other) for one in host.values() for other in host.values() if one < other)
        if citevault("groups", "explain", *pair).code == 1
    )
    told = citevault("groups", "explain", *apart).out
    assert "count as 2" in told
    assert told.count("of no registrable domain by ") == 2, "a loopback address is nobody's"
    assert "and so does each other port of its host" in told


def test_what_a_manual_group_overrides_is_told(citevault, filled):
    """X34: the cluster that a person's word goes before."""
    urls = barrier(filled)
    assert citevault("groups", "split", "cluster", urls[0], "--why", WHY, "--by", "A. Editor").code == 0
    said = citevault("groups", "explain", *urls, "--json")
    assert said.code == 1
    first = said.json["sources"][0]
    assert first["manual"]["by"] == "A. Editor"
    assert first["overridden"].startswith("cluster:")
    assert "this goes before cluster:" in citevault("groups", "explain", urls[0]).out
    name = first["manual"]["name"]
    assert citevault("groups", "split", name, "--why", "put back after the test").code == 0
    assert citevault("groups", "explain", *urls).code == 0


def test_nothing_archived_has_no_group(citevault):
    said = citevault("groups", "explain", "https://never.example/")
    assert (said.code, said.stdout) == (2, b"")


def test_suggestions_are_made_for_a_draft_a_job_and_the_archive(citevault, filled, tmp_path):
    """R070: what no rule unites, for a person to decide on."""
    everything = citevault("groups", "suggest", "--json")
    assert everything.code == 0
    assert everything.json["sources"] > 3
    draft = tmp_path / "draft.json"
    draft.write_text(
        json.dumps(
            {
                "claims": [{"id": "c-01", "text": "It has gates.", "importance": "ordinary", "claim_type": "other"}],
                "evidence": [
                    {"claim_id": "c-01", "url": url, "quote": "gates", "support": "full"} for url in barrier(filled)
                ],
            }
        ),
        encoding="utf-8",
    )
    said = citevault("groups", "suggest", "--from", str(draft), "--json")
    assert said.json == {"sources": 2, "suggestions": []}  # they are one by their cluster already
    assert "no suggestions" in citevault("groups", "suggest", "--from", str(draft)).err


def test_the_command_that_a_suggestion_offers_leaves_the_reason_to_the_person(fresh):
    """R070: a rule's own sentence is no decision; what stands in its place is refused as it is."""
    one = Suggestion(
        "canonical", "https://a.paper.example/", (ONE, TWO), "one page declares the other as its canonical URL"
    )
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        grouping._print_suggestions(
            Suggested((one,), 2, {ONE: "https://a.paper.example/", TWO: "https://b.paper.example/"})
        )
    offered = printed.getvalue().splitlines()[-1].split(": citevault ")[1]
    assert offered == f"groups merge NAME {ONE} {TWO} --why WHY"
    said = fresh(*offered.split())
    assert (said.code, "give 10 characters at least" in said.err) == (2, True)
    assert groups(fresh) == {}


def test_what_is_merged_by_hand_stays_one_with_its_copies(citevault, filled):
    """R071, X34: a page that is merged with another one is not torn off its near-copy."""
    courier, portal = barrier(filled)
    assert citevault("groups", "merge", "odd", courier, filled.web.url("authority", "/barrier"), "--why", WHY).code == 0
    together = citevault("groups", "explain", courier, portal)
    alone = citevault("groups", "explain", courier)
    assert citevault("groups", "split", "odd", "--why", "put back after the test").code == 0
    assert together.code == 0
    assert "cited together they count as 1" in together.out
    assert "this adds to cluster:" in alone.out


def test_suggestions_want_one_choice(unconfigured):
    assert unconfigured("groups", "suggest", "https://a.example/", "--job", "job-x").code == 2


def test_a_bundle_stands_where_its_sources_could_not_be_compared(citevault, filled, tmp_path, monkeypatch):
    """R070: which of them may be one is looked at after each build, and told on stderr."""
    courier, portal = barrier(filled)
    monkeypatch.setattr("workers.flows.suggest.MAX_SOURCES", 1)
    draft = tmp_path / "draft.json"
    draft.write_text(
        json.dumps(
            {
                "claims": [{"id": "c-01", "text": "It opened.", "importance": "ordinary"}],
                "evidence": [
                    {"claim_id": "c-01", "url": url, "quote": sentence(citevault, url), "support": "full"}
                    for url in (courier, portal)
                ],
            }
        ),
        encoding="utf-8",
    )
    said = citevault("bundle", "build", str(draft), "-o", str(tmp_path / "out"))
    assert said.code == 0
    assert "whether sources are one could not be looked at: 2 sources are more" in said.err


def sentence(citevault, url):
    """A line of the page that stands in it once."""
    (newest, *_) = citevault("snapshots", url, "--json").json
    text = citevault("show", newest["id"], "--text").out
    return next(line for line in text.splitlines() if len(line) > 60 and text.count(line) == 1)
