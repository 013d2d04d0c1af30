"""Any bytes in any file of a bundle or log: an answer, never a traceback, and 0 only if nothing checked changed."""

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from validator.cli import main

Change = tuple[str, float, bytes]
CHANGES = st.tuples(
    st.sampled_from(["replace", "insert", "delete", "cut", "swap"]),
    st.floats(0, 1, exclude_max=True),
    st.binary(min_size=1, max_size=12),
)
LENIENT = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def changed(data: bytes, change: Change) -> bytes:
    how, where, new = change
    at = int(where * len(data))
    match how:
        case "replace":
            return data[:at] + new + data[at + len(new) :]
        case "insert":
            return data[:at] + new + data[at:]
        case "delete":
            return data[:at] + data[at + len(new) :]
        case "cut":
            return data[:at]
        case _:
            return data[at:] + data[:at]


def blocks(data: bytes) -> bytes:
    """What a WARC file says, whatever its gzip headers say."""
    try:
        return gzip.decompress(data)
    except (OSError, EOFError):
        return b""


@pytest.fixture
def quiet(capfd: pytest.CaptureFixture[str]) -> Callable[..., int]:
    def run(*arguments: str) -> int:
        code = main([*arguments, "--format", "json"])
        written = capfd.readouterr()
        assert code == 2 or json.loads(written.out)["exit_code"] == code
        return code

    return run


@contextmanager
def one_changed(root: Path, data: st.DataObject, change: Change) -> Iterator[tuple[str, bytes, bytes]]:
    """A folder of which one file is changed, but no key: its name, and its bytes before and after."""
    try:
        files = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())
        name = data.draw(st.sampled_from([f for f in files if not f.startswith("keys/")]))
        before = (root / name).read_bytes()
        after = changed(before, change)
        (root / name).write_bytes(after)
        yield name, before, after
    finally:
        shutil.rmtree(root)


@LENIENT
@given(data=st.data(), change=CHANGES)
def test_a_changed_byte_of_a_bundle_never_passes(
    data: st.DataObject, change: Change, make_bundle: Callable[..., Path], quiet: Any, key_files: dict[str, str]
) -> None:
    root = make_bundle()
    with one_changed(root, data, change) as (name, before, after):
        code = quiet("bundle", str(root), "--deep", "--trust", key_files["both"], "--profile", "strict")
        assert code in (0, 1, 2, 3)
        if code == 0 and after != before:
            assert name.startswith("archive/"), name
            assert blocks(after)[: len(blocks(before))] == blocks(before)


@LENIENT
@given(data=st.data(), change=CHANGES)
def test_a_changed_byte_of_a_log_never_passes(
    data: st.DataObject, change: Change, make_log: Callable[..., Path], quiet: Any, key_files: dict[str, str]
) -> None:
    root = make_log()
    with one_changed(root, data, change) as (name, before, after):
        code = quiet("manifest", str(root), "--deep", "--trust", key_files["publisher"])
        assert code in (0, 1, 2, 3)
        if code == 0 and after != before:
            same_envelope = name.endswith(".dsse.json") and json.loads(after) == json.loads(before)  # blanks between
            assert same_envelope or name.startswith(("warc/", "text/", "commits/")), name


VALUES = st.one_of(
    st.none(),
    st.integers(-1, 2**53 - 1),
    st.sampled_from(
        ["x" * 5000, "\x1b[31m", "c-01", "ev-001", "https://" + "a" * 5000 + "/", "\U0010ffff", "", "0" * 64]
    ),
    st.text(max_size=20),
    st.just([]),
    st.just({"x_deep": 1.5}),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to everything in a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(p for key, inner in items for p in places(inner, (*path, key)))]


@LENIENT
@given(data=st.data())
def test_any_value_anywhere_in_a_bundle_gets_an_answer(
    data: st.DataObject, make_bundle: Callable[..., Path], quiet: Any, key_files: dict[str, str]
) -> None:
    """Unsigned by an author, so that nothing shields the checks behind the signature."""

    def edit(world: Any) -> None:
        spots = places(world.document)[1:]
        for _ in range(data.draw(st.integers(1, 3))):
            *way, last = data.draw(st.sampled_from(spots))
            target = world.document
            try:
                for step in way:
                    target = target[step]
                extension = data.draw(st.booleans()) and isinstance(target, dict)
                target["x_more" if extension else last] = data.draw(VALUES)
            except (KeyError, IndexError, TypeError):
                continue

    root = make_bundle({"document": edit}, author=None)
    try:
        assert quiet(
            "bundle", str(root), "--deep", "--trust", key_files["both"], "--time", "2026-12-01T00:00:00Z"
        ) in range(4)
    finally:
        shutil.rmtree(root)


NAMES = ["bundle.json", "bundle.dsse.json", "manifest/0000000001.json"]


@LENIENT
@given(contents=st.dictionaries(st.sampled_from(NAMES), st.binary(max_size=99)))
def test_random_files_are_refused(contents: dict[str, bytes], tmp_path: Path, quiet: Any) -> None:
    root = tmp_path / "random"
    shutil.rmtree(root, ignore_errors=True)
    (root / "manifest").mkdir(parents=True)
    for name, content in contents.items():
        (root / name).write_bytes(content)
    assert quiet("bundle", str(root)) == 2
