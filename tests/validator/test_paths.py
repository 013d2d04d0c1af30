"""A folder from a stranger: nothing is read outside it (X29)."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.findings import FindingKind
from validator.paths import Folder, is_safe_name
from validator.place import Unavailable, read_all

UNSAFE = ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/.", "a\\b", "a\x00b", "a\nb", "a/", "x" * 2000]


@pytest.mark.parametrize("name", UNSAFE)
def test_names_that_lead_elsewhere_are_refused(name: str, tmp_path: Path) -> None:
    opened = Folder.at(tmp_path).open(name, 100)
    assert isinstance(opened, Unavailable)
    assert opened.kind is FindingKind.FILE_UNSAFE_PATH


@given(st.text(max_size=30))
def test_a_safe_name_stays_inside(name: str) -> None:
    if is_safe_name(name):
        assert os.path.normpath(f"/bundle/{name}").startswith("/bundle/")


def test_a_link_inside_is_followed_and_one_outside_is_not(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / "a/file").write_bytes(b"inside")
    (tmp_path / "secret").write_bytes(b"outside")
    (root / "good").symlink_to(root / "a/file")
    (root / "bad").symlink_to(tmp_path / "secret")
    (root / "folder").symlink_to(tmp_path)
    folder = Folder.at(root)
    assert read_all(folder, "good", 100) == b"inside"
    for name in ("bad", "folder/secret"):
        opened = folder.open(name, 100)
        assert isinstance(opened, Unavailable)
        assert opened.kind is FindingKind.FILE_UNSAFE_PATH


@pytest.mark.parametrize(("offset", "length", "data"), [(0, 3, b"abc"), (4, 9, b"ef"), (9, 5, b""), (2, 0, b"")])
def test_a_part_ends_where_the_file_does(offset: int, length: int, data: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abcdef")
    part = Folder.at(tmp_path).open_range("file", offset, length, 100)
    assert not isinstance(part, Unavailable)
    with part:
        assert part.read() == data


def test_what_is_larger_than_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abcdef")
    for opened in (Folder.at(tmp_path).open("file", 5), Folder.at(tmp_path).open_range("file", 0, 6, 5)):
        assert isinstance(opened, Unavailable)
        assert opened.kind is FindingKind.FILE_TOO_LARGE
