"""Fixtures that every suite may use. What one suite alone needs lives beside it."""

import os
from pathlib import Path

import pytest

pytest_plugins = ["parts_plugin", "records_plugin"]

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
