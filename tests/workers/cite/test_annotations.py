"""The reader that our annotations are held against is held against the W3C's samples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from workers.cite.annotations import iri_of


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


@pytest.mark.parametrize(
    ("url", "iri"),
    [
        ("https://a.example/b?c=%22&d=[1]#e", "https://a.example/b?c=%22&d=[1]#e"),
        ('http://a.example/x"onload="y?q=<b>', "http://a.example/x%22onload=%22y?q=%3Cb%3E"),
        ("http://a.example/a|b{c}^`\\", "http://a.example/a%7Cb%7Bc%7D%5E%60%5C"),
    ],
)
def test_a_source_is_an_iri_whatever_its_server_was_asked_for(url: str, iri: str) -> None:
    assert iri_of(url) == iri
