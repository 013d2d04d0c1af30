"""The reader that our annotations are held against is held against the W3C's samples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def test_the_reader_takes_every_correct_sample_and_refuses_every_incorrect_one(
    conformance_data: Path, annotation_faults_of: Callable[[str], list[str]]
) -> None:
    samples = conformance_data / "citations/web-annotation"
    read = {
        kind: {path.name: annotation_faults_of(path.read_text("utf-8")) for path in sorted((samples / kind).iterdir())}
        for kind in ("correct", "incorrect")
    }
    assert {name: found for name, found in read["correct"].items() if found} == {}
    assert [name for name, found in read["incorrect"].items() if not found] == []
    assert [len(found) for found in read.values()] == [22, 19]
