"""A compaction is a concatenation, or it is refused: nobody has to trust that its numbers fit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemas.canonical import canonical_bytes
from schemas.reading import DocumentError, read_document
from schemas.records.compaction import Compaction


def stored(key: str, size: int, entries: int) -> dict[str, Any]:
    return {"key": key, "bytes": size, "sha256": "ab" * 32, "entries": entries}


def document() -> dict[str, Any]:
    return {
        "schema": "citevault/compaction@1",
        "sequence": 1,
        "compacted_at": "2026-11-29T10:00:00Z",
        "collection": "default",
        "warc": stored("warc/2026/11/29/x-joined.warc.gz", 160, 6),
        "cdxj": stored("cdxj/2026/11/29/x-joined.cdxj", 40, 2),
        "warcinfo": {"record_id": f"urn:uuid:{'0' * 36}", "type": "warcinfo", "offset": 0, "length": 10},
        "sources": [
            {
                "warc": stored("warc/a", 100, 3),
                "start": 10,
                "cdxj": stored("cdxj/a", 20, 1),
                "receipt_key": "commits/a",
            },
            {"warc": stored("warc/b", 50, 2), "start": 110, "cdxj": None, "receipt_key": None},
        ],
    }


def read(given: dict[str, Any]) -> Compaction | DocumentError:
    return read_document(json.dumps(given).encode(), Compaction)


def test_a_concatenation_is_read_and_written_back() -> None:
    compaction = read(document())
    assert isinstance(compaction, Compaction)
    assert json.loads(canonical_bytes(compaction)) == document()


def gap(given: dict[str, Any]) -> None:
    given["sources"][1]["start"] += 1
    given["warc"]["bytes"] += 1


def overlap(given: dict[str, Any]) -> None:
    given["sources"][1]["start"] -= 1
    given["warc"]["bytes"] -= 1


def rest(given: dict[str, Any]) -> None:
    given["warc"]["bytes"] += 1


def records(given: dict[str, Any]) -> None:
    given["warc"]["entries"] += 1


def twice(given: dict[str, Any]) -> None:
    given["sources"][1]["warc"]["key"] = given["sources"][0]["warc"]["key"]


def itself(given: dict[str, Any]) -> None:
    given["sources"][1]["warc"]["key"] = given["warc"]["key"]


def alone(given: dict[str, Any]) -> None:
    del given["sources"][1]
    given["warc"] |= {"bytes": 110, "entries": 4}


def late_warcinfo(given: dict[str, Any]) -> None:
    given["warcinfo"]["offset"] = 1


@pytest.mark.parametrize("damage", [gap, overlap, rest, records, twice, itself, alone, late_warcinfo])
def test_what_is_no_concatenation_is_refused(damage: Any) -> None:
    given = document()
    damage(given)
    assert isinstance(read(given), DocumentError)
