"""R083: every WARC that we write is read back by FastWARC and warcio; what they do not check is counted."""

import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from typing import Any, BinaryIO

from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_file


def test_fastwarc_verifies_every_digest_that_it_can(
    zoo: Any, fastwarc_verdicts: Callable[[BinaryIO], list[Any]]
) -> None:
    with zoo.segment.path.open("rb") as file:
        verdicts = fastwarc_verdicts(file)
    assert len(verdicts) == zoo.segment.record_count
    assert all(verdict.block is True for verdict in verdicts)
    responses = [verdict for verdict in verdicts if verdict.type == "response"]
    assert {v.record_id for v in responses if v.payload is None} == zoo.without_payload_digest
    assert all(v.payload is True for v in responses if v.record_id not in zoo.without_payload_digest)
    # FastWARC verifies payload digests of HTTP records alone: the resource is the one it says False of.
    assert [v.type for v in verdicts if v.payload is False] == ["resource"]


def test_warcio_verifies_every_record_but_revisits(
    zoo: Any, warcio_verdicts: Callable[[BinaryIO], list[tuple[str, bool | None]]]
) -> None:
    with zoo.segment.path.open("rb") as file:
        verdicts = warcio_verdicts(file)
    assert len(verdicts) == zoo.segment.record_count
    assert Counter(kind for kind, passed in verdicts if passed is None) == {"revisit": 2}
    assert all(passed is True for kind, passed in verdicts if kind != "revisit")


def test_our_reader_agrees(zoo: Any) -> None:
    with zoo.segment.path.open("rb") as file:
        members = list(read_file(file))
    assert len(members) == zoo.segment.record_count
    for member in members:
        record = member.record
        assert isinstance(record, WarcRecord), record
        assert record.block_check == "verified"
        if record.type == "response":
            assert record.payload_check == ("absent" if record.id in zoo.without_payload_digest else "verified")
        record.block.close()


def test_gzip_tests_the_file(zoo: Any) -> None:
    program = shutil.which("gzip")
    assert program, "install gzip: it is a second reader"
    subprocess.run([program, "-t", str(zoo.segment.path)], check=True)
