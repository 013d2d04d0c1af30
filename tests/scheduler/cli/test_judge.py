"""`judge` and `bundle compare`: a bundle is judged by a model and by people, built again, checked, and compared."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from models_plugin import KEY, ModelServer, Reply, completion, says

from validator.cli import main as validate

pytestmark = pytest.mark.real
GATES = "The barrier consists of 14 gates of structural steel."
CLAIMS = {
    "c-001": "The barrier is made up of 14 gates.",
    "c-002": "The barrier is made up of 15 gates.",
    "c-003": "The barrier is made of steel.",
}


def answer(question: dict[str, Any], before: int) -> Reply:
    """A model that is right about two claims, and has no answer to the third."""
    if question["claim"] == CLAIMS["c-003"]:
        return 200, {}, completion('{"support": 0.57, "rationale": "likely"}')
    return says("contradicts" if "15" in question["claim"] else "partial", "It says 14 gates.")


@pytest.fixture
def draft(tmp_path: Path, filled) -> str:
    claims = [{"id": name, "text": text, "importance": "ordinary"} for name, text in CLAIMS.items()]
    url = filled.web.url("authority", "/barrier")
    edges = [{"claim_id": name, "url": url, "quote": GATES, "support": "full"} for name in CLAIMS]
    path = tmp_path / "draft.json"
    path.write_text(json.dumps({"id": "judged", "claims": claims, "evidence": edges}))
    return str(path)


@pytest.fixture
def checked(citevault, tmp_path: Path) -> Callable[..., tuple[int, dict[str, Any]]]:
    """The validator's exit code and report on a bundle, offline."""
    key = tmp_path / "trusted.pem"
    key.write_bytes(citevault("keys", "show").stdout)

    def check(directory: str, *options: str) -> tuple[int, dict[str, Any]]:
        report = tmp_path / "report.json"
        code = validate(
            ["bundle", directory, "--trust", str(key), "--format", "json", "--output", str(report), *options]
        )
        return code, json.loads(report.read_bytes())

    return check


def codes(report: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in report["findings"]}


