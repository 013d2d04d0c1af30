"""Parts of a quote that follow each other: found by looking where they may be, not at every place of each."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from workers.cite.haystack import MAX_ELISION, Place, chained

PLACES = st.lists(st.integers(0, 3_000), unique=True, max_size=12).map(
    lambda starts: [(start, start + 7) for start in sorted(starts)]
)


class Counted(Sequence[Place]):
    """Places that count how often one of them is looked at."""

    def __init__(self, places: list[Place]) -> None:
        self.places, self.looked = places, 0

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        self.looked += 1
        return self.places[at]


def slowly(parts: list[list[Place]]) -> list[tuple[Place, ...]]:
    """The same by looking at every place."""
    chains: dict[int, tuple[Place, ...]] = {}
    for first in parts[0]:
        chain = [first]
        for following in parts[1:]:
            after = next((place for place in following if place[0] >= chain[-1][1]), None)
            if after is None or after[0] - chain[-1][1] > MAX_ELISION:
                break
            chain.append(after)
        else:
            chains[chain[-1][1]] = tuple(chain)
    return [chains[end] for end in sorted(chains)]


@given(st.lists(PLACES, min_size=1, max_size=4))
def test_chains_are_those_that_a_look_at_every_place_finds(parts: list[list[Place]]) -> None:
    assert chained(parts) == slowly(parts)


def test_many_places_of_many_parts_are_not_looked_at_one_by_one() -> None:
    parts = [Counted([(start, start + 5) for start in range(0, 60_000, 6)]) for _ in range(4)]
    assert len(chained(parts)) == 10_000 - 3
    assert sum(part.looked for part in parts) < 10_000 * 4 * 20


def test_where_one_part_stands_nowhere_the_others_are_not_looked_at() -> None:
    parts = [Counted([(start, start + 5) for start in range(0, 60_000, 6)]) for _ in range(3)]
    assert chained([*parts, Counted([])]) == []
    assert sum(part.looked for part in parts) == 0
