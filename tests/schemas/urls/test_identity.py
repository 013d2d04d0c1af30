"""Three identities, three types (X19): a string of one kind is no other kind to the type checker."""

from pathlib import Path

import pytest
from mypy import api

PROGRAM = """
from schemas.urls.identity import CitationUrl, NormalizedUrl, UrlKey

def mixed(resource: NormalizedUrl, number: CitationUrl, key: UrlKey) -> str:
    resource = number
    resource = key
    number = resource
    number = key
    key = resource
    resource = "https://h/"
    return resource
"""


def test_no_identity_passes_for_another(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """X19."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    monkeypatch.chdir(repository)
    report, complaint, _ = api.run(
        ["--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache"), "--no-error-summary", str(program)]
    )
    assert complaint == ""
    wrong = [int(line.split(":")[1]) for line in report.splitlines() if ": error: Incompatible types" in line]
    assert wrong == [5, 6, 7, 8, 9, 10], report
