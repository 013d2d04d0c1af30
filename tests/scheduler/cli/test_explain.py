"""`bundle explain`: what the validator says of one quote, with its exit; it needs no archive."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from validator.selftest.forgery import Forgery, Stage
from validator.selftest.mutants_quotes import quote
from validator.selftest.signing import PUBLISHER

START = "import sys; from scheduler.cli import main; sys.exit(main())"


@pytest.fixture
def explain(tmp_path: Path):
    """Run the command on a bundle in a folder, as a person would."""

    def run(forgery: Forgery, *arguments: str) -> subprocess.CompletedProcess[str]:
        for name, data in forgery.files.items():
            (tmp_path / "bundle" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "bundle" / name).write_bytes(data)
        (tmp_path / "key.pem").write_bytes(PUBLISHER.pem)
        program = [sys.executable, "-c", START, "bundle", "explain", str(tmp_path / "bundle"), *arguments]
        return subprocess.run(
            [*program, "--trust", str(tmp_path / "key.pem")], capture_output=True, text=True, timeout=60, check=False
        )

    return run


def test_the_chain_of_a_good_quote_holds(explain) -> None:
    said = explain(Forgery().made(), "ev-001", "--json")
    assert said.returncode == 0, said.stderr
    assert {link["state"] for link in json.loads(said.stdout)["links"]} == {"holds"}


def test_a_broken_link_is_named(explain) -> None:
    said = explain(Forgery().made(Stage.DOCUMENT, quote("ev-001", "<", ">")), "ev-001")
    assert (said.returncode, "quote: broken" in said.stdout) == (1, True)


def test_an_unknown_quote_is_bad_input(explain) -> None:
    said = explain(Forgery().made(), "ev-999")
    assert (said.returncode, "no evidence ev-999" in said.stderr) == (2, True)
