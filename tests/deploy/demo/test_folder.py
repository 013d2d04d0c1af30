"""Where the demo leaves its data: it replaces what a demo left, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.demo.folder import MARKER, DemoFolder, NotOursError


def test_a_new_folder_gets_the_marker(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "a" / "b")
    folder.make_fresh()
    assert folder.has_earlier_demo()


def test_what_an_earlier_demo_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / MARKER).touch()
    (tmp_path / "old").touch()
    DemoFolder(tmp_path).make_fresh()
    assert [entry.name for entry in tmp_path.iterdir()] == [MARKER]


def test_what_anybody_else_left_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("nine years")
    with pytest.raises(NotOursError):
        DemoFolder(tmp_path).make_fresh()
    assert (tmp_path / "thesis.txt").read_text() == "nine years"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotOursError):
        DemoFolder(tmp_path / "file").make_fresh()
