"""One of a thing is named in the singular."""

from __future__ import annotations

import pytest

from schemas.counted import counted, counted_things


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (counted(1, "URL"), "1 URL"),
        (counted(0, "URL"), "0 URLs"),
        (counted(1, "segment is", "segments are"), "1 segment is"),
        (counted(2, "segment is", "segments are"), "2 segments are"),
        (counted_things(1, "heads"), "1 head"),
        (counted_things(1, "citation URLs"), "1 citation URL"),
        (counted_things(1, "figures of edges"), "1 figure of edges"),
        (counted_things(1, "claims with their figures"), "1 claim with its figures"),
        (counted_things(1, "policies"), "1 policy"),
        (counted_things(1, "addresses"), "1 address"),
        (counted_things(1, "leaves"), "1 leaf"),
        (counted_things(1, "aliases of clusters"), "1 alias of clusters"),
        (counted_things(1, "files of the package"), "1 file of the package"),
        (counted_things(1, "evidence"), "1 evidence"),
        (counted_things(3, "heads"), "3 heads"),
    ],
)
def test_a_number_stands_with_the_form_that_it_asks_for(said: str, expected: str) -> None:
    assert said == expected
