"""Fixtures that every suite may use. What one suite alone needs lives beside it."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = [
    "annotations_plugin",
    "answers_plugin",
    "counting_plugin",
    "faulty_plugin",
    "models_plugin",
    "parts_plugin",
    "plane_plugin",
    "pywb_plugin",
    "raw_web_plugin",
    "readers_plugin",
    "rebuild_plugin",
    "records_plugin",
    "sharing_plugin",
]

settings.register_profile("laws", deadline=timedelta(seconds=10))  # a machine that is busy needs 200 ms for nothing
settings.load_profile("laws")

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    """Root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def conformance_data() -> Path:
    """Folder of third-party conformance data; its suites skip without it, or fail where it is required."""
    named = os.environ.get("CITEVAULT_CONFORMANCE_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    if folder.is_dir():
        return folder
    if os.environ.get("CITEVAULT_REQUIRE_CONFORMANCE") == "1":
        pytest.fail(f"conformance data is required but {folder} does not exist")
    pytest.skip(f"no conformance data at {folder}; set CITEVAULT_CONFORMANCE_DATA")


@pytest.fixture(scope="session")
def peers(repository: Path) -> Path:
    """Scripts of the virtual environment that holds cdxj-indexer, py-wacz and pywb."""
    folder = Path(os.environ.get("CITEVAULT_PEERS") or repository / "build" / "peers") / "bin"
    if not (folder / "cdxj-indexer").exists():
        message = f"no peers in {folder}; set CITEVAULT_PEERS to an environment with cdxj-indexer, wacz and pywb"
        if os.environ.get("CITEVAULT_REQUIRE_PEERS") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture
def seed_gate(conformance_data: Path, tmp_path: Path) -> Callable[[Path], subprocess.CompletedProcess[str]]:
    """The gate as the seed prints it, cut out at test time and run in a bundle's directory."""
    (seed,) = (conformance_data.parent / "seeds").glob("000_*.txt")
    found = re.search(r'^import hashlib$.*?^print\("citation bundle: ok"\)$', seed.read_text("utf-8"), re.M | re.S)
    assert found is not None
    script = tmp_path / "gate.py"
    script.write_text(found[0], encoding="utf-8")

    def run(directory: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(script), "bundle.json"],
            cwd=directory,
            env={"PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    return run


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A skip in CI is a failure: a part that is missing there would hide behind it. Only where there is no
    conformance data at all may its suites be left out."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CITEVAULT_REQUIRE_PEERS") != "1" or reporter is None:
        return
    hidden = [
        report for report in reporter.stats.get("skipped", []) if "no conformance data at" not in str(report.longrepr)
    ]
    if hidden and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
