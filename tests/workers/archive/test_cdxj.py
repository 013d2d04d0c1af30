"""Index lines, against what is read back and against cdxj-indexer."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from workers.archive import cdxj
from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_file
from workers.archive.record import IndexFacts


def parsed(index: bytes) -> list[tuple[str, str, dict[str, str]]]:
    lines = []
    for line in index.decode().splitlines():
        key, stamp, fields = line.split(" ", 2)
        lines.append((key, stamp, json.loads(fields)))
    return lines


def test_a_line_is_key_time_and_string_fields() -> None:
    facts = IndexFacts("https://www.Example.org/B?d&c", "2026-11-29T12:00:00.9Z", "text/html", "200", "ab" * 32)
    line = cdxj.line(facts, offset=7, length=99, filename="2026/11/29/s-a.warc.gz")
    assert line == (
        b'org,example)/b?c&d 20261129120000 {"url": "https://www.Example.org/B?d&c", '
        b'"mime": "text/html", "status": "200", "digest": "sha256:' + b"ab" * 32 + b'", '
        b'"length": "99", "offset": "7", "filename": "2026/11/29/s-a.warc.gz"}\n'
    )


def test_what_is_absent_is_absent() -> None:
    line = cdxj.line(
        IndexFacts("http://a/", "2026-11-29T12:00:00Z", None, None, None), offset=0, length=1, filename="f"
    )
    assert set(json.loads(line.split(b" ", 2)[2])) == {"url", "length", "offset", "filename"}


def test_lines_are_sorted_by_bytes_and_not_repeated() -> None:
    assert cdxj.sort_lines([b"b\n", b"a\n", b"a\n", b"a b\n", b"\xff\n"]) == b"a\na b\nb\n\xff\n"


def test_lines_collected_while_writing_equal_those_of_the_file(zoo: Any) -> None:
    lines = []
    with zoo.segment.path.open("rb") as file:
        for member in read_file(file):
            assert isinstance(member.record, WarcRecord)
            facts = cdxj.facts_of(member.record)
            if facts is not None:
                lines.append(
                    cdxj.line(facts, offset=member.offset, length=member.length, filename=zoo.segment.path.name)
                )
            member.record.block.close()
    assert parsed(cdxj.sort_lines(lines)) == parsed(zoo.segment.cdxj)
    assert len(lines) == zoo.segment.cdxj_count


def test_every_response_revisit_and_resource_has_a_line(zoo: Any) -> None:
    lines = parsed(zoo.segment.cdxj)
    assert len(lines) == zoo.segment.cdxj_count == len(zoo.exchanges) + 3
    revisits = [fields for _, _, fields in lines if fields.get("mime") == "warc/revisit"]
    assert len(revisits) == 2
    assert all("status" not in fields for fields in revisits)
    assert {fields["digest"] for fields in revisits} == {
        "sha256:" + zoo.exchanges["plain"].response.content.sha256,
    }
    assert sum("digest" not in fields for _, _, fields in lines) == len(zoo.without_payload_digest)


@pytest.mark.slow
def test_lines_equal_those_of_cdxj_indexer_wherever_that_can_parse_the_record(zoo: Any, peers: Path) -> None:
    """All lines but those of revisits (no `status` in ours) and of the exceptions (no `digest` in ours)."""
    command = [str(peers / "cdxj-indexer"), "--sort", str(zoo.segment.path)]
    theirs = subprocess.run(command, check=True, capture_output=True, timeout=120).stdout
    ours = zoo.segment.cdxj
    by_offset = {fields["offset"]: (key, stamp, fields) for key, stamp, fields in parsed(theirs)}
    assert len(by_offset) == zoo.segment.cdxj_count
    equal, different = 0, []
    for key, stamp, fields in parsed(ours):
        peer_key, peer_stamp, peer_fields = by_offset[fields["offset"]]
        assert (key, stamp) == (peer_key, peer_stamp)
        if fields == peer_fields:
            assert list(fields) == list(peer_fields)
            equal += 1
        elif fields.get("mime") == "warc/revisit":
            assert {**fields, "status": "200"} == peer_fields
            different.append("revisit")
        else:
            assert "digest" not in fields
            assert peer_fields["digest"].startswith("sha1:")
            different.append("exception")
    assert different.count("exception") == len(zoo.without_payload_digest)
    assert different.count("revisit") == 1  # the empty one has no status there either
    assert equal == zoo.segment.cdxj_count - len(different)
    same = set(theirs.splitlines()) & set(ours.splitlines())
    assert len(same) == equal