def test_a_bundle_is_judged_built_again_checked_and_compared(
    citevault, over, filled, draft, checked, model: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """R088, R097, R098, R099, X33, C37: from the author's word to a model's, a person's, and the reason of a change."""
    first, second, third = (str(tmp_path / name) for name in ("first", "second", "third"))
    assert citevault("bundle", "build", draft, "-o", first).code == 0
    code, report = checked(first)
    assert (code, report["checked"]["edges judged by their author alone"]) == (0, 3)

    warned = citevault("judge", "lexical", first, "--json")
    assert (warned.code, [(row["evidence_id"], row["kind"]) for row in warned.json]) == (0, [("ev-002", "number")])
    waiting = citevault("judge", "queue", first, "--json").json
    assert (waiting[0]["evidence_id"], waiting[0]["reasons"]) == ("ev-002", ["warned", "unjudged"])

    unset = citevault("judge", "run", first)
    assert (unset.code, "CITEVAULT_JUDGE_URL" in unset.err) == (2, True)
    model.answering = answer
    monkeypatch.setenv("CITEVAULT_JUDGE_URL", model.url)
    monkeypatch.setenv("CITEVAULT_JUDGE_MODEL", "judge-7b")
    monkeypatch.setenv("CITEVAULT_JUDGE_API_KEY", KEY)
    ran = citevault("judge", "run", first, "--json")
    assert ran.code == 3, "an edge without an answer is not judged"
    assert [(row["evidence_id"], row["support"], row["new"]) for row in ran.json["judgements"]] == [
        ("ev-001", "partial", True),
        ("ev-002", "contradicts", True),
    ]
    assert [row["evidence_id"] for row in ran.json["unanswered"]] == ["ev-003"]
    assert "0.57" in ran.err
    asked = len(model.asked)
    assert citevault("judge", "run", first, "--only", "ev-001").code == 0
    assert len(model.asked) == asked, "what was judged is not asked again"
    assert citevault("bundle", "build", draft, "-o", second).code == 0
    code, report = checked(second)
    assert code == 1, "a claim that is supported in part is not supported"
    assert {"judgement.sample-not-reached", "claim.conflicted"} <= codes(report)

    waiting = citevault("judge", "queue", second, "--json").json
    assert waiting[0]["evidence_id"] == "ev-002"
    assert waiting[0]["reasons"][:2] == ["contradicts", "disputed"]
    said = citevault("judge", "review", second, "ev-002", "--by", "ada", stdin=b"x\nc\nshort\nIt says 14, not 15.\n")
    assert (said.code, said.out) == (0, "ev-002 contradicts\n")
    assert "partial" not in said.err.replace("[p]artial", ""), "review is blind"
    row = next(row for row in waiting if row["evidence_id"] == "ev-001")
    line = {
        "evidence_id": "ev-001",
        "support": "full",
        "why": "It says 14 gates.",
        "inputs_sha256": row["inputs_sha256"],
    }
    stale = {**line, "inputs_sha256": "0" * 64}
    refused = citevault("judge", "record", second, "--from", "-", stdin=json.dumps(stale).encode())
    assert (refused.code, "list it again" in refused.err) == (2, True)
    assert citevault("judge", "record", second, "--from", "-", "--by", "ada", stdin=json.dumps(line).encode()).code == 0
    left = citevault("judge", "review", second, "ev-003", stdin=b"q\n")
    assert (left.code, "1 left" in left.err) == (1, True)

    shown = citevault("judge", "show", second, "ev-001", "--json").json
    assert [(j["checker_version"].partition("+")[0], j["support"]) for j in shown["judgements"]] == [
        ("chat@1", "partial"),
        ("human@1", "full"),
    ]
    (audit,) = citevault("judge", "agreement", second, "--sample", "100%", "--json").json
    assert (audit["judged"], audit["sample_reviewed"], audit["reviewed"]["agreed"], audit["reviewed"]["kappa_ppm"]) == (
        2, 2, 1, 333_333,
    )  # fmt: skip

    assert citevault("bundle", "build", draft, "-o", third, "--judged-by", "human@1").code == 2
    assert citevault("bundle", "build", draft, "-o", third, "--judged-by", audit["checker_version"]).code == 0
    code, report = checked(third, "--human-sample", "100%")
    assert code == 0, "a contradiction of an ordinary claim is told"
    assert {"judgement.disputed", "judgement.agreement", "claim.conflicted"} <= codes(report)
    assert not {"judgement.sample-not-reached", "judgement.checker-unpinned", "judgement.stale"} & codes(report)
    assert report["checked"]["edges judged by a person"] == 2

    compared = citevault("bundle", "compare", first, third, "--json")
    assert compared.code == 1
    assert [(c["claim_id"], c["before"], c["after"], c["cause"]) for c in compared.json["claims"]] == [
        ("c-001", "supported", "supported", "none"),
        ("c-002", "supported", "conflicted", "checker"),
        ("c-003", "supported", "supported", "none"),
    ]
    assert citevault("bundle", "compare", third, third).code == 0

    _two_people(citevault, draft, checked, second, str(tmp_path / "fourth"))

    without_redis = over(_elsewhere(filled.settings))
    assert without_redis("judge", "show", second, "ev-001", "--json").json == shown, "nothing of it stands in Redis"
    assert KEY not in ran.out + ran.err + json.dumps(shown)
    assert KEY not in (tmp_path / "third" / "bundle.json").read_text(encoding="utf-8")


def _two_people(citevault, draft: str, checked, bundle: str, built: str) -> None:
    """R097, X14: what they disagree on counts for nothing, until a third one says which of them is right, and why."""
    record = ("judge", "record", bundle, "ev-002", "--why", "It says that they are many.", "--by", "bob")
    assert citevault(*record, "--support", "full").code == 0
    waiting = citevault("judge", "queue", bundle, "--json").json
    assert (waiting[0]["evidence_id"], waiting[0]["reasons"]) == ("ev-002", ["unresolved"])
    compared = citevault("judge", "agreement", bundle, "--people", "--json")
    (pair,) = compared.json
    assert (compared.code, pair["one"], pair["other"], pair["pairs"], pair["agreed"]) == (1, "ada", "bob", 1, 0)
    assert [(each["evidence_ids"], each["state"]) for each in pair["disagreements"]] == [(["ev-002"], "unresolved")]
    made = citevault("bundle", "build", draft, "-o", built)
    assert (made.code, "ev-002 is unresolved" in made.err) == (0, True)
    code, report = checked(built)
    assert (code, {"judgement.unresolved", "claim.conflicted"} <= codes(report)) == (1, True)

    decide = ("judge", "arbitrate", bundle, "ev-002", "--support", "contradicts", "--why", "14 and 15 cannot both be.")
    assert citevault(*decide, "--by", "Ada").code == 2, "neither of the two"
    assert citevault(*decide, "--by", "cyd").code == 0
    assert citevault(*decide, "--by", "cyd").code == 1, "there is nothing left to decide"
    told = citevault("judge", "agreement", bundle, "--people")
    assert (told.code, "contradicts by cyd: 14 and 15 cannot both be." in told.err) == (0, True)
    assert citevault("bundle", "build", draft, "-o", built).code == 0
    _, report = checked(built)
    assert "judgement.unresolved" not in codes(report)
    assert report["checked"]["edges decided by an arbiter"] == 1


def _elsewhere(settings):
    """The same bucket beside a Redis that is not there."""
    from dataclasses import replace

    return replace(settings, redis_url="redis://127.0.0.1:1/0")


SAID = b'{"evidence_id": "ev-001", "support": "full", "why": "It says 14 gates."}'
WRONGLY = (
    (("ev-001", "--support", "full"), b"", "--why"),
    (("ev-001", "--support", "full", "--why", "short"), b"", "10 characters"),
    (("ev-009", "--support", "full", "--why", "It says 14 gates."), b"", "ev-001"),
    (("--from", "-"), b'{"evidence_id": "ev-001", "support": 0.57, "why": "It says 14 gates."}', "line 1"),
    (("--from", "-"), b'{"evidence_id": "ev-001", "support": NaN, "why": "It says 14 gates."}', "line 1"),
    (("--from", "-"), b"\n", "no line"),
    (("--from", "-"), SAID + b"\n" + SAID.replace(b"full", b"partial"), "line 1 too"),
    (("--from", "-"), SAID.replace(b"It says 14 gates.", b"\\u200b" * 12), "line 1"),
    (("ev-001", "--support", "full", "--why", "It says 14 gates.", "--by", "\u2060"), b"", "--by"),
    (("ev-001", "--support", "full", "--why", "It says 14 gates.", "--by", "ada\u202e"), b"", "control character"),
    (("--from", "-"), SAID.replace(b"gates.", b"\\u0000gates."), "control character"),
)


def test_what_is_no_judgement_is_not_kept_and_says_why(citevault, over, empty, draft, tmp_path) -> None:
    """C37, R097."""
    bundle = str(tmp_path / "bundle")
    assert citevault("bundle", "build", draft, "-o", bundle).code == 0
    before = citevault("judge", "show", bundle, "ev-001", "--json").json["judgements"]
    for arguments, stdin, told in WRONGLY:
        said = citevault("judge", "record", bundle, *arguments, stdin=stdin)
        assert (said.code, said.stdout, told in said.err) == (2, b"", True), (arguments, said.err)
    assert citevault("judge", "show", bundle, "ev-001", "--json").json["judgements"] == before
    _who_is_missing_is_said(over(empty), bundle)
    _a_bundle_that_a_stranger_made_is_no_trap(citevault, tmp_path / "bundle")


def _who_is_missing_is_said(citevault, bundle: str) -> None:
    """R098: an evaluator is compared with people, so there must be one; people alone are compared by an option."""
    nobody = citevault("judge", "agreement", bundle)
    assert (nobody.code, "judge run" in nobody.err, "judge review" in nobody.err) == (0, True, True)
    told = ("--support", "full", "--why", "It says 14 gates.", "--by", "ada")
    assert citevault("judge", "record", bundle, "ev-001", *told).code == 0
    people = citevault("judge", "agreement", bundle)
    assert (people.code, "people alone have judged (1)" in people.err) == (0, True)
    assert ("judge run" in people.err, "judge agreement --people" in people.err) == (True, True)
    machine = citevault("judge", "agreement", bundle, "--json")
    assert (machine.json, "judge run" in machine.err) == ([], True)


def _a_bundle_that_a_stranger_made_is_no_trap(citevault, bundle: Path) -> None:
    """X29: what is no regular file is not opened, and costs its own edges; an edge of nothing is told."""
    (text,) = (bundle / "texts").iterdir()
    text.unlink()
    os.mkfifo(text)
    said = citevault("judge", "lexical", str(bundle))
    assert (said.code, "no regular file" in said.err, "ev-001 cannot be judged" in said.err) == (0, True, True)
    document = json.loads((bundle / "bundle.json").read_bytes())
    document["snapshots"] = []
    (bundle / "bundle.json").write_text(json.dumps(document))
    for command in (("bundle", "drift"), ("export", "annotations")):
        said = citevault(*command, str(bundle))
        assert (said.code, "names what is not in the bundle" in said.err) == (2, True)
    (bundle / "bundle.json").unlink()
    os.mkfifo(bundle / "bundle.json")
    assert citevault("bundle", "compare", str(bundle), str(bundle)).code == 2
