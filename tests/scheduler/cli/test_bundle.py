"""`bundle build`: a draft becomes a bundle that the checker accepts, or nothing is written and it says why."""

from __future__ import annotations

import json

import pytest

from deploy.demo.draft import first_draft
from validator.cli import main as validate
from workers.adapters.keys import create_key

pytestmark = pytest.mark.real
QUOTE = "The barrier consists of 14 gates of structural steel."


@pytest.fixture
def draft(tmp_path, filled):
    """Writes a draft with one claim and this evidence for it."""

    def write(*evidence, **fields):
        claim = {"id": "c-001", "text": "The barrier has fourteen gates.", "importance": "ordinary"}
        rows = [{"claim_id": "c-001", "support": "full", **row} for row in evidence]
        document = {"schema": "citevault/draft@1", "id": "report", "claims": [claim], "evidence": rows, **fields}
        path = tmp_path / "draft.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def barrier(filled):
    return filled.web.url("authority", "/barrier")


def test_a_good_draft_becomes_a_bundle_that_the_checker_accepts(citevault, draft, barrier, tmp_path):
    create_key(tmp_path / "author.pem")
    out = tmp_path / "bundle"
    path = draft({"url": barrier, "quote": QUOTE})
    said = citevault("bundle", "build", path, "-o", str(out), "--sign", str(tmp_path / "author.pem"), "--json")
    assert said.code == 0
    answer = said.json
    assert answer.pop("bundle_sha256")
    assert answer.pop("manifest") >= 1
    assert answer == {
        "directory": str(out), "signed": True, "claims": 1, "evidence": 1, "snapshots": 1,
        "verdicts": {"supported": 1}, "will_not_pass": [], "remarks": [],
    }  # fmt: skip
    key = tmp_path / "trusted.pem"
    key.write_bytes(citevault("keys", "show").stdout)
    author = str(tmp_path / "author.pub.pem")
    report = str(tmp_path / "report.json")
    arguments = ["bundle", str(out), "--deep", "--trust", str(key), "--trust", author, "--output", report]
    assert validate(arguments) == 0


def test_a_person_is_told_where_it_is_and_how_to_check_it(citevault, draft, barrier, tmp_path):
    out = tmp_path / "bundle"
    said = citevault("bundle", "build", draft({"url": barrier, "quote": QUOTE}), "-o", str(out))
    assert (said.code, said.out) == (0, f"{out}\n")
    assert f"citevault-validate bundle {out} --deep --trust KEY" in said.err
    again = citevault("bundle", "build", draft({"url": barrier, "quote": QUOTE}), "-o", str(out))
    assert again.code == 0


def test_a_bundles_cited_pages_can_be_archived_again(citevault, over, empty, draft, barrier, tmp_path):
    out = tmp_path / "bundle"
    assert citevault("bundle", "build", draft({"url": barrier, "quote": QUOTE}), "-o", str(out)).code == 0
    fresh = over(empty)
    for source in (out, out / "bundle.json"):
        answer = fresh("archive", "--from", str(source), "--json")
        assert answer.code == 0
        assert (answer.json["lines"], answer.json["seeds"], answer.json["bad_lines"]) == (1, 1, 0)


@pytest.mark.parametrize(
    ("page", "quote", "code"),
    [
        (("authority", "/barrier"), "The barrier consists of 15 gates of structural steel.", "draft.quote-not-found"),
        (("authority", "/status"), "Bulletin number 100. The barrier is raised.", "draft.quote-in-older-snapshot"),
        (("authority", "/never"), QUOTE, "draft.not-archived"),
        (("courier", "/news/withdrawn"), "Nothing here, and nothing there.", "draft.not-citeable"),
    ],
)
def test_a_quote_that_cannot_be_placed_is_no_and_nothing_is_written(
    citevault, draft, filled, tmp_path, page, quote, code
):
    path = draft({"url": filled.web.url(*page), "quote": quote})
    out = tmp_path / "bundle"
    said = citevault("bundle", "build", path, "-o", str(out), "--json")
    assert said.code == 1
    (problem,) = said.json["problems"]
    assert problem["code"] == code
    assert problem["pointer"].startswith("/evidence/0")
    assert problem["message"]
    assert problem["next_step"]
    assert f"{code}: {problem['message']}" in said.err
    assert not out.exists()
    assert citevault("bundle", "build", path, "-o", str(out)).stdout == b""


