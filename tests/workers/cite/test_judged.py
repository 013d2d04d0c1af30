"""R097, X33: what a bundle takes of the ledger, and which word its edge repeats."""

from __future__ import annotations

import pytest

from schemas.canonical import canonical_bytes
from schemas.reading import read_document
from schemas.records.bundle import Bundle
from schemas.records.claim import Evidence, Support
from schemas.records.judgement import JudgementEntry, JudgementInputs
from validator.selftest.forgery import Forgery
from workers.cite.judged import is_wanted, judged, later_than

MODEL, OTHER = "chat@1+0a1b2c3d", "chat@1+ffffffff"


def entry(checker: str, support: Support = Support.FULL, second: int = 0, by: str = "ada") -> JudgementEntry:
    return JudgementEntry(
        schema="citevault/judgement@1",
        sequence=1,
        inputs=JudgementInputs(claim_text="c", quote="q", prefix="", suffix="", text_sha256="a" * 64),
        inputs_sha256="b" * 64,
        context_sha256="c" * 64,
        checker_version=checker,
        checker_sha256=None,
        support=support,
        rationale="It says so.",
        judged_at=f"2026-08-01T00:00:{second:02d}Z",
        by=by,
    )


@pytest.fixture(scope="module")
def edge() -> Evidence:
    bundle = read_document(canonical_bytes(Forgery().made().document), Bundle)
    assert isinstance(bundle, Bundle)
    return bundle.evidence[0]


@pytest.mark.parametrize(
    ("checker", "asked_for", "wanted"),
    [
        (MODEL, (), True),
        (MODEL, (MODEL,), True),
        (OTHER, (MODEL,), False),
        ("human@1", (MODEL,), True),
        ("lexical@1", (), False),
        ("draft@1", (), False),
    ],
)
def test_other_models_can_be_left_out_and_people_cannot(checker: str, asked_for: tuple[str, ...], wanted: bool) -> None:
    """R097: no option drops what a person found."""
    assert is_wanted(entry(checker), asked_for) is wanted


@pytest.mark.parametrize(
    ("entries", "support", "checker", "identifier"),
    [
        ([], Support.FULL, "draft@1", "j-001"),
        ([entry(MODEL, Support.PARTIAL)], Support.PARTIAL, MODEL, "j-002"),
        ([entry("human@1", Support.NO_SUPPORT), entry(MODEL, second=9)], Support.NO_SUPPORT, "human@1", "j-002"),
        ([entry("human@1", by="eve"), entry("human@1", Support.CONTRADICTS)], Support.CONTRADICTS, "human@1", "j-002"),
    ],
    ids=["nobody", "a model", "a person before a later model", "two at once"],
)
def test_the_edge_repeats_the_word_that_counts_and_keeps_the_others_beside_it(
    edge: Evidence, entries: list[JudgementEntry], support: Support, checker: str, identifier: str
) -> None:
    """X33; of two people at one moment the one who is against it, and the validator tells that they are tied."""
    (found,) = judged([edge], ["b" * 64], [entries], "draft report")
    assert (found.edge.support, found.edge.checker_version, found.edge.judgement_id) == (support, checker, identifier)
    assert [one.id for one in found.judgements] == [f"j-{number:03d}" for number in range(1, len(entries) + 2)]
    assert {one.evidence_id for one in found.judgements} == {edge.id}


def test_a_judgement_of_the_future_is_noticed() -> None:
    """A clock that goes wrong would let it count for ever."""
    entries = [entry(MODEL, second=1), entry(MODEL, second=3)]
    assert later_than(entries, "2026-08-01T00:00:02.5Z") is entries[1]
    assert later_than(entries, "2026-08-01T00:00:03Z") is None
