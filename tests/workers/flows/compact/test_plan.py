"""Which files are joined: none is lost or named twice, none grows too large, and no byte is copied too often."""

from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.receipt import StoredFile
from workers.flows.compact.plan import WARCINFO_ROOM, Group, JoinLimits, LooseFile, plan

MB = 1_000_000
LIMITS = JoinLimits(bytes=100 * MB, files=20, lines=1000)


def loose(
    number: int, size: int, *, collection: str = "c", ending: str = "gz", made: bool = False, lines: int = 1
) -> LooseFile:
    key = f"warc/2026/11/29/20261129T{number:06d}Z-X-a1.warc.{ending}"
    return LooseFile(
        StoredFile(key=key, bytes=size, sha256="0" * 64, entries=2),
        StoredFile(key=f"cdxj/{number}", bytes=lines * 100, sha256="0" * 64, entries=lines),
        collection,
        None if made else f"commits/{number}",
    )


files = st.builds(
    loose,
    st.integers(0, 999_999),
    st.integers(1, 120 * MB),
    collection=st.sampled_from("cd"),
    ending=st.sampled_from(["gz", "zst"]),
    made=st.booleans(),
    lines=st.integers(0, 700),
)


@given(st.lists(files, max_size=60, unique_by=lambda file: file.warc.key))
def test_groups_are_of_one_kind_fit_and_share_no_file(given_files: list[LooseFile]) -> None:
    groups = plan(given_files, LIMITS)
    named = [file.warc.key for group in groups for file in group.files]
    assert len(named) == len(set(named))
    assert set(named) <= {file.warc.key for file in given_files}
    for group in groups:
        assert {file.collection for file in group.files} == {group.collection}
        assert {file.packing for file in group.files} == {"gz" if group.compression == "gzip" else "zst"}
        assert 2 <= len(group.files) <= LIMITS.files
        assert group.bytes + WARCINFO_ROOM <= LIMITS.bytes
        assert sum(file.lines for file in group.files) <= LIMITS.lines
        for file in group.files:
            assert file.receipt_key is not None or file.warc.bytes * 2 <= group.bytes


@given(st.lists(st.integers(1, 49 * MB), min_size=2, max_size=40))
def test_of_small_files_of_receipts_none_is_left_beside_another(sizes: list[int]) -> None:
    """Two neighbours that would fit into one file are not both left alone."""
    given_files = [loose(number, size) for number, size in enumerate(sizes)]
    named = {file.warc.key for group in plan(given_files, LIMITS) for file in group.files}
    for earlier, later in itertools.pairwise(given_files):
        both_left = earlier.warc.key not in named and later.warc.key not in named
        assert not both_left or earlier.warc.bytes + later.warc.bytes + WARCINFO_ROOM > LIMITS.bytes


def joined(group: Group, number: int) -> LooseFile:
    return loose(number, group.bytes, made=True, lines=sum(file.lines for file in group.files))


@given(st.lists(st.integers(1, 3 * MB), min_size=1, max_size=150))
def test_however_often_it_runs_no_byte_is_copied_more_than_its_file_doubles(sizes: list[int]) -> None:
    """It runs after each file that comes, which is as often as can be."""
    limits = JoinLimits(bytes=50 * MB, files=10_000, lines=10_000)
    standing: dict[str, tuple[LooseFile, int]] = {}
    number = 0
    for size in sizes:
        number += 1
        fresh = loose(number, size)
        standing[fresh.warc.key] = (fresh, 0)
        for group in plan([file for file, _ in standing.values()], limits):
            number += 1
            copies = max(standing.pop(file.warc.key)[1] for file in group.files)
            made = joined(group, number)
            standing[made.warc.key] = (made, copies + 1)
    copies = max(count for _, count in standing.values())
    assert copies <= 1 + math.ceil(math.log2(50 * MB / min(sizes)))
    assert sum(file.warc.bytes for file, _ in standing.values()) == sum(sizes)


def test_what_has_another_ending_than_ours_is_left_alone() -> None:
    strangers = [loose(number, 5, ending="txt") for number in range(4)]
    assert plan(strangers, LIMITS) == []


def test_large_files_are_left_alone() -> None:
    assert plan([loose(1, 51 * MB), loose(2, 60 * MB), loose(3, 1)], LIMITS) == []
