"""R098, X33: whose word counts, which judgements a person looks at too, and how agreement is told."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.agreement import agreement
from schemas.canonical import sha256_hex
from schemas.judging import checker_id, counting, is_pinned, judgement_key, latest, sample_of
from schemas.records.claim import Support

DIGESTS = [sha256_hex(str(number).encode()) for number in range(2000)]


@dataclass(frozen=True)
class Said:
    checker_version: str
    judged_at: str
    support: Support = Support.FULL
    by: str = "somebody"


AUTHOR, MODEL, PERSON = (
    Said("draft@1", "2026-01-03T00:00:00Z"),
    Said("chat@1+0a1b2c3d", "2026-01-02T00:00:00Z"),
    Said("human@1", "2026-01-01T00:00:00Z"),
)


LATER = Said(MODEL.checker_version, "2026-01-02T00:00:00.1Z")
OTHER = Said("human@1", "2026-01-01T00:00:00.000Z", by="ada")


@pytest.mark.parametrize(
    ("words", "counts"),
    [
        ([AUTHOR], [AUTHOR]),
        ([AUTHOR, MODEL], [MODEL]),
        ([AUTHOR, PERSON, MODEL], [PERSON]),
        ([Said("lexical@1", "2026-01-09T00:00:00Z"), AUTHOR], [AUTHOR]),
        ([MODEL, LATER], [LATER]),
        ([PERSON, OTHER], [PERSON, OTHER]),
        ([], []),
    ],
    ids=["author", "model", "person", "lexical", "later", "tie", "nobody"],
)
def test_a_person_goes_before_a_model_and_a_model_before_the_author(words: list[Said], counts: list[Said]) -> None:
    """X33: time decides within a rank only, so no rerun takes back what a person found."""
    assert counting(words) == counts
    assert latest(words) in (words or [None])


def test_the_sample_follows_from_the_digests_and_has_about_its_rate() -> None:
    """R098: nobody picks; a larger rate keeps what a smaller one had; a few edges have a sample too."""
    tenth = sample_of(DIGESTS, 100_000)
    assert tenth == sample_of(reversed(DIGESTS), 100_000)
    assert 150 < len(tenth) < 250
    assert tenth < sample_of(DIGESTS, 300_000) < sample_of(DIGESTS, 1_000_000) == frozenset(DIGESTS)
    assert all(len(sample_of([digest], 1)) == 1 for digest in DIGESTS[:20])
    assert sample_of(DIGESTS, 0) == sample_of([], 100_000) == frozenset()


def test_a_key_changes_with_everything_that_was_asked() -> None:
    """R098, C37: another passage, checker or parameter is another question."""
    parts = ("a" * 64, "b" * 64, "chat@1+00000000", "c" * 64)
    keys = {judgement_key(*parts)}
    for place in range(4):
        other = "human@1" if place == 2 else "d" * 64
        keys.add(judgement_key(*[other if at == place else part for at, part in enumerate(parts)]))
    assert len(keys | {judgement_key("a" * 64, "b" * 64, "human@1", None)}) == 6
    pins = {"model": "m", "prompt": "p", "temperature": "0"}
    assert checker_id("chat@1", pins) != checker_id("chat@1", {**pins, "temperature": "0.1"})


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {"model": "m"},
        {"model": "m", "prompt": " ", "temperature": "0"},
        {"model": "m", "prompt": "p", "temperature": 0},
    ],
)
def test_an_evaluator_without_model_prompt_and_temperature_is_not_pinned(value: object) -> None:
    """R098."""
    assert not is_pinned(value)
    assert is_pinned({"model": "m", "prompt": "p", "temperature": "0"})


ANSWERS = st.sampled_from(list(Support))


@settings(deadline=None)
@given(st.lists(st.tuples(ANSWERS, ANSWERS), max_size=40))
def test_kappa_is_that_of_its_definition(pairs: list[tuple[Support, Support]]) -> None:
    """C37: in whole numbers, and no number at all where there is none."""
    found = agreement(pairs)
    assert sum(n for _, _, n in found.table) == found.pairs == len(pairs)
    if not pairs:
        assert (found.raw_ppm, found.kappa_ppm) == (None, None)
        return
    observed = Fraction(sum(a == b for a, b in pairs), len(pairs))
    expected = sum(
        Fraction(sum(a == s for a, _ in pairs) * sum(b == s for _, b in pairs), len(pairs) ** 2) for s in Support
    )
    assert found.raw_ppm == int(observed * 1_000_000)
    if expected == 1:
        assert found.kappa_ppm is None
    else:
        assert found.kappa_ppm == int((observed - expected) / (1 - expected) * 1_000_000)
