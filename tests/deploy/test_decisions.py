"""Decision records: numbered without gaps, one page each, listed, and in one form."""

from __future__ import annotations

import re
from pathlib import Path

HEADINGS = ["## Context", "## Options", "## Decision", "## Consequences"]


def test_records_are_numbered_listed_and_in_one_form(deploy: Path) -> None:
    folder = deploy / "decisions"
    listed = (folder / "README.md").read_text(encoding="utf-8")
    records = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    assert [int(path.name[:4]) for path in records] == list(range(1, len(records) + 1))
    for path in records:
        text = path.read_text(encoding="utf-8")
        title = re.match(rf"# {int(path.name[:4])}\. (.+)\n\nAccepted, ", text)
        assert title, path.name
        assert f"[{path.name[:4]}]({path.name}) | {title.group(1)} |" in listed
        assert re.findall(r"^## .+$", text, re.M) == HEADINGS, path.name
        assert text.count("\n") < 60, f"{path.name} is longer than a page"


def test_files_that_records_name_exist(deploy: Path) -> None:
    for path in [*(deploy / "decisions").glob("*.md"), deploy / "README.md"]:
        for name in re.findall(
            r"`((?:schemas|workers|scheduler|validator|deploy|tests)/[\w./-]*[\w/])`", path.read_text()
        ):
            assert (deploy.parent / name).exists(), f"{path.name}: {name}"
        for link in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            assert (path.parent / link).exists(), f"{path.name}: {link}"
