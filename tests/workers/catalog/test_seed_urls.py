"""What is cut out of a part of seeds is what a strict reader finds in it."""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.canonical import canonical_bytes
from schemas.reading import read_lines
from schemas.records.job import SearchHit, Seed
from workers.catalog.seed_urls import SeedUrl, cut_out

TRICKS = ['"line":1,"normalized_url":"x"', '\\"line":', '}\n{"line":2', "é\u2028", 'a"', "\\", "x"]
urls = st.one_of(st.sampled_from(TRICKS), st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
hits = st.builds(SearchHit, url=urls, title=st.one_of(st.none(), urls), rank=st.one_of(st.none(), st.integers(0, 9)))
seeds = st.builds(
    Seed,
    line=st.integers(0, 2**53 - 1),
    requested_url=urls,
    normalized_url=urls,
    fragment=st.one_of(st.none(), urls),
    userinfo_removed=st.booleans(),
    also=st.lists(urls, max_size=3).map(tuple),
    hits=st.lists(hits, max_size=3).map(tuple),
    visit=st.one_of(st.none(), st.integers(1, 99)),
)


def packed(part: list[Seed]) -> bytes:
    return gzip.compress(b"".join(canonical_bytes(seed) + b"\n" for seed in part))


@given(st.lists(seeds, max_size=6))
def test_a_part_is_cut_as_a_strict_reader_reads_it(part: list[Seed]):
    data = packed(part)
    strictly = [line.value for line in read_lines(io.BytesIO(data), Seed)]
    assert strictly == part
    assert cut_out(data, len(part)) == [SeedUrl(seed.requested_url, seed.normalized_url, seed.visit) for seed in part]


SEED = Seed(line=1, requested_url="https://a.test/", normalized_url="https://a.test/")


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (packed([SEED]), 2),
        (packed([SEED])[:-9], 1),
        (gzip.compress(canonical_bytes(SEED).replace(b',"visit":null', b"") + b"\n"), 1),
        (gzip.compress(canonical_bytes(SEED).replace(b'"line":1', b'"line": 1') + b"\n"), 1),
        (packed([SEED]) + packed([SEED]), 1),
        (b"no gzip", 1),
        (gzip.compress(b"\xff\n"), 1),
    ],
    ids=["wrong count", "cut off", "no visit", "other JSON", "two members", "no gzip", "no UTF-8"],
)
def test_what_has_another_shape_is_left_to_the_strict_reader(data: bytes, count: int):
    assert cut_out(data, count) is None
