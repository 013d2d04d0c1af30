"""An answer costs as much as it is long: these are so long that anything beyond would not end while somebody waits."""

from __future__ import annotations

import pytest

from schemas.citations.answer import read_answer
from schemas.citations.sentences import _speaks_of

LONG = 300_000


class Counted(list[tuple[int, int]]):
    """Spans that count how often one of them is looked at."""

    looked = 0

    def __getitem__(self, at):  # type: ignore[no-untyped-def,override]
        Counted.looked += 1
        return super().__getitem__(at)

    def __iter__(self):  # type: ignore[no-untyped-def]
        for one in super().__iter__():
            Counted.looked += 1
            yield one


@pytest.mark.parametrize(
    ("text", "citations", "sentences"),
    [
        ("A fact " + "." * LONG + "x [1.1]", 1, 1),
        ("a " + "<!-- " * LONG, 0, 1),
        ("[a](" + " " * LONG + "x y", 0, 1),
        ('[a](x "' + "b" * LONG, 0, 1),
        ("[" * 20_000 + "a" + "]" * 20_000, 0, 1),
        ("a " + " ".join("`" * length for length in range(1, 3_000)), 0, 1),
        ("a [1.1]. " * 20_000, 20_000, 20_000),
        ("A fact here. [1.1]\n\n" * 5_000, 5_000, 5_000),
    ],
    ids=["full stops", "comments", "blanks", "title", "brackets", "backticks", "sentences", "paragraphs"],
)
def test_an_answer_that_is_made_to_be_slow_is_read(text: str, citations: int, sentences: int) -> None:
    parsed = read_answer(text)
    assert (len(parsed.citations), len(parsed.sentences)) == (citations, sentences)


def test_the_sentence_of_a_citation_is_found_without_a_look_at_each() -> None:
    spans = Counted((start, start + 5) for start in range(0, 600_000, 6))
    Counted.looked = 0
    assert [_speaks_of(spans, place) for place in (0, 1, 6, 7, 599_995)] == [0, 0, 0, 1, 99_999]
    assert Counted.looked < 5 * 20
    assert _speaks_of([], 3) is None


def test_what_is_no_prose_stays_none() -> None:
    """Comments, code of any number of backticks, and links with a title and nothing else."""
    text = 'A <!-- [1.1] --> b ``[1.2] ` `` c [d]( "[1.3] e") f [1.4] <!-- [1.5] ``` [1.6].\n'
    assert read_answer(text).chunk_ids == ["1.4", "1.5", "1.6"]
