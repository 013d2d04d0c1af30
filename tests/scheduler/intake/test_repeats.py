"""Which rows repeat an earlier one."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from scheduler.intake import repeats
from scheduler.intake.repeats import OTHER, PLAIN, Repeat, Repeats

halves = st.sampled_from([bytes(8), b"\x00" * 7 + b"\x01", b"\x80" + bytes(7), b"\xff" * 8])
rows = st.lists(st.tuples(halves, halves, st.booleans()), min_size=1, max_size=40)


@given(rows, st.sampled_from([1, 2, 7, 1000]))
def test_a_row_repeats_the_first_one_of_its_digest(given_rows: list[tuple[bytes, bytes, bool]], share: int):
    """Also where only one half of the digest is the same, and however many shares they are looked at in."""
    first: dict[bytes, int] = {}
    expected = []
    for row, (left, right, plain) in enumerate(given_rows):
        leader = first.setdefault(left + right, row)
        if leader != row:
            expected.append(Repeat(row, leader, plain and given_rows[leader][2]))
    with TemporaryDirectory() as folder:
        digests = Path(folder) / "digests"
        digests.write_bytes(b"".join(left + right + (PLAIN if plain else OTHER) for left, right, plain in given_rows))
        assert list(Repeats(digests, Path(folder) / "firsts", rows_a_share=share)) == expected


def test_rows_of_several_looks_are_numbered_through(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(repeats, "ROWS_A_LOOK", 3)
    digests = tmp_path / "digests"
    digests.write_bytes(b"".join(bytes([number % 5] * 16) + PLAIN for number in range(10)))
    found = list(Repeats(digests, tmp_path / "firsts", rows_a_share=4))
    assert found == [Repeat(row, row - 5, True) for row in range(5, 10)]
