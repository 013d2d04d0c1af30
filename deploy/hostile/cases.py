"""All cases, in the order of the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from deploy.hostile.case import Case
from deploy.hostile.chunks import CHUNKS
from deploy.hostile.codings import CODINGS
from deploy.hostile.cuts import CUTS
from deploy.hostile.fields import FIELDS
from deploy.hostile.lengths import LENGTHS
from deploy.hostile.patience import PATIENCE
from deploy.hostile.redirects import REDIRECTS
from deploy.hostile.status_lines import STATUS_LINES

WORD = b"hello"


def with_own_word(case: Case, number: int) -> Case:
    """The case with another word for `hello`, so that no payload equals another's: equal ones would be stored once,
    and the odd head before them would have no payload for a reader to find."""
    word = b"%c%cllo" % (ord("a") + number % 26, ord("a") + number // 26)

    def answer(query: str) -> Iterator[bytes]:
        return (piece.replace(WORD, word) for piece in case.answer(query))

    return replace(case, answer=answer, content=case.content and case.content.replace(WORD, word))


GROUPS: dict[str, tuple[Case, ...]] = {
    "First lines": STATUS_LINES,
    "Header fields": FIELDS,
    "Lengths": LENGTHS,
    "Chunks": CHUNKS,
    "Connections cut": CUTS,
    "Content codings and bombs": CODINGS,
    "Without an end": PATIENCE,
    "Redirects": REDIRECTS,
}
CASES: tuple[Case, ...] = tuple(
    with_own_word(case, number) for number, case in enumerate(case for cases in GROUPS.values() for case in cases)
)
STILL: tuple[Case, ...] = (*STATUS_LINES, *FIELDS, *LENGTHS, *CHUNKS, *CUTS)
"""Those whose answer is a few bytes, always the same, and what is to be told of it follows from them alone."""
