"""Writing a bundle's directory: beside its place first, whole, then by one rename. A failure leaves nothing."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from workers.cite.problem import DraftProblem
from workers.errors import PermanentError

KNOWN_NAMES = frozenset(
    {"bundle.json", "bundle.dsse.json", "validation.dsse.json", "texts", "archive", "manifest", "keys"}
)
"""What a bundle's directory holds; one that holds anything else is not replaced."""
MAX_BUNDLE_BYTES = 64 * 1024 * 1024


def check_output(directory: Path) -> DraftProblem | None:
    """Only a new, an empty or a bundle's directory is written to: nobody's files are lost."""
    if not directory.exists() and not directory.is_symlink():
        return None
    if not directory.is_dir():
        return _refused(directory, "there is a file, or a link that leads nowhere")
    foreign = sorted({entry.name for entry in directory.iterdir()} - KNOWN_NAMES)
    if foreign:
        return _refused(directory, f"the directory holds other things, such as {foreign[0]}")
    if any(directory.iterdir()) and not _is_bundle(directory / "bundle.json"):
        return _refused(directory, "the directory holds no bundle")
    return None


class BundleDirectory:
    """The directory while it is made. Leaving the `with` block without `commit` removes it."""

    def __init__(self, target: Path) -> None:
        self._target = Path(os.path.realpath(target))
        self._building = self._target.with_name(f".{self._target.name}.{secrets.token_hex(4)}.building")

    def __enter__(self) -> BundleDirectory:
        with _disk_errors(self._target):
            self._target.parent.mkdir(parents=True, exist_ok=True)
            self._building.mkdir()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        shutil.rmtree(self._building, ignore_errors=True)

    def write(self, path: str, data: bytes) -> None:
        """One file, by its path within the bundle."""
        with self.open(path) as stream:
            stream.write(data)

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """A file that is written piece by piece."""
        with _disk_errors(self._target):
            file = self._building / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as stream:
                yield stream

    def commit(self) -> None:
        """Put the directory in its place; an earlier bundle there goes."""
        with _disk_errors(self._target):
            if not self._target.is_dir() or not any(self._target.iterdir()):
                self._building.rename(self._target)
                return
            old = self._building.with_suffix(".old")
            self._target.rename(old)
            try:
                self._building.rename(self._target)
            except OSError:
                old.rename(self._target)
                raise
            shutil.rmtree(old, ignore_errors=True)


def _is_bundle(file: Path) -> bool:
    """Whether a file says that it is a bundle of ours, of whatever version."""
    try:
        if not file.is_file() or file.stat().st_size > MAX_BUNDLE_BYTES:
            return False
        document = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and str(document.get("schema", "")).startswith("citevault/bundle@")


def _refused(directory: Path, why: str) -> DraftProblem:
    return DraftProblem(
        "output.not-a-bundle",
        "",
        f"{directory} is not written to: {why}",
        "give a directory that does not exist yet, or one that holds an earlier bundle",
    )


@contextmanager
def _disk_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as foreign:
        raise PermanentError(
            f"the bundle cannot be written: {foreign.strerror or foreign}",
            where=str(target),
            next_step="choose another directory, or make room",
        ) from foreign
