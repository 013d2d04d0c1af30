"""Files that others wrote, good and broken: each is read as warcio reads it, or refused for a reason that is listed."""

import gzip
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from validator.warc import Broken, read_member
from workers.archive.parsing import CorruptRecord, WarcRecord
from workers.archive.reading import Located, read_file
from workers.archive.stored_http import split_http

ENDINGS = (".warc", ".gz", ".arc", ".open", ".bad")
LISTED = json.loads(Path(__file__).with_name("foreign_files.json").read_text())
EXCEPTIONS: dict[str, tuple[int, str, str]] = {
    name: tuple(entry) for group in ("broken", "refused", "no WARC") for name, entry in LISTED[group].items()
}
PLAIN_END = 4
"""The two CRLF after a block: warcio does not count them to an uncompressed record."""


@pytest.fixture(scope="module")
def suite(conformance_data: Path) -> Path:
    return conformance_data / "warc"


@pytest.fixture(scope="module")
def files(suite: Path) -> dict[str, Path]:
    found = (path for path in sorted(suite.rglob("*")) if path.is_file() and path.name.endswith(ENDINGS))
    return {str(path.relative_to(suite)): path for path in found}


@pytest.fixture(scope="module")
def oracle(suite: Path) -> dict[str, Any]:
    """What warcio says of each file."""
    return {entry["file"]: entry for entry in json.loads((suite / "expected/oracle_warcio.json").read_text())}


def read(path: Path) -> tuple[list[Located], CorruptRecord | None]:
    """The whole records of a file, and the fault that ended it."""
    with path.open("rb") as file:
        found = list(read_file(file))
    fault = found[-1].record if found and isinstance(found[-1].record, CorruptRecord) else None
    return found[: len(found) - (fault is not None)], fault


def close(records: list[Located]) -> None:
    for located in records:
        assert isinstance(located.record, WarcRecord)
        located.record.block.close()


def test_every_listed_file_is_there_and_no_other_fails(files: dict[str, Path]) -> None:
    assert EXCEPTIONS.keys() <= files.keys()
    assert len(files) - len(EXCEPTIONS) >= 20
    for name, path in files.items():
        records, fault = read(path)
        close(records)
        expected = EXCEPTIONS.get(name)
        assert (name, fault and (len(records), fault.fault)) == (name, expected and expected[:2])


def test_whole_files_are_read_as_warcio_reads_them(files: dict[str, Path], oracle: dict[str, Any]) -> None:
    compared: Counter[str] = Counter()
    for name in files.keys() - EXCEPTIONS.keys():
        theirs = oracle[name]
        assert theirs["stopped_with"] is None, name
        records, _ = read(files[name])
        assert len(records) == theirs["records_total"], name
        for ours, their in zip(records, theirs["records_first_60"], strict=False):
            record = ours.record
            assert isinstance(record, WarcRecord)
            end = PLAIN_END if files[name].read_bytes()[:4] == b"WARC" else 0
            assert (ours.offset, ours.length - end) == (their["offset"], their["length"]), name
            assert (record.type, record.date) == (their["type"], their["date"]), name
            uri = record.header("WARC-Target-URI")
            assert (uri and uri.removeprefix("<").removesuffix(">").replace(" ", "%20")) == their["uri"], name
            compared["record"] += 1
            if record.type == "response":
                http = split_http(record.block)
                if not http.header("Transfer-Encoding") and not http.header("Content-Encoding") and http.start:
                    digest = hashlib.sha256(http.payload()).hexdigest()
                    assert digest == their["decoded_payload_sha256"], (name, ours.offset)
                    compared["payload"] += 1
        close(records)
    assert compared["record"] > 200
    assert compared["payload"] >= 30


def test_where_warcio_finds_a_digest_wrong_ours_is_not_verified(files: dict[str, Path], oracle: dict[str, Any]) -> None:
    verified: Counter[str] = Counter()
    for name in files.keys() - EXCEPTIONS.keys():
        records, _ = read(files[name])
        for ours, their in zip(records, oracle[name]["records_first_60"], strict=False):
            assert isinstance(ours.record, WarcRecord)
            verified[ours.record.block_check] += 1
            if their["digest_check"] is False:
                assert ours.record.payload_check == "differs", (name, ours.offset)
        close(records)
    assert verified["verified"] > 60


