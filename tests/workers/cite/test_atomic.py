from __future__ import annotations

import pytest

from workers.cite.atomic import assertions_of


def test_the_seeds_sentence_holds_four_claims() -> None:
    """R072: one subject, one outcome each."""
    claim = "Tool A launched in 2026, is free, is the fastest option, and complies with a standard"
    assert assertions_of(claim) == [
        "Tool A launched in 2026",
        "is free",
        "is the fastest option",
        "complies with a standard",
    ]


@pytest.mark.parametrize(
    ("claim", "parts"),
    [
        ("The barrier has 14 gates.", 1),
        ("Apples, pears and plums were sold in the hall.", 1),
        ("The barrier, built in 1998, has 14 gates of steel and concrete.", 1),
        ("The bridge and the tunnel were closed on Monday.", 1),
        ("It closed at dawn. It opened at noon.", 2),
        ("The gate was closed; the road was open.", 2),
        ("The gate was closed and was opened again at noon.", 2),
        ("水门关闭了。道路开放了。", 2),
    ],
)
def test_a_list_of_things_is_one_claim_and_a_list_of_predicates_is_not(claim: str, parts: int) -> None:
    assert len(assertions_of(claim)) == parts, assertions_of(claim)
