"""Every odd response that is known to break an archiver, read from bytes at rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workers.capture.scan import End

TABLE: list[dict[str, Any]] = json.loads((Path(__file__).parent / "odd_responses.json").read_text("utf-8"))


def wire_of(case: dict[str, Any]) -> bytes:
    return b"".join(text.encode("latin-1") * times for text, times in case["wire"])


@pytest.mark.parametrize("case", TABLE, ids=[case["name"] for case in TABLE])
def test_an_odd_response_is_read_leniently_and_comes_back_byte_for_byte(case, scan):

    wire = wire_of(case)
    got = scan(wire, end=End.CLOSED if case["ends"] == "close" else End.SILENT)
    assert got.rebuilt == wire
    assert (got.outcome, got.status, got.framing, got.truncated) == (
        case["outcome"],
        case["status"],
        case["framing"],
        case["truncated"],
    )
    assert got.notes == case["notes"]
    if case["content"] is not None:
        assert got.content == case["content"].encode("latin-1")


@pytest.mark.parametrize("case", TABLE, ids=[case["name"] for case in TABLE])
def test_an_odd_response_reads_the_same_whatever_pieces_it_arrives_in(case, scan, scan_pieces):
    wire = wire_of(case)
    whole = scan(wire)
    for size in (1, 2, 3, 7, 64) if len(wire) < 4000 else (1460, 65536):
        assert scan_pieces(wire[at : at + size] for at in range(0, len(wire), size)) == whole


def test_the_table_holds_at_least_the_cases_that_are_known_to_break_other_archivers():
    assert len(TABLE) >= 41
    assert len({case["name"] for case in TABLE}) == len(TABLE)
