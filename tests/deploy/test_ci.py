"""The GitHub Action and the pre-commit hook: they are what they say, and what they run works on real bundles."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from validator.selftest.forgery import Forgery, Stage
from validator.selftest.mutants_quotes import quote
from validator.selftest.signing import AUTHOR, PUBLISHER

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """`citevault-validate` on the path, as an installation has it, and the files that a runner gives."""
    program = tmp_path / "bin/citevault-validate"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m validator.cli "$@"\n')
    program.chmod(0o755)
    (tmp_path / "trust.pem").write_bytes(PUBLISHER.pem)
    (tmp_path / "author.pem").write_bytes(AUTHOR.pem)
    return {
        **os.environ,
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "TRUST": f"{tmp_path / 'trust.pem'}\n\n",
        "TRUST_AUTHOR": str(tmp_path / "author.pem"),
    }


def put(forgery: Forgery, folder: Path) -> Path:
    for name, data in forgery.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def check(repository: Path, environment: dict[str, str]) -> Run:
    def run(bundle: Path, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", str(repository / "deploy/ci/check.sh")],
            env={**environment, "BUNDLE": str(bundle), **more},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def outputs(environment: dict[str, str]) -> dict[str, str]:
    lines = Path(environment["GITHUB_OUTPUT"]).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_the_action_passes_a_good_bundle_and_leaves_both_reports(
    check: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    ran = check(put(Forgery().made(), tmp_path / "a bundle"))
    assert ran.returncode == 0, ran.stderr
    given = outputs(environment)
    assert given["exit-code"] == "0"
    assert '"version": "2.1.0"' in Path(given["sarif"]).read_text("utf-8")
    assert ET.parse(given["junit"]).getroot().get("failures") == "0"


def test_the_action_fails_where_the_gate_does_and_still_reports(
    check: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    ran = check(put(Forgery().made(Stage.DOCUMENT, quote("ev-001", "<", ">")), tmp_path / "bundle"))
    assert ran.returncode == 1
    assert ET.parse(outputs(environment)["junit"]).getroot().get("failures") == "1"


@pytest.mark.parametrize(("allowed", "code"), [("false", 3), ("true", 0)])
def test_what_could_not_be_looked_at_fails_unless_it_is_allowed(
    allowed: str, code: int, check: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    def withheld(forgery: Forgery) -> None:
        forgery.snapshots["list"] |= {"retention": "quote_only", "text_path": None}

    bundle = put(Forgery().made(Stage.SNAPSHOTS, withheld), tmp_path / "bundle")
    (bundle / Forgery().made().text_file("list")).unlink()
    ran = check(bundle, ALLOW_INCONCLUSIVE=allowed)
    assert (ran.returncode, outputs(environment)["exit-code"]) == (code, "3"), ran.stdout


def test_bad_input_leaves_no_report(check: Run, environment: dict[str, str], tmp_path: Path) -> None:
    assert check(tmp_path / "nothing").returncode == 2
    assert outputs(environment) == {"exit-code": "2"}


def test_an_input_never_becomes_a_command(check: Run, tmp_path: Path) -> None:
    ran = check(tmp_path / "$(touch hacked); `touch hacked`")
    assert ran.returncode == 2
    assert not list(tmp_path.rglob("hacked"))


def test_every_input_of_the_action_is_handed_on(repository: Path) -> None:
    action = yaml.safe_load((repository / "deploy/ci/action.yml").read_text("utf-8"))
    text = (repository / "deploy/ci/action.yml").read_text("utf-8")
    assert [name for name in action["inputs"] if f"inputs.{name}" not in text] == []
    check = next(step for step in action["runs"]["steps"] if step.get("id") == "check")
    script = (repository / "deploy/ci/check.sh").read_text("utf-8")
    assert [name for name in check["env"] if f"${name}" not in script and f"${{{name}" not in script] == []


def test_the_hook_checks_the_bundles_that_are_committed(
    repository: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """As pre-commit runs it: the entry, with the names of files behind it."""
    config = yaml.safe_load((repository / "deploy/ci/pre-commit-config.yaml").read_text("utf-8"))
    hook = config["repos"][0]["hooks"][0]
    entry = __import__("shlex").split(hook["entry"])
    good = put(Forgery().made(), tmp_path / "good bundle") / "bundle.json"
    bad = put(Forgery().made(Stage.DOCUMENT, quote("ev-001", "<", ">")), tmp_path / "bad") / "bundle.json"
    assert shutil.which("bash")
    for files, code in (([good], 0), ([good, bad], 1)):
        ran = subprocess.run(
            [*entry, *map(str, files)], env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert ran.returncode == code, ran.stdout
    assert __import__("re").search(hook["files"], str(good))
