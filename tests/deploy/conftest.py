"""What the tests of `deploy/` read."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml


@pytest.fixture(scope="session")
def deploy(repository: Path) -> Path:
    return repository / "deploy"


@pytest.fixture(scope="session")
def compose(deploy: Path) -> dict[str, object]:
    read = yaml.safe_load((deploy / "compose.yaml").read_text(encoding="utf-8"))
    assert isinstance(read, dict)
    return read
