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


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("reprocess", "--extractor", "best"), "no such extractor"),
        (("diff", "snap-000000000000-20260822T031500Z-00000000", "--extractor", "recall"), "no such snapshot"),
        (("diff", "x"), "--extractor"),
    ],
)
def test_what_cannot_be_done_is_said(citevault, arguments, word):
    said = citevault(*arguments)
    assert said.code == 2
    assert word in said.err