def test_all_problems_are_told_at_once(citevault, draft, barrier, tmp_path):
    path = draft({"url": barrier, "quote": "not on this page at all"}, {"url": barrier, "quote": "neither is this one"})
    said = citevault("bundle", "build", path, "-o", str(tmp_path / "bundle"), "--json")
    assert said.code == 1
    assert [problem["pointer"] for problem in said.json["problems"]] == ["/evidence/0/quote", "/evidence/1/quote"]


def test_somebody_elses_folder_is_not_replaced(citevault, draft, barrier, tmp_path):
    out = tmp_path / "mine"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    said = citevault("bundle", "build", draft({"url": barrier, "quote": QUOTE}), "-o", str(out), "--json")
    assert said.code == 1
    assert said.json["problems"][0]["code"] == "output.not-a-bundle"
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"claims": []}', '{"claims": [], "claims": []}', "\ufeff{}", '{"x": NaN}', "[" * 100_000]
)
def test_what_is_no_draft_is_bad_input(unconfigured, tmp_path, text):
    (tmp_path / "draft.json").write_text(text, encoding="utf-8")
    said = unconfigured("bundle", "build", str(tmp_path / "draft.json"), "-o", str(tmp_path / "bundle"))
    assert (said.code, said.stdout) == (2, b"")
    assert "is no draft" in said.err


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ({"claims": {"id": "c1"}}, '/claims/0/id: expected c- and two to nine digits, such as c-01, found "c1"'),
        (
            {"evidence": {"claim_id": "1"}},
            '/evidence/0/claim_id: expected c- and two to nine digits, such as c-01, found "1"',
        ),
        ({"evidence": {"snapshot_id": "snap-1"}}, 'found "snap-1"'),
        ({"claims": {"importance": "Critical"}}, 'found "Critical"'),
    ],
)
def test_a_value_that_is_refused_is_said_in_words_and_shown(unconfigured, tmp_path, where, told):
    """Also what has another pattern than a claim's id: nobody reads expressions."""
    claim = {"id": "c-01", "text": "It has 14 gates.", "importance": "ordinary"} | where.get("claims", {})
    edge = {"claim_id": "c-01", "quote": QUOTE, "support": "full"} | where.get("evidence", {})
    edge = edge if "snapshot_id" in edge else edge | {"url": "https://a.example/"}
    (tmp_path / "draft.json").write_text(json.dumps({"claims": [claim], "evidence": [edge]}), encoding="utf-8")
    said = unconfigured("bundle", "build", str(tmp_path / "draft.json"), "-o", str(tmp_path / "bundle"))
    assert said.code == 2
    assert told in said.err
    assert "^" not in said.err


def test_an_author_without_a_key_is_bad_input(unconfigured, draft, barrier, tmp_path):
    path = draft({"url": barrier, "quote": QUOTE})
    said = unconfigured("bundle", "build", path, "-o", str(tmp_path / "b"), "--sign", str(tmp_path / "none.pem"))
    assert (said.code, said.stdout) == (2, b"")
    assert "there is no signing key" in said.err


