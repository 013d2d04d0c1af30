"""What the caller asks for: exits, trust, profile, time, output; and input that cannot be read at all."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.reading import read_document
from schemas.records.finding import Report
from validator.cli import main
from validator.version import VERSION

ALWAYS = {"claim.contradiction-set-aside", "independence.verdict-unlogged"}
"""Notes on the good bundle itself."""
NOTES = {"checkpoint.not-given", "time.not-given", "scope.not-deep", *ALWAYS}


@pytest.fixture
def good(make_bundle: Callable[..., Path]) -> Path:
    return make_bundle()


def codes(report: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in report["findings"]}


def test_what_was_not_asked_for_is_a_note_and_leaves_the_exit_at_0(
    good: Path, validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    outcome = validate("bundle", str(good), "--trust", key_files["both"])
    assert (codes(outcome.report), outcome.exit_code) == (NOTES, 0)


def test_asking_for_everything_leaves_no_note(
    good: Path, validate: Callable[..., Any], key_files: dict[str, str], tmp_path: Path
) -> None:
    data = (good / "manifest/0000000001.json").read_bytes()
    head = json.loads(data)
    state = {name: head[name] for name in ("sequence", "tree_size", "root_sha256")}
    state |= {"schema": "citevault/checkpoint@1", "head_sha256": __import__("hashlib").sha256(data).hexdigest()}
    (tmp_path / "c.json").write_text(json.dumps(state))
    outcome = validate(
        *("bundle", str(good), "--deep", "--profile", "strict", "--trust", key_files["both"]),
        *("--checkpoint", str(tmp_path / "c.json"), "--time", "2026-12-01T00:00:00Z"),
    )
    assert (codes(outcome.report), outcome.exit_code) == (ALWAYS, 0)
    assert outcome.report["coverage_ppm"] == 1_000_000


def test_keys_inside_the_input_are_never_trusted(good: Path, validate: Callable[..., Any]) -> None:
    assert "signature.untrusted-key" in codes(validate("bundle", str(good)).report)


def test_trusted_keys_come_from_the_environment_too(
    good: Path, validate: Callable[..., Any], key_files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEVAULT_TRUSTED_KEYS", f"{key_files['publisher']}:{key_files['author']}")
    assert codes(validate("bundle", str(good)).report) == NOTES


def test_the_same_input_gives_the_same_bytes_wherever_it_lies(
    make_bundle: Callable[..., Path], capfd: pytest.CaptureFixture[str]
) -> None:
    """R088: the checks are deterministic, and no judge of meaning is among them."""
    written = []
    for name in ("here", "elsewhere"):
        root = make_bundle(name=name)
        for style in ("text", "json"):
            main(["bundle", str(root), "--deep", "--format", style])
        written.append(capfd.readouterr().out)
    assert written[0] == written[1]


def test_a_report_is_a_document_of_the_format(good: Path, tmp_path: Path) -> None:
    main(["bundle", str(good), "--format", "json", "--output", str(tmp_path / "report.json")])
    assert isinstance(read_document((tmp_path / "report.json").read_bytes(), Report), Report)


def test_a_person_reads_what_to_do_next_and_what_is_not_proved(good: Path, capfd: pytest.CaptureFixture[str]) -> None:
    next((good / "texts").iterdir()).unlink()
    assert main(["bundle", str(good)]) == 1
    text = capfd.readouterr().out
    assert "error file.missing" in text
    assert "next:" in text
    assert "not that the server sent it" in text


REFUSED = {
    "no folder": lambda root: __import__("shutil").rmtree(root),
    "no document": lambda root: (root / "bundle.json").unlink(),
    "empty": lambda root: (root / "bundle.json").write_bytes(b""),
    "no JSON": lambda root: (root / "bundle.json").write_bytes(b"{"),
    "other kind": lambda root: (root / "bundle.json").write_bytes(b'{"schema": "citevault/manifest@1"}'),
    "newer": lambda root: (root / "bundle.json").write_bytes(b'{"schema": "citevault/bundle@2"}'),
    "deep": lambda root: (root / "bundle.json").write_bytes(b"[" * 100_000),
    "twice": lambda root: (root / "bundle.json").write_bytes(b'{"id": 1, "id": 2}'),
    "a folder": lambda root: ((root / "bundle.json").unlink(), (root / "bundle.json").mkdir()),
}


@pytest.mark.parametrize("spoil", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_bundle_exits_2_with_one_message(
    spoil: Callable[[Path], object], good: Path, validate: Callable[..., Any]
) -> None:
    spoil(good)
    outcome = validate("bundle", str(good))
    assert (outcome.exit_code, outcome.report) == (2, {})
    assert outcome.error.startswith("citevault-validate: ")
    assert outcome.error.count("\n") == 1


def test_a_typo_in_importance_is_no_ordinary_claim(
    make_bundle: Callable[..., Path], validate: Callable[..., Any]
) -> None:
    """X17."""
    root = make_bundle({"document": lambda w: w.document["claims"][0].update(importance="Critical")})
    outcome = validate("bundle", str(root))
    assert outcome.exit_code == 2
    assert "/claims/0/importance" in outcome.error


@pytest.mark.parametrize(
    "options",
    [
        ["--time", "yesterday"],
        ["--time", "2026-02-31T12:00:00Z"],
        ["--trust-author", "absent.pem"],
        ["--trust-author", "bundle.json"],
        ["--time", "2026-01-01T00:00:00+08:00"],
        ["--trust", "absent.pem"],
        ["--trust", "bundle.json"],
        ["--checkpoint", "bundle.json"],
        ["--profile", "lenient"],
        ["--format", "yaml"],
        ["--output", "/nowhere/report"],
        ["--unknown"],
    ],
    ids=" ".join,
)
def test_options_that_cannot_be_used_exit_2(options: list[str], good: Path, validate: Callable[..., Any]) -> None:
    known = [str(good / o) if o == "bundle.json" else o for o in options]
    arguments = ["bundle", str(good), *known]
    assert validate(*arguments).exit_code == 2


@pytest.mark.parametrize("argument", ["nowhere", "bundle.json", ".", "s3:///x", "s3://b\x00d/"])
def test_what_is_no_log_exits_2(argument: str, good: Path, validate: Callable[..., Any]) -> None:
    where = argument if argument.startswith("s3") else str(good / argument)
    assert validate("manifest", where).exit_code == 2


def test_a_bundle_that_is_not_there_is_named(good: Path, validate: Callable[..., Any]) -> None:
    missing = validate("bundle", str(good / "nowhere"))
    assert missing.exit_code == 2
    assert f"{good / 'nowhere'}: there is no such folder or file" in missing.error


def test_s3_without_its_extra_exits_2_and_names_it(
    validate: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "boto3", None)
    outcome = validate("manifest", "s3://bucket/prefix")
    assert outcome.exit_code == 2
    assert "pip install './[s3]'" in outcome.error


def test_a_changed_claim_makes_its_judgements_stale(
    make_bundle: Callable[..., Path], validate: Callable[..., Any]
) -> None:
    """X33: support was judged of another sentence, so it is no support."""
    root = make_bundle({"document": lambda w: w.document["claims"][1].update(text="It was weighed.")})
    outcome = validate("bundle", str(root))
    assert {"judgement.stale", "claim.not-supported", "claim.status-differs"} <= codes(outcome.report)


def test_seed_matrix_gives_its_verdicts(make_bundle: Callable[..., Path], validate: Callable[..., Any]) -> None:
    """R077, X15: full and partial, ordinary: supported; full and no support, critical: single-source; contradicted."""

    def matrix(world: Any) -> None:
        document = world.document
        support = {"ev-001": "no_support", "ev-002": "full", "ev-003": "no_support", "ev-005": "partial"}
        support |= {"ev-006": "no_support"}
        for edge in document["evidence"]:
            edge["support"] = support.get(edge["id"], edge["support"])
        for judgement in document["judgements"]:
            judgement["support"] = support.get(judgement["evidence_id"], judgement["support"])
        document["arbitrations"] = []

    verdicts = {
        v["claim_id"]: v["verdict"]
        for v in validate("bundle", str(make_bundle({"document": matrix}))).report["verdicts"]
    }
    assert verdicts == {"c-01": "single-source", "c-02": "supported", "c-03": "conflicted"}


@pytest.mark.parametrize("profile", ["paragraph", "claim", "strict"])
def test_a_report_names_the_profile_that_it_was_made_under(
    profile: str, good: Path, validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    """X22."""
    outcome = validate("bundle", str(good), "--profile", profile, "--trust", key_files["both"])
    assert (outcome.report["profile"], outcome.exit_code) == (profile, 0)


def test_reports_name_the_version_of_the_package(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["version"] == VERSION
