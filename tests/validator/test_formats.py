"""One report in every form: SARIF 2.1.0, JUnit, JSON, a signed statement. The same input gives the same bytes."""

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

from schemas.findings import FindingKind
from validator.cli import main
from validator.formats.places import find_places

FORMATS = ("text", "json", "sarif", "junit")


def drift(world: Any) -> None:
    edge = world.edge("ev-002")
    edge["quote"] = edge["quote"].replace("is fast", "is not fast 🤔")
    world.judge(edge)


def renumber(world: Any) -> None:
    """The same bundle with other ids and one claim before the others, as a rebuild gives it."""
    drift(world)
    for edge in world.document["evidence"]:
        edge["id"] = f"ev-1{edge['id'][3:]}"
    for judgement in world.document["judgements"]:
        judgement["evidence_id"] = f"ev-1{judgement['evidence_id'][3:]}"
    world.document["arbitrations"][0]["evidence_ids"] = ["ev-1008"]
    world.document["claims"].reverse()


@pytest.fixture
def formatted(
    make_bundle: Callable[..., Path], key_files: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    def run(form: str, edits: dict[str, Any] | None = None, *more: str, name: str = "bundle") -> str:
        main(["bundle", str(make_bundle(edits, name=name)), "--trust", key_files["both"], "--format", form, *more])
        return capfd.readouterr().out

    return run


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_bundle_gives_the_same_bytes_wherever_it_lies(form: str, formatted: Callable[..., str]) -> None:
    edits = {"document": drift}
    assert formatted(form, edits, name="one") == formatted(form, edits, name="two")


def test_sarif_is_what_the_standard_asks_for(formatted: Callable[..., str]) -> None:
    """Against the schema of OASIS where CITEVAULT_SARIF_SCHEMA names it, and what else the standard says in words."""
    log = json.loads(formatted("sarif", {"document": drift}))
    named = os.environ.get("CITEVAULT_SARIF_SCHEMA")
    if named:
        jsonschema.Draft7Validator(json.loads(Path(named).read_text("utf-8"))).validate(log)
    (run,) = log["runs"]
    assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [kind.code for kind in FindingKind]
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]
    assert {result["level"] for result in run["results"]} <= {"error", "warning", "note"}
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert set(result["partialFingerprints"]) == {"citationGate/v1"}


def test_a_result_points_at_its_value_in_code_points(
    formatted: Callable[..., str], make_bundle: Callable[..., Path]
) -> None:
    (result,) = (
        r
        for r in json.loads(formatted("sarif", {"document": drift}))["runs"][0]["results"]
        if r["ruleId"] == "bundle.quote-drifted"
    )
    text = (make_bundle({"document": drift}) / "bundle.json").read_text("utf-8")
    region = result["locations"][0]["physicalLocation"]["region"]
    value = text[region["charOffset"] : region["charOffset"] + region["charLength"]]
    assert "is not fast 🤔" in json.loads(value)
    line = text.splitlines()[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == value
    passage = result["relatedLocations"][0]["physicalLocation"]
    assert passage["artifactLocation"]["uri"].startswith("texts/snap-")


def test_fingerprints_stay_when_ids_and_places_move(formatted: Callable[..., str]) -> None:
    def prints(edit: Any, name: str) -> dict[str, str]:
        results = json.loads(formatted("sarif", {"document": edit}, name=name))["runs"][0]["results"]
        return {r["ruleId"]: r["partialFingerprints"]["citationGate/v1"] for r in results}

    assert prints(drift, "one") == prints(renumber, "two")


def test_places_of_all_values_of_a_document() -> None:
    text = '{"a": [1, {"b~/": "x\\"]"}, []],\r\n "c": {}, "": null}'
    places = find_places(text, ["/a/0", "/a/1/b~0~1", "/a/2", "/c", "/", "/a", "", "/none"])
    shown = {where: text[r.offset : r.offset + r.length] for where, r in places.items()}
    assert shown == {
        "/a/0": "1",
        "/a/1/b~0~1": '"x\\"]"',
        "/a/2": "[]",
        "/c": "{}",
        "/": "null",
        "/a": '[1, {"b~/": "x\\"]"}, []]',
        "": text,
    }
    assert (places["/c"].line, places["/c"].column) == (2, 7)


def test_junit_has_a_suite_a_claim_and_fails_what_is_an_error(formatted: Callable[..., str]) -> None:
    root = ET.fromstring(formatted("junit", {"document": drift}))
    suites = {suite.get("name"): suite for suite in root}
    assert set(suites) == {"bundle", "c-01", "c-02", "c-03"}
    (failure,) = root.iter("failure")
    assert failure.get("type") == "bundle.quote-drifted"
    assert (root.get("tests"), root.get("failures")) == (str(len(list(root.iter("testcase")))), "1")
    assert {p.get("name") for p in root.iter("property")} >= {"subject_sha256", "profile", "coverage_ppm"}


def test_junit_skips_what_could_not_be_looked_at(formatted: Callable[..., str]) -> None:
    def quote_only(world: Any) -> None:
        world.snapshots["e"] |= {"retention": "quote_only", "text_path": None}

    root = ET.fromstring(formatted("junit", {"snapshots": quote_only}))
    assert [case.get("name") for case in root.iter("testcase") if case.find("skipped") is not None] == [
        "bundle.not-replayable"
    ]


@pytest.fixture
def checker(tmp_path: Path) -> tuple[str, Ed25519PrivateKey]:
    key = Ed25519PrivateKey.from_private_bytes(b"c" * 32)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "checker.pem").write_bytes(pem)
    return str(tmp_path / "checker.pem"), key