def test_a_claim_that_holds_several_is_remarked_on(citevault, draft, barrier, tmp_path):
    """R072: a remark, since only its author knows whether it can be split."""
    text = "The barrier has 15 gates, is of steel, and was closed."
    path = draft({"url": barrier, "quote": QUOTE}, claims=[{"id": "c-001", "text": text, "importance": "ordinary"}])
    said = citevault("bundle", "build", path, "-o", str(tmp_path / "bundle"), "--json")
    assert said.code == 0
    assert "c-001 may hold 3 claims" in said.err
    assert "c-001 says 15, which none of its quotes with full support has (claim.figure-not-quoted)" in said.err
    codes = [each["code"] for each in said.json["remarks"]]
    assert codes == ["claim.compound", "claim.figure-not-quoted"]
    report = tmp_path / "report.json"
    validate(["bundle", str(tmp_path / "bundle"), "--format", "json", "--output", str(report)])
    told = {one["code"] for one in json.loads(report.read_bytes())["findings"]}
    assert told.issuperset(codes), "the checker says the same"


def test_the_first_draft_of_the_demo_shows_what_counts_as_one_source(citevault, filled, tmp_path):
    """What README, Your first draft, promises."""
    path = tmp_path / "first-draft.json"
    path.write_text(first_draft(filled.web.origins), encoding="utf-8")
    said = citevault("bundle", "build", str(path), "-o", str(tmp_path / "first"), "--json")
    assert said.json["verdicts"] == {"single-source": 1, "supported": 1}
    assert [(each["claim_id"], each["verdict"]) for each in said.json["will_not_pass"]] == [("c-02", "single-source")]
    path.write_text(path.read_text("utf-8").replace('"critical"', '"ordinary"'), encoding="utf-8")
    again = citevault("bundle", "build", str(path), "-o", str(tmp_path / "first"))
    assert "will not pass" not in again.err


def test_claims_that_the_checker_will_refuse_are_named_with_the_reason(citevault, draft, barrier, filled, tmp_path):
    """What is told at the build is what the gate then says, no claim more and none less."""
    courier, portal = (
        filled.web.url("courier", "/news/tidal-barrier"),
        filled.web.url("portal", "/stories/tidal-barrier"),
    )
    copied = "The barrier has 14 steel gates, each 24 metres wide"
    raised = "Raising all gates takes 40 minutes with both compressor houses at work"
    texts = {
        "c-001": ("The barrier has fourteen gates.", "critical"),
        "c-002": ("All gates rise within forty minutes.", "critical"),
        "c-003": ("The gates never fail.", "ordinary"),
        "c-004": ("The gates rise in an hour.", "ordinary"),
        "c-005": ("Each gate is 24 metres wide.", "critical"),
        "c-006": ("The gates are of steel and rise.", "ordinary"),
    }
    claims = [{"id": name, "text": text, "importance": weight} for name, (text, weight) in texts.items()]
    path = draft(
        {"claim_id": "c-001", "url": barrier, "quote": QUOTE},
        {"claim_id": "c-001", "url": courier, "quote": copied},
        {"claim_id": "c-002", "url": barrier, "quote": raised, "support": "contradicts"},
        {"claim_id": "c-004", "url": barrier, "quote": raised, "support": "contradicts"},
        {"claim_id": "c-005", "url": courier, "quote": copied},
        {"claim_id": "c-005", "url": portal, "quote": copied},
        {"claim_id": "c-006", "url": barrier, "quote": QUOTE, "support": "partial"},
        claims=claims,
    )
    out = tmp_path / "bundle"
    said = citevault("bundle", "build", path, "-o", str(out))
    assert said.code == 0
    assert "4 of 6 claims will not pass:" in said.err
    assert "c-005 is single-source: ev-005, ev-006 count as one (cluster:cl-" in said.err
    assert "c-002 is conflicted: ev-003 contradicts it" in said.err
    assert "c-003 is uncited: nothing is cited for it" in said.err
    assert "c-006 is partial: ev-007 says a part of it" in said.err
    report = tmp_path / "report.json"
    assert validate(["bundle", str(out), "--format", "json", "--output", str(report)]) == 1
    findings = json.loads(report.read_text())["findings"]
    refused = {finding["ids"][0] for finding in findings if finding["severity"] == "error"}
    told = citevault("bundle", "build", path, "-o", str(out), "--json").json["will_not_pass"]
    assert {each["claim_id"] for each in told} == refused
