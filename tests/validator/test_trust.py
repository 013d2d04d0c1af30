"""Who may sign what: a publisher heads and bundles, an author bundles only (`schemas/README.md, Trust`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def found(outcome: Any) -> dict[str, list[str]]:
    """Paths by code, without notes."""
    out: dict[str, list[str]] = {}
    for finding in outcome.report["findings"]:
        if finding["severity"] != "note":
            out.setdefault(finding["code"], []).append(finding["path"])
    return out


def test_publisher_and_author_each_by_their_option_leave_nothing_to_say(
    make_bundle: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    options = ("--profile", "strict", "--trust", key_files["publisher"], "--trust-author", key_files["author"])
    outcome = validate("bundle", str(make_bundle()), *options)
    assert (found(outcome), outcome.exit_code) == ({}, 0)


def test_a_key_that_is_trusted_as_an_author_trusts_no_head(
    make_bundle: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    outcome = validate("bundle", str(make_bundle()), "--profile", "strict", "--trust-author", key_files["both"])
    head = found(outcome).pop("signature.untrusted-key")
    assert [path.partition("/")[0] for path in head] == ["manifest"]
    assert outcome.exit_code == 1


def test_trust_alone_still_counts_for_both(
    make_bundle: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    outcome = validate("bundle", str(make_bundle()), "--profile", "strict", "--trust", key_files["both"])
    assert (found(outcome), outcome.exit_code) == ({}, 0)


def test_a_stranger_of_the_bundle_is_told_by_the_authors_option(
    make_bundle: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    outcome = validate("bundle", str(make_bundle()), "--trust", key_files["publisher"])
    steps = {f["path"]: f["next_step"] for f in outcome.report["findings"] if f["code"] == "signature.untrusted-key"}
    assert list(steps) == ["bundle.dsse.json"]
    assert "author's key" in steps["bundle.dsse.json"]
    assert "--trust-author" in steps["bundle.dsse.json"]
    assert outcome.exit_code == 0


def test_one_signature_gives_one_finding(
    make_bundle: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    root = make_bundle({"disk": lambda root: [key.unlink() for key in (root / "keys").iterdir()]})
    outcome = validate("bundle", str(root), "--trust", key_files["stranger"])
    told = found(outcome)
    assert sorted(told) == ["signature.key-missing", "signature.untrusted-key"]
    assert told["signature.key-missing"] == ["bundle.dsse.json"]
    assert json.dumps(told["signature.untrusted-key"]).count("manifest/") == 1
    assert outcome.exit_code == 1
