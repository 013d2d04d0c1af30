"""A source set is cut as the HTML Standard cuts it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.capture.requisites.srcset import MAX_CANDIDATES, candidates


@pytest.mark.parametrize(
    ("value", "urls"),
    [
        ("a.png", ["a.png"]),
        ("a.png 1x, b.png 2x", ["a.png", "b.png"]),
        ("a.png,b.png", ["a.png,b.png"]),
        ("a.png, b.png", ["a.png", "b.png"]),
        ("a,b.png 1x,c.png 2x", ["a,b.png", "c.png"]),
        (" , ,a.png,,, b.png", ["a.png", "b.png"]),
        ("a.png (x, y) 2x, b.png", ["a.png", "b.png"]),
        ("a.png no-descriptor, b.png", ["a.png", "b.png"]),
        ("data:image/png;base64,AA== 1x, b.png 2x", ["data:image/png;base64,AA==", "b.png"]),
        ("a.png (never closed, b.png", ["a.png"]),
        ("", []),
        (" ,,, ", []),
    ],
)
def test_candidates_are_cut_where_the_standard_cuts(value: str, urls: list[str]) -> None:
    assert list(candidates(value)) == urls


@given(st.text(alphabet=st.sampled_from("ab, ()\t\n1x."), max_size=300))
def test_a_candidate_has_no_blank_and_ends_with_no_comma(value: str) -> None:
    found = list(candidates(value))
    assert len(found) <= MAX_CANDIDATES
    assert all(url and not url.endswith(",") and not set(url) & set(" \t\n") for url in found)
