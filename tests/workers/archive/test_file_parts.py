"""A file in parts: what fills one, what goes up last, and whether what a store has is the file's beginning."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.archive.file_parts import FileParts, match
from workers.ports import UploadedPart


def listed(data: bytes, step: int, *, told: bool = True) -> list[UploadedPart]:
    pieces = [data[at : at + step] for at in range(0, len(data), step)]
    return [
        UploadedPart(number, len(piece), f"e{number}", hashlib.sha256(piece).hexdigest() if told else None)
        for number, piece in enumerate(pieces, start=1)
    ]


@given(
    data=st.binary(max_size=300),
    step=st.integers(1, 40),
    durable=st.lists(st.integers(0, 300), max_size=5),
)
def test_parts_cover_the_file_once_in_order_and_never_what_is_not_durable(
    data: bytes, step: int, durable: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "file"
    path.write_bytes(data)
    parts, seen = FileParts(step), b""
    stages = [(min(size, len(data)), False) for size in sorted(durable)] + [(len(data), True)]
    for upto, last in stages:
        while (place := parts.next(upto, last=last)) is not None:
            offset, size = place
            assert offset == len(seen)
            assert offset + size <= upto
            assert size == step or last
            part, whole = parts.read(path, offset, size)
            piece = data[offset : offset + size]
            assert part.sha256 == hashlib.sha256(piece).hexdigest()
            parts.add(UploadedPart(len(parts.sent) + 1, size, "e", part.sha256), part.sha256, whole)
            seen += piece
        assert upto - len(seen) < step
    assert seen == data
    assert parts.sha256 == hashlib.sha256(data).hexdigest()


@given(data=st.binary(min_size=1, max_size=200), step=st.integers(1, 40), there=st.integers(0, 10), told=st.booleans())
def test_the_first_parts_of_a_file_match_it(
    data: bytes, step: int, there: int, told: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "file"
    path.write_bytes(data)
    parts = listed(data, step, told=told)[:there]
    found = match(path, len(data), step, parts)
    assert isinstance(found, FileParts)
    assert found.sent == parts
    assert found.size == sum(part.size for part in parts)
    assert found.sha256 == hashlib.sha256(data[: found.size]).hexdigest()


DATA = bytes(range(100))
PARTS = listed(DATA, 30)


@pytest.mark.parametrize(
    ("size", "parts", "why"),
    [
        (100, PARTS[1:], "part 1 is missing"),
        (100, [PARTS[0], PARTS[2]], "part 2 is missing"),
        (59, PARTS[:2], "part 2 has 30 bytes"),
        (60, PARTS[:3], "part 3 has 30 bytes"),
        (100, listed(DATA, 25), "part 1 has 25 bytes"),
        (100, [PARTS[0], replace(PARTS[1], sha256="0" * 64)], "part 2 has other bytes"),
        (100, [PARTS[0], PARTS[1], replace(PARTS[1], etag="other")], "part 2 is there twice"),
    ],
    ids=["no first", "gap", "cut back", "cut at a part", "other size", "other bytes", "two of one number"],
)
def test_what_is_not_the_files_beginning_is_told(
    size: int, parts: list[UploadedPart], why: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(DATA[:size])
    found = match(path, size, 30, parts)
    assert isinstance(found, str)
    assert why in found


def test_a_part_that_was_sent_twice_alike_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(DATA)
    found = match(path, 100, 30, [PARTS[0], PARTS[0], PARTS[1]])
    assert isinstance(found, FileParts)
    assert found.size == 60


def test_a_file_that_ends_within_a_part_is_told(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(DATA)
    with pytest.raises(EOFError, match="ends 20 bytes before"):
        FileParts(60).read(path, 60, 60)
