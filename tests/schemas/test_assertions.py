"""Claims that say several things are told, as a hint."""

import re
from pathlib import Path

import pytest

from schemas.assertions import assertions


@pytest.mark.parametrize(
    ("claim", "count"),
    [
        ("The barrier has 14 gates.", 1),
        ("Service X is available in Taiwan.", 1),
        ("p95 latency is lower.", 1),
        ("The U.S. Senate met on May 3, 2019.", 1),
        ("It has gates, pumps and a lock.", 1),
        ("It is fast and cheap.", 1),
        ("It is fast and has a lock.", 2),
        ("It is fast. It is cheap.", 2),
        ("It is fast; nobody disputes it.", 2),
        ("服務在台灣可用", 1),
    ],
)
def test_one_subject_and_one_outcome_is_one_assertion(claim: str, count: int) -> None:
    """R072."""
    assert assertions(claim) == count


def test_the_founding_documents_own_sentence_is_at_least_four(conformance_data: Path) -> None:
    """R072: in English and in Chinese."""
    for number, pattern in (
        ("000", r"“(Tool A[^”]+)” contains at least four"),
        ("001", r"「(工具 A[^」]+)」至少包含四個"),
    ):
        (path,) = (conformance_data.parent / "seeds").glob(f"{number}_*.txt")
        found = re.search(pattern, path.read_text("utf-8"))
        assert found is not None
        assert assertions(found[1]) >= 4
