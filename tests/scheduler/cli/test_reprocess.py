"""`reprocess`, `diff`: another extractor's texts beside those that are there, and how they differ."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.real


def test_r057_another_extractor_adds_its_texts_and_changes_none(citevault, filled):
    snapshot = filled.snapshots[0]
    before = citevault("show", snapshot, "--json").json
    text = citevault("show", snapshot, "--text").out
    assert citevault("diff", snapshot, "--extractor", "recall").code == 2  # it has not read it yet

    planned = citevault("reprocess", "--extractor", "recall", "--dry-run", "--json").json
    done = citevault("reprocess", "--extractor", "recall", "--processes", "1", "--json")
    assert done.code == 0
    assert done.json["made"] == planned["would_make"] == done.json["segments"] > 0
    assert (done.json["left"], done.json["extractor"].startswith("trafilatura@")) == ([], True)

    again = citevault("reprocess", "--extractor", done.json["extractor"], "--json").json
    assert (again["made"], again["already"]) == (0, done.json["segments"])
    assert citevault("show", snapshot, "--json").json == before
    assert citevault("show", snapshot, "--text").out == text

    compared = citevault("diff", snapshot, "--extractor", "recall", "--json")
    assert compared.json["fields"]["extractor"] == [before["extractor"], done.json["extractor"]]
    assert compared.code == (0 if compared.json["same_text"] else 1)


def test_what_this_version_made_needs_no_second_time(citevault):
    said = citevault("reprocess", "--json")
    assert said.code == 0
    assert (said.json["made"], said.json["already"]) == (0, said.json["segments"])


def test_fingerprints_alone_are_made_of_the_texts_that_are_there(citevault):
    said = citevault(
        "reprocess", "--extractor", "precision", "--params", "minhash-w5-p128-affine32-s1-sha1-32", "--json"
    )
    assert said.code == 0
    assert said.json["made"] == 0  # that extractor has made no texts


def test_two_snapshots_are_compared(citevault, filled):
    one, other = filled.snapshots[0], filled.snapshots[-1]
    assert citevault("diff", one, one).code == 0
    said = citevault("diff", one, other)
    assert said.code == 1
    assert said.out.startswith(f"--- {one} ")
    assert "text_sha256" in said.err


def test_the_two_newest_versions_of_a_url_are_compared_word_by_word(citevault, filled):
    """The bulletin changes its number and its words with every visit."""
    url = filled.web.url("authority", "/status")
    rows = citevault("snapshots", url, "--json").json
    said = citevault("diff", url)
    assert said.code == 1
    assert f"compared: {rows[1]['id']} of " in said.err
    assert "Bulletin number [-100-]{+101+}" in said.err
    assert "[-raised-]{+at rest+}" in said.err
    words = citevault("diff", url, "--json").json["words"]
    assert words["changes"][0]["diff"].count("[-") >= 1
    assert f"{words['removed']} words removed, {words['added']} added" in said.err
    assert said.err.count("[-…-] stands only in the left text") == 1


def test_a_page_with_one_snapshot_has_nothing_to_be_compared_with(citevault, filled):
    said = citevault("diff", filled.web.url("courier", "/news/tidal-barrier"))
    assert said.code == 2
    assert "only one snapshot of this page may be cited" in said.err
    assert "next: archive the page again" in said.err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("reprocess", "--extractor", "best"), "no such extractor"),
        (("diff", "snap-000000000000-20260822T031500Z-00000000", "--extractor", "recall"), "no such snapshot"),
        (("diff", "snap-1"), "--extractor"),
        (("diff", "x"), "neither a snapshot's id nor a URL"),
    ],
)
def test_what_cannot_be_done_is_said(citevault, arguments, word):
    said = citevault(*arguments)
    assert said.code == 2
    assert word in said.err
