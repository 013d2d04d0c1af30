"""`attestation`: a bundle is taken on a trusted checker's word, and on nothing that merely looks like it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from validator.cli import main

Validate = Callable[..., Any]
Attest = Callable[..., Path]


@pytest.fixture
def checker(tmp_path: Path) -> dict[str, str]:
    """PEM files: `key`, `public`."""
    key = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
    (tmp_path / "checker.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "checker.pem").write_bytes(public)
    return {"key": str(tmp_path / "checker.key"), "public": str(tmp_path / "checker.pem")}


@pytest.fixture
def attest(make_bundle: Callable[..., Path], key_files: dict[str, str], checker: dict[str, str]) -> Callable[..., Path]:
    def run(*options: str, edits: dict[str, Any] | None = None) -> Path:
        root = make_bundle(edits)
        main(
            [
                "bundle",
                str(root),
                "--trust",
                key_files["both"],
                "--format",
                "attestation",
                "--sign",
                checker["key"],
                *options,
            ]
        )
        return root

    return run


def test_a_bundle_that_was_passed_is_taken(attest: Attest, validate: Validate, checker: dict[str, str]) -> None:
    outcome = validate("attestation", str(attest("--deep")), "--trust", checker["public"], "--deep")
    assert (outcome.codes, outcome.exit_code) == ([], 0)
    assert outcome.report["checked"] == {"attested files": 6}


def changed_document(root: Path) -> None:
    document = json.loads((root / "bundle.json").read_text("utf-8"))
    (root / "bundle.json").write_text(json.dumps(document), "utf-8")


def changed_text(root: Path) -> None:
    next((root / "texts").iterdir()).write_text("other", "utf-8")


def taken_out(root: Path) -> None:
    (root / "validation.dsse.json").unlink()


def flipped(root: Path) -> None:
    path = root / "validation.dsse.json"
    envelope = json.loads(path.read_bytes())
    signature = envelope["signatures"][0]
    signature["sig"] = ("B" if signature["sig"][0] == "A" else "A") + signature["sig"][1:]
    path.write_text(json.dumps(envelope))


def someone_elses(root: Path) -> None:
    """The author's own signature in its place."""
    (root / "validation.dsse.json").write_bytes((root / "bundle.dsse.json").read_bytes())


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (changed_document, "signature.subject-differs"),
        (changed_text, "signature.subject-differs"),
        (taken_out, "signature.missing"),
        (flipped, "signature.invalid"),
        (someone_elses, "signature.subject-differs"),
    ],
)
def test_what_was_not_passed_is_not_taken(
    change: Callable[[Path], None],
    code: str,
    attest: Attest,
    validate: Validate,
    checker: dict[str, str],
) -> None:
    root = attest()
    change(root)
    outcome = validate("attestation", str(root), "--trust", checker["public"])
    assert (outcome.codes, outcome.exit_code) == ([code], 1)


def test_another_key_is_nobodys_word(attest: Attest, validate: Validate, key_files: dict[str, str]) -> None:
    outcome = validate("attestation", str(attest()), "--trust", key_files["stranger"])
    assert (outcome.codes, outcome.exit_code) == (["signature.untrusted-key"], 1)


@pytest.mark.parametrize(
    ("attested", "asked", "taken"),
    [
        ([], [], True),
        (["--profile", "strict", "--deep"], [], True),
        (["--profile", "paragraph"], [], False),
        ([], ["--profile", "strict"], False),
        ([], ["--deep"], False),
    ],
)
def test_a_laxer_validation_than_is_asked_for_is_not_enough(
    attested: list[str],
    asked: list[str],
    taken: bool,
    attest: Attest,
    validate: Validate,
    checker: dict[str, str],
) -> None:
    outcome = validate("attestation", str(attest(*attested)), "--trust", checker["public"], *asked)
    assert (outcome.codes, outcome.exit_code) == (([], 0) if taken else (["attestation.not-passed"], 1))


def test_a_failed_validation_is_no_pass(attest: Attest, validate: Validate, checker: dict[str, str]) -> None:
    def drift(world: Any) -> None:
        world.edge("ev-002")["quote_start"] += 1

    outcome = validate("attestation", str(attest(edits={"document": drift})), "--trust", checker["public"])
    assert (outcome.codes, outcome.exit_code) == (["attestation.not-passed"], 1)


def test_what_could_not_be_looked_at_neither_passed_nor_failed(
    attest: Attest, validate: Validate, checker: dict[str, str]
) -> None:
    def quote_only(world: Any) -> None:
        world.snapshots["e"] |= {"retention": "quote_only", "text_path": None}

    asked = ("attestation", str(attest(edits={"snapshots": quote_only})), "--trust", checker["public"])
    outcome = validate(*asked)
    assert (outcome.codes, outcome.exit_code) == (["attestation.inconclusive"], 3)
    assert outcome.report["findings"][0]["actual"] == "bundle.not-replayable"
    outcome = validate(*asked, "--deep")
    assert (outcome.codes, outcome.exit_code) == (["attestation.not-passed"], 1), "it is not deep either"


def test_without_a_key_nothing_can_be_taken(attest: Attest, validate: Validate) -> None:
    assert validate("attestation", str(attest())).exit_code == 2


def test_strictly_passed_means_that_people_judged_a_sample(
    attest: Attest, validate: Validate, checker: dict[str, str]
) -> None:
    """R098: who attests may not lower the share of a model's judgements that people looked at."""
    root = attest("--profile", "strict", "--human-sample", "9.99%")
    outcome = validate("attestation", str(root), "--trust", checker["public"], "--profile", "strict")
    assert (outcome.codes, outcome.exit_code) == (["attestation.not-passed"], 1)
    outcome = validate("attestation", str(root), "--trust", checker["public"])
    assert (outcome.codes, outcome.exit_code) == ([], 0)