def attested(root: Path) -> tuple[dict[str, Any], bytes]:
    data = (root / "validation.dsse.json").read_bytes()
    statement: dict[str, Any] = json.loads(base64.b64decode(json.loads(data)["payload"]))
    return statement, data


def test_an_attestation_lies_beside_the_bundle_and_a_second_reader_verifies_it(
    make_bundle: Callable[..., Path], key_files: dict[str, str], checker: tuple[str, Ed25519PrivateKey]
) -> None:
    root = make_bundle()
    arguments = ["bundle", str(root), "--deep", "--trust", key_files["both"]]
    assert main([*arguments, "--format", "attestation", "--sign", checker[0]]) == 0
    statement, data = attested(root)
    assert main(arguments) == 0, "the attestation is no unlisted file"
    envelope = Envelope.from_dict(json.loads(data))
    key = SSlibKey.from_crypto(checker[1].public_key(), json.loads(data)["signatures"][0]["keyid"])
    assert envelope.verify([key], 1)
    digests = {s["name"]: s["digest"]["sha256"] for s in statement["subject"]}
    assert digests["bundle.json"] == __import__("hashlib").sha256((root / "bundle.json").read_bytes()).hexdigest()
    assert len(digests) == 6
    predicate = statement["predicate"]
    assert predicate["result"] == "PASSED"
    assert "c-01 supported" in predicate["passedTests"]
    assert {p["name"].partition("+")[0] for p in predicate["configuration"]} >= {"citevault-validate", "conservative@1"}


def test_a_failed_validation_is_attested_as_failed(
    make_bundle: Callable[..., Path], key_files: dict[str, str], checker: tuple[str, Ed25519PrivateKey]
) -> None:
    root = make_bundle({"document": drift})
    arguments = ["bundle", str(root), "--trust", key_files["both"], "--format", "attestation", "--sign", checker[0]]
    assert main(arguments) == 1
    statement, _ = attested(root)
    assert statement["predicate"]["result"] == "FAILED"
    assert statement["predicate"]["failedTests"] == ["bundle.quote-drifted"]
    assert (statement["predicate"]["inconclusive"], statement["predicate"]["inconclusiveTests"]) == (False, [])


def test_the_logs_own_key_attests_nothing(
    make_bundle: Callable[..., Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Who checks is somebody else than who publishes."""
    seed = __import__("hashlib").sha256(b"publisher").digest()
    pem = Ed25519PrivateKey.from_private_bytes(seed).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "publisher.key").write_bytes(pem)
    root = make_bundle()
    assert main(["bundle", str(root), "--format", "attestation", "--sign", str(tmp_path / "publisher.key")]) == 2
    assert "signs the log" in capfd.readouterr().err
    assert not (root / "validation.dsse.json").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--format", "attestation"], "--sign KEY go together"),
        (["--format", "attestation", "--sign", "none.pem"], "No such file"),
        (["--only", "passing"], "go together"),
        (["--max-age", "7d"], "--time"),
        (["--human-sample", "101%"], "from 0% to 100%"),
        (["--max-age", "7", "--time", "2026-12-01T00:00:00Z"], "a number and a unit"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(
    more: list[str], said: str, make_bundle: Callable[..., Path], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["bundle", str(make_bundle()), *more]) == 2
    assert said in capfd.readouterr().err
