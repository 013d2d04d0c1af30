"""The numbers that a report cites, for its list of references."""

from __future__ import annotations

from schemas.citations.grammar import find_citations


def cited_numbers(text: str) -> list[int]:
    """In the order of their first citation, each once; `[3]` and `[1, 2]` are citations of numbers, `[1.2]` is not."""
    numbers = (int(name) for one in find_citations(text) for name in one.source_ids)
    return list(dict.fromkeys(numbers))
