"""What edges say together, and what stands behind it: contradictions, tiers, copies, hosts, quote-only snapshots."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.records.claim import ClaimType
from schemas.records.source import Tier
from validator import copies
from validator.bundle import check_bundle
from validator.cli import main
from validator.copies import overlap_ppm, runs_of, sentences_of
from validator.cuts import cuts_token, is_scant
from validator.found import Found
from validator.limits import LIMITS
from validator.related_hosts import _hosts, _related
from validator.selftest.files import Files
from validator.selftest.forgery import Forgery
from validator.selftest.signing import PUBLISHER
from validator.settings import Settings
from validator.tier_fit import FITTING

Validate = Callable[..., Any]
Make = Callable[..., Path]


def findings(outcome: Any, code: str) -> list[dict[str, Any]]:
    return [finding for finding in outcome.report["findings"] if finding["code"] == code]


def test_a_contradiction_that_is_set_aside_is_told_with_its_reason(
    make_bundle: Make, validate: Validate, key_files: dict[str, str]
) -> None:
    """R075, X14: it stands in the report and beside its claim's verdict, though the claim is supported."""
    outcome = validate("bundle", str(make_bundle()), "--trust", key_files["both"])
    (note,) = findings(outcome, "claim.contradiction-set-aside")
    assert note["ids"] == ["c-03", "ev-008"]
    assert "The reprint mistranslates the report." in note["actual"]
    verdict = outcome.report["verdicts"][2]
    assert (verdict["verdict"], verdict["contradicted_by"], verdict["set_aside"]) == (
        "supported",
        ["ev-008"],
        ["ev-008"],
    )


def test_changed_evidence_is_not_mended_by_another_status() -> None:
    """X16: one byte of a text was changed, so the claims that rest on it are to keep their status."""
    forgery = Forgery().made()
    path = forgery.text_file("guide")
    forgery.files[path] = forgery.files[path].replace(b"40", b"41")
    found = Found()
    check_bundle(Files(forgery.files), Settings(trusted=PUBLISHER.trusted), found)
    advice = {f.next_step for f in found.findings if f.code in ("claim.status-differs", "claim.not-supported")}
    assert advice
    assert all("Leave the status: its evidence was changed" in step for step in advice)
    assert any("ev-004" in step for step in advice)


def test_a_contradiction_counts_though_its_span_or_judgement_broke(
    make_bundle: Make, validate: Validate, key_files: dict[str, str]
) -> None:
    """R075: nobody makes it vanish by making it stale."""

    def edit(world: Any) -> None:
        world.document["arbitrations"] = []
        world.edge("ev-008")["quote_start"] += 1
        next(j for j in world.document["judgements"] if j["id"] == "j-008")["inputs_sha256"] = "0" * 64

    outcome = validate("bundle", str(make_bundle({"document": edit})), "--trust", key_files["both"])
    assert outcome.report["verdicts"][2]["verdict"] == "conflicted"
    assert findings(outcome, "claim.status-differs")


