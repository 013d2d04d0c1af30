"""Every odd response that is known to break an archiver, read from bytes at rest."""

from __future__ import annotations

import pytest

from deploy.hostile.case import Case
from deploy.hostile.cases import CASES, STILL
from workers.capture.scan import End

ENDS = {"close": End.CLOSED, "reset": End.RESET, "open": End.SILENT}
NAMES = [case.name for case in STILL]


@pytest.mark.parametrize("case", STILL, ids=NAMES)
def test_an_odd_response_is_read_leniently_and_comes_back_byte_for_byte(case: Case, scan):
    wire = case.wire()
    got = scan(wire, end=ENDS[case.ends])
    assert got.rebuilt == wire
    assert (got.outcome, got.status, got.framing, got.truncated) == (
        case.outcome,
        case.status,
        case.framing,
        case.truncated,
    )
    assert got.notes == list(case.notes)
    if case.content is not None:
        assert got.content == case.content


@pytest.mark.parametrize("case", STILL, ids=NAMES)
def test_an_odd_response_reads_the_same_whatever_pieces_it_arrives_in(case: Case, scan, scan_pieces):
    wire = case.wire()
    whole = scan(wire)
    for size in (1, 2, 3, 7, 64) if len(wire) < 4000 else (1460, 65536):
        assert scan_pieces(wire[at : at + size] for at in range(0, len(wire), size)) == whole


def test_the_table_holds_at_least_the_cases_that_are_known_to_break_other_archivers():
    assert len(STILL) >= 41
    assert len({case.path for case in CASES}) == len({case.name for case in CASES}) == len(CASES)