def test_a_mend_suite_is_told_apart(files: dict[str, Path]) -> None:
    """Files of `jwat` and `ia-gowarc` that are named valid or good are in no list but for the reason given."""
    for name in EXCEPTIONS:
        if "valid-" in name.replace("invalid-", "") or "good" in name:
            assert EXCEPTIONS[name][2].startswith(("WARC/0.17", "one gzip member")), name


def members(path: Path) -> Iterator[tuple[bytes, Located]]:
    data = path.read_bytes()
    for located in read(path)[0]:
        yield data[located.offset : located.offset + located.length], located


def test_the_validators_reader_agrees_on_every_member(files: dict[str, Path]) -> None:
    """Two readers of two libraries: what one takes for a whole record, the other does, with the same block."""
    agreed = 0
    for name in sorted(files):
        if files[name].read_bytes()[:2] != b"\x1f\x8b":
            continue
        for member, located in members(files[name]):
            assert isinstance(located.record, WarcRecord)
            with ExitStack() as scratch:
                theirs = read_member(io.BytesIO(member), len(member), scratch)
                assert not isinstance(theirs, Broken), (name, theirs)
                assert theirs.reference("WARC-Record-ID") == located.record.id
                assert theirs.block_sha256 == located.record.block.sha256
            located.record.block.close()
            agreed += 1
    assert agreed > 500


@pytest.mark.parametrize("name", [name for name, entry in EXCEPTIONS.items() if name in LISTED["broken"]])
def test_the_validators_reader_refuses_what_is_broken(name: str, files: dict[str, Path]) -> None:
    data = files[name].read_bytes()
    with ExitStack() as scratch:
        assert isinstance(read_member(io.BytesIO(data), len(data), scratch), Broken)


def test_a_plain_file_and_its_gzip_members_hold_the_same_records(files: dict[str, Path]) -> None:
    path = files["ipwb/warcs/frogTest.warc"]
    data = path.read_bytes()
    plain, _ = read(path)
    packed = b"".join(gzip.compress(data[r.offset : r.offset + r.length], mtime=0) for r in plain)
    again = list(read_file(io.BytesIO(packed)))
    for one, other in zip_longest(plain, again):
        assert isinstance(one.record, WarcRecord)
        assert isinstance(other.record, WarcRecord)
        assert one.record.headers == other.record.headers
        assert one.record.block.sha256 == other.record.block.sha256
    close(plain)
    close(again)


def test_every_example_of_the_standard_is_a_header_that_we_read(suite: Path) -> None:
    """The annexes of WARC 1.0 and 1.1 print records. With a block of that length, only its digest may be wrong."""
    count = 0
    for version in ("1.0", "1.1"):
        for text in printed_headers(json.loads((suite / f"spec-examples/warc-{version}.json").read_text())):
            header = text.strip().replace("\r\n", "\n").replace("\n", "\r\n").encode() + b"\r\n\r\n"
            length = int(
                next(line for line in text.split("\n") if line.lower().startswith("content-length")).split()[1]
            )
            (found,) = read_file(io.BytesIO(header + bytes(length) + b"\r\n\r\n"))
            if isinstance(found.record, CorruptRecord):
                assert found.record.fault in ("block-digest", "payload-digest"), found.record
            else:
                found.record.block.close()
            count += 1
    assert count >= 8


def printed_headers(document: Any) -> Iterator[str]:
    """Every string in it that is a record's header, with the folded lines of 1.0 joined."""
    match document:
        case str() if document.lstrip().startswith("WARC/"):
            head = document.lstrip().split("\n\n")[0]
            yield head.replace("\n ", " ").replace("\n\t", " ")
        case dict():
            for value in document.values():
                yield from printed_headers(value)
        case list():
            for value in document:
                yield from printed_headers(value)