def test_coverage_is_reported_apart_and_hides_no_critical_claim(
    make_bundle: Make, validate: Validate, key_files: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    """R096: two of three claims are cited, the central one is not."""

    def edit(world: Any) -> None:
        for identifier in ("ev-001", "ev-002", "ev-003"):
            world.edge(identifier)["quote_start"] += 1

    arguments = ("bundle", str(make_bundle({"document": edit})), "--trust", key_files["both"])
    outcome = validate(*arguments)
    report = outcome.report
    assert (report["coverage_ppm"], report["coverage_critical_ppm"]) == (666_666, 0)
    assert (report["verdicts"][0]["verdict"], outcome.exit_code) == ("unsupported", 1)
    main(arguments)
    text = capfd.readouterr().out
    assert "claims with at least one citation that holds: 66.7 %, of critical ones 0.0 % (not: that pass)\n" in text
    assert "\nclaims whose verdict passes and that no error names: 2 of 3, of critical ones 0 of 1\n" in text


def test_a_quote_only_snapshot_keeps_what_is_needed_to_look_it_up_again(
    make_bundle: Make, validate: Validate, key_files: dict[str, str]
) -> None:
    """R080, R086, R087, X24: quote, digest of what was judged, time of capture, address, span and context."""

    def quote_only(world: Any) -> None:
        world.snapshots["e"] |= {"retention": "quote_only", "text_path": None}

    root = make_bundle({"snapshots": quote_only})
    outcome = validate("bundle", str(root), "--trust", key_files["both"])
    assert (outcome.codes, outcome.exit_code) == (["bundle.not-replayable"], 3)
    assert outcome.report["replayable_ppm"] == 888_888
    document = json.loads((root / "bundle.json").read_text("utf-8"))
    edge = next(e for e in document["evidence"] if e["id"] == "ev-006")
    judgement = next(j for j in document["judgements"] if j["id"] == edge["judgement_id"])
    snapshot = next(s for s in document["snapshots"] if s["id"] == edge["snapshot_id"])
    assert all(edge[name] for name in ("quote", "prefix", "suffix", "quote_end"))
    assert all((judgement["inputs_sha256"], snapshot["retrieved_at"], snapshot["final_url"], snapshot["text_sha256"]))


def test_a_quote_only_snapshot_alone_supports_no_critical_claim(
    make_bundle: Make, validate: Validate, key_files: dict[str, str]
) -> None:
    """X24."""

    def quote_only(world: Any) -> None:
        for name in ("a", "b"):
            world.snapshots[name] |= {"retention": "quote_only", "text_path": None}

    outcome = validate("bundle", str(make_bundle({"snapshots": quote_only})), "--trust", key_files["both"])
    assert outcome.report["verdicts"][0]["verdict"] == "single-source"
    assert len(findings(outcome, "claim.edge-not-counted")) == 2


def test_a_copy_elsewhere_is_no_substitute_for_the_text(
    make_bundle: Make, validate: Validate, key_files: dict[str, str]
) -> None:
    """R085: an archive's address beside a text that is gone helps nothing."""

    def edit(world: Any) -> None:
        world.snapshots["b"]["archive_url"] = "https://archive.example/2026/https://news.example.org/story"

    root = make_bundle({"snapshots": edit})
    next(p for p in (root / "texts").iterdir() if b"Local news" in p.read_bytes()).unlink()
    outcome = validate("bundle", str(root), "--trust", key_files["both"])
    assert (outcome.codes, outcome.exit_code) == (["file.missing"], 1)


@pytest.mark.parametrize(
    ("kind", "fits", "does_not"),
    [
        (ClaimType.SPECIFICATION, {Tier.OFFICIAL}, {Tier.SECONDARY, Tier.AGGREGATOR}),
        (ClaimType.PRICE, {Tier.OFFICIAL}, {Tier.PRIMARY, Tier.SECONDARY}),
        (ClaimType.RESULT, {Tier.PRIMARY}, {Tier.OFFICIAL, Tier.SECONDARY}),
        (ClaimType.STATEMENT, {Tier.PRIMARY, Tier.OFFICIAL}, {Tier.AGGREGATOR}),
        (ClaimType.BACKGROUND, {Tier.SECONDARY}, {Tier.AGGREGATOR}),
        (ClaimType.COMPARISON, {Tier.SECONDARY, Tier.PRIMARY}, {Tier.OFFICIAL, Tier.AGGREGATOR}),
    ],
)
def test_a_tier_is_read_together_with_the_kind_of_claim(kind: ClaimType, fits: set[Tier], does_not: set[Tier]) -> None:
    """R063, R064, R065, R066, R067, R068, R069: S1's table of tiers."""
    assert fits <= FITTING[kind]
    assert does_not.isdisjoint(FITTING[kind])


def test_a_vendors_word_proves_no_comparison_of_a_critical_claim(
    make_bundle: Make, validate: Validate, key_files: dict[str, str]
) -> None:
    """R069: two official sources, and still an error."""

    def pages(world: Any) -> None:
        for name in ("b", "d"):
            world.page(name).tier = "official"

    def document(world: Any) -> None:
        world.document["claims"][0]["claim_type"] = "comparison"

    root = make_bundle({"pages": pages, "document": document})
    outcome = validate("bundle", str(root), "--trust", key_files["both"])
    assert (outcome.codes, outcome.exit_code) == (["claim.comparison-by-vendor"], 1)
    assert outcome.report["verdicts"][0]["verdict"] == "supported", "the kind of source is missing, not support"


def test_a_host_that_nobody_has_looked_at_is_not_known_to_be_unfit(
    make_bundle: Make, validate: Validate, key_files: dict[str, str]
) -> None:
    """R063: a tier by default is a note, also in strict; one that a rule gave is an error there."""

    def by_default(world: Any) -> None:
        for leaf in world.leaves.values():
            leaf["tier"]["reason"] = "default"

    def document(world: Any) -> None:
        for source in world.document["sources"]:
            source["tier"]["reason"] = "default"
        world.document["claims"][1]["claim_type"] = "result"
        world.document["evidence"] = [e for e in world.document["evidence"] if e["id"] != "ev-005"]
        world.document["judgements"] = [j for j in world.document["judgements"] if j["id"] != "j-005"]

    root = make_bundle({"leaves": by_default, "document": document})
    outcome = validate("bundle", str(root), "--trust", key_files["both"], "--profile", "strict")
    assert (outcome.codes, outcome.exit_code) == (["claim.tier-unfit"], 0)
    assert {finding["severity"] for finding in findings(outcome, "claim.tier-unfit")} == {"note"}


def test_more_pairs_of_alike_texts_than_are_compared_are_told(
    make_bundle: Make, validate: Validate, key_files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "LIMITS", dataclasses.replace(LIMITS, copies=0))
    outcome = validate("bundle", str(make_bundle()), "--trust", key_files["both"])
    assert (outcome.codes, outcome.exit_code) == (["independence.copies-unchecked"], 3)


def test_a_cluster_verdict_that_the_log_did_not_have_is_told(
    make_bundle: Make, validate: Validate, key_files: dict[str, str]
) -> None:
    """X31: of an author who makes clusters of one up, so that what is unknown counts as independent."""

    def logged(world: Any) -> None:
        for name, leaf in world.leaves.items():
            leaf["cluster_id"] = f"cl-{name * 16}"

    outcome = validate("bundle", str(make_bundle()), "--trust", key_files["both"])
    (note,) = findings(outcome, "independence.verdict-unlogged")
    assert (note["severity"], len(note["ids"])) == ("note", 3)
    outcome = validate("bundle", str(make_bundle({"leaves": logged})), "--trust", key_files["both"])
    assert findings(outcome, "independence.verdict-unlogged") == []


def test_what_cannot_be_seen_makes_no_other_claim(
    make_bundle: Make, validate: Validate, key_files: dict[str, str]
) -> None:
    """A zero-width space in the twin of a claim, so that its contradiction stays with the twin."""

    def twin(world: Any) -> None:
        world.document["claims"][2]["text"] = "It was\u200b measured"
        for identifier in ("ev-007", "ev-008", "ev-009"):
            world.judge(world.edge(identifier))

    outcome = validate("bundle", str(make_bundle({"document": twin})), "--trust", key_files["both"])
    assert outcome.codes == ["claim.text-twice"]


def test_a_person_may_keep_copies_apart_and_it_is_told(
    make_bundle: Make, validate: Validate, key_files: dict[str, str]
) -> None:
    """X34: manual goes before cluster, and every override is told."""

    def edit(world: Any) -> None:
        record = next(g for g in world.document["independence"] if g["reason"] == "cluster")
        own, other = (world.page(name).source_id for name in ("b", "c"))
        manual = {
            "reason": "manual",
            "by": "an editor",
            "at": "2026-08-30T00:00:00Z",
            "why": "Two reporters, one agency.",
        }
        world.document["independence"].remove(record)
        world.document["independence"] += [
            record | manual | {"group": "manual:news", "source_ids": [own]},
            record | {"group": "site:copy.example.net", "source_ids": [other], "reason": "own"},
        ]
        for edge in world.document["evidence"]:
            edge["independence_group"] = {own: "manual:news", other: "site:copy.example.net"}.get(
                edge["source_id"], edge["independence_group"]
            )

    outcome = validate("bundle", str(make_bundle({"document": edit})), "--trust", key_files["both"])
    assert (outcome.codes, outcome.exit_code) == (["independence.manual-split"], 0)
    (note,) = findings(outcome, "independence.manual-split")
    assert "Two reporters, one agency." in note["actual"]


@pytest.mark.parametrize(
    ("one", "other", "related"),
    [
        ("https://example.org/a", "https://example.org:8443/b", True),
        ("https://example.org/a", "https://example.org./b", True),
        ("https://www.example.org/a", "https://m.example.org/b", True),
        ("https://example.org/a", "https://archive.example.net/2026/https://example.org/a", True),
        ("https://example.org/a", "https://proxy.example.net/http:/example.org/a", True),
        ("https://example.org/a", "https://badexample.org/b", False),
        ("https://a.example.org/", "https://b.example.org/", False),
        ("http://10.0.0.1/", "http://10.0.0.1:81/", True),
        ("http://10.0.0.1/", "http://0.0.1/", False),
        ("http://[2001:db8::1]/", "http://[2001:db8::1]:81/", True),
        ("https://com/", "https://example.com/", False),
        ("http://127.0.0.1:8001/", "http://127.0.0.1:8002/", False),
    ],
)
def test_hosts_that_are_parts_or_mirrors_of_each_other(one: str, other: str, related: bool) -> None:
    assert any(_related(a, b) for a in _hosts(one) for b in _hosts(other)) is related


@pytest.mark.parametrize(
    ("text", "quote", "cut"),
    [
        ("costs 15 million", "5 million", True),
        ("costs 15 million", "15 million", False),
        ("at -5 degrees", "5 degrees", True),
        ("from 3-5 degrees", "5 degrees", True),
        ("from 3-5 degrees", "3-5 degrees", False),
        ("costs $5 now", "5 now", True),
        ("costs 5€ now", "costs 5", True),
        ("a loss of 5% now", "loss of 5", True),
        ("about 1.5 times", "5 times", True),
        ("about 1.5 times", "about 1", True),
        ("ends at 5. Then", "ends at 5", False),
        ("p <5 here", "5 here", True),
        ("p<0.05 here", "0.05 here", True),
        ("the report says", "port says", True),
        ("the report says", "the rep", True),
        ("x² grows", "x", True),
        ("cafe\u0301s", "cafe", True),
        ("東京は日本の首都", "日本", False),
        ("서울은 수도이다", "서울", False),
    ],
)
def test_a_quote_that_cuts_a_word_or_figure_says_something_else(text: str, quote: str, cut: bool) -> None:
    """C19, C23: exact to the code point is not enough."""
    start = text.index(quote)
    assert cuts_token(text, start, start + len(quote)) is cut


SAYINGS = {"the end": True, "It is so.": True, "14 gates": True, "14 gates now": False, "日本の首都": False}


@pytest.mark.parametrize(("quote", "scant"), SAYINGS.items())
def test_a_quote_has_something_to_recognise(quote: str, scant: bool) -> None:
    assert is_scant(quote, 8) is scant


def test_overlap_is_of_runs_of_words_and_of_characters_where_there_are_no_blanks() -> None:
    """C43: word runs; character runs only for scripts without blanks."""
    one = "Alpha beta gamma delta epsilon zeta."
    assert overlap_ppm(runs_of(one), runs_of(one.upper())) == 1_000_000
    assert overlap_ppm(runs_of(one), runs_of("Alpha beta gamma delta, epsilon eta.")) == 333_333
    assert overlap_ppm(runs_of("東京は日本の首都である"), runs_of("東京は日本の首都だった")) > 0
    assert runs_of("") == runs_of("  ")
    assert set(sentences_of("One sentence here. And one")) == set(sentences_of("and nothing\nOne sentence here!"))


def test_a_template_with_other_content_stays_apart(
    make_bundle: Make, validate: Validate, key_files: dict[str, str]
) -> None:
    """C43: a frame of sentences in common is not a copy."""

    def edit(world: Any) -> None:
        frame = ["All prices include tax and duties.", "Contact us by mail or phone on weekdays."]
        for name in ("b", "d"):
            page = world.page(name)
            page.sentences = [page.sentences[0], page.sentences[1], *frame, f"Only on {name}:" + f" {name} item" * 12]

    def drop(world: Any) -> None:
        world.document["evidence"] = [e for e in world.document["evidence"] if e["id"] != "ev-005"]
        world.document["judgements"] = [j for j in world.document["judgements"] if j["id"] != "j-005"]

    outcome = validate("bundle", str(make_bundle({"pages": edit, "document": drop})), "--trust", key_files["both"])
    assert (outcome.codes, outcome.exit_code) == ([], 0)
    assert outcome.report["checked"]["pairs of texts"] >= 1
