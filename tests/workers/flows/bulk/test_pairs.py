"""Texts and pairs of a collection do not depend on how many rows are in memory at once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from workers.flows.bulk import pairs, parts, texts
from workers.flows.bulk.pairs import brought_by, find_pairs
from workers.flows.bulk.rows import Line, Rows, RowWriter
from workers.flows.bulk.texts import texts_of

SEGMENTS, KNOWN = 9, 3


@pytest.fixture
def rows(tmp_path: Path) -> Iterator[Rows]:
    """Nine segments: families of signatures that share bands, texts that are shown again, texts without a sketch."""
    dice, generator = random.Random(3), np.random.default_rng(3)
    base = generator.integers(0, 1 << 32, (20, 128), dtype=np.uint32)
    writer, digests = RowWriter(tmp_path), [f"{dice.getrandbits(256):064x}" for _ in range(150)]
    signatures = {}
    for digest in digests:
        signatures[digest] = base[dice.randrange(20)].copy()
        changed = generator.random(128) < dice.random() * 0.2
        signatures[digest][changed] = generator.integers(0, 1 << 32, int(changed.sum()), dtype=np.uint32)
    for _ in range(SEGMENTS):
        shown = dice.sample(digests, 40)
        lines = []
        for digest in shown:
            stamp = f"20261129T{dice.randrange(24):02d}{dice.randrange(60):02d}00Z"
            kind = 1 + int(digest, 16) % 2 if int(digest, 16) % 11 else 0
            snapshot = f"snap-{digest[:12]}-{stamp}-{dice.getrandbits(32):08x}"
            lines.append(Line(digest, snapshot, b"{}", kind, signatures[digest] if kind else None))
        writer.add(lines)
    writer.close()
    made = Rows(tmp_path)
    yield made
    made.close()


def test_the_same_texts_and_pairs_in_small_parts_and_in_one(
    rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for at_once in (None, 7):
        if at_once is not None:
            for module, name in ((parts, "ROWS"), (texts, "ROWS"), (pairs, "ROWS"), (pairs, "PAIRS")):
                monkeypatch.setattr(module, f"{name}_AT_ONCE", at_once)
        folder = tmp_path / str(at_once)
        folder.mkdir()
        made = texts_of(rows, KNOWN, folder)
        left_out = find_pairs(rows, made, folder, SEGMENTS, lambda _done: None)
        assert find_pairs(rows, made, folder, SEGMENTS, lambda _done: pytest.fail("it is done")) == left_out
        told = [(each.segment, each.pairs, each.left_out) for each in brought_by(folder)]
        found.append((made.witness.tolist(), made.brings.tolist(), left_out, told))
        assert {entry.name for entry in folder.iterdir()} == {"witnesses.bin", "brings.bin", "pairs.bin", "left-out"}
    assert found[0] == found[1]
    witness, brings, _, told = found[0]
    assert len(witness) == len(set(rows.rows["text"].tolist()))
    assert -1 in brings
    assert [segment for segment, _, _ in told] == sorted({segment for segment, _, _ in told})
    assert sum(len(each) for _, each, _ in told) > 50


def test_each_text_is_witnessed_by_its_earliest_capture(rows: Rows, tmp_path: Path) -> None:
    made = texts_of(rows, KNOWN, tmp_path)
    earliest: dict[bytes, tuple[bytes, int]] = {}
    for row, (text, snapshot) in enumerate(zip(rows.rows["text"], rows.rows["snapshot"], strict=True)):
        shown = snapshot[18:] + snapshot, row
        earliest[bytes(text)] = min(earliest.get(bytes(text), shown), shown)
    assert made.witness.tolist() == [earliest[text][1] for text in sorted(earliest)]


def test_a_collection_without_citeable_texts_has_no_pairs(tmp_path: Path) -> None:
    writer = RowWriter(tmp_path)
    writer.add([])
    writer.close()
    rows = Rows(tmp_path)
    assert find_pairs(rows, texts_of(rows, 0, tmp_path), tmp_path, 1, lambda _done: None) == 0
    assert list(brought_by(tmp_path)) == []
    rows.close()
