"""A bundle's directory appears whole, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workers.errors import PermanentError
from workers.flows.bundle_directory import BundleDirectory, check_output

BUNDLE = json.dumps({"schema": "citevault/bundle@1"}).encode()


def write(target: Path, *, commit: bool = True) -> None:
    with BundleDirectory(target) as place:
        place.write("texts/one.txt", b"text")
        place.write("bundle.json", BUNDLE)
        if commit:
            place.commit()


def write_twice(target: Path) -> None:
    """The second file cannot be written: it is there already."""
    with BundleDirectory(target) as place:
        place.write("bundle.json", b"{}")
        place.write("bundle.json", b"{}")
        place.commit()


def test_nothing_is_there_before_the_commit_and_all_of_it_after(tmp_path: Path):
    write(tmp_path / "deep" / "bundle", commit=False)
    assert list((tmp_path / "deep").iterdir()) == []
    write(tmp_path / "deep" / "bundle")
    assert {path.name for path in (tmp_path / "deep" / "bundle").iterdir()} == {"texts", "bundle.json"}
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["bundle"]


def test_an_error_on_the_way_leaves_the_earlier_bundle_as_it_was(tmp_path: Path):
    target = tmp_path / "bundle"
    write(target)
    with pytest.raises(PermanentError):
        write_twice(target)
    assert (target / "bundle.json").read_bytes() == BUNDLE
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]


def test_a_link_is_followed_and_stays(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "bundle.json").is_file()


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"schema": 1}', b"\xff", b"[" * 100_000])
def test_a_directory_whose_document_is_none_of_ours_is_refused(tmp_path: Path, content: bytes):
    target = tmp_path / "bundle"
    target.mkdir()
    (target / "bundle.json").write_bytes(content)
    problem = check_output(target)
    assert problem is not None
    assert problem.code == "output.not-a-bundle"


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    assert check_output(tmp_path / "link") is not None
    assert check_output(tmp_path / "new") is None


def test_what_the_disk_says_is_told_in_our_words(tmp_path: Path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(PermanentError, match="cannot be written"):
        write(tmp_path / "file" / "bundle")
