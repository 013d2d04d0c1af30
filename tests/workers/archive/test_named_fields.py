"""R083: each named field stands where WARC 1.1 allows it, where it demands it, and says what it should.

One table for the whole of section 5, held against a file with every kind of record that we write.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_file

MESSAGES = {"request", "response", "revisit"}
CAPTURED = MESSAGES | {"resource", "metadata"}
EVERY = CAPTURED | {"warcinfo", "conversion"}
ALLOWED = {
    "WARC-Type": EVERY,
    "WARC-Record-ID": EVERY,
    "WARC-Date": EVERY,
    "WARC-Block-Digest": EVERY,
    "WARC-Truncated": {"response", "revisit"},
    "Content-Type": EVERY,
    "Content-Length": EVERY,
    "WARC-Warcinfo-ID": EVERY - {"warcinfo"},
    "WARC-Filename": {"warcinfo"},
    "WARC-Target-URI": EVERY - {"warcinfo"},
    "WARC-Concurrent-To": CAPTURED,
    "WARC-IP-Address": CAPTURED,
    "WARC-Protocol": CAPTURED,
    "WARC-Cipher-Suite": CAPTURED,
    "WARC-Refers-To": {"revisit", "conversion", "metadata"},
    "WARC-Refers-To-Target-URI": {"revisit"},
    "WARC-Refers-To-Date": {"revisit"},
    "WARC-Profile": {"revisit"},
    "WARC-Payload-Digest": {"response", "revisit", "resource"},
    "WARC-Identified-Payload-Type": {"response"},
}
"""5.2 to 5.18: on which of the types that we write a field may stand; we use no other."""
ALWAYS = ("WARC-Type", "WARC-Record-ID", "WARC-Date", "WARC-Block-Digest", "Content-Type", "Content-Length")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
URN = re.compile(r"<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>")


@pytest.fixture
def records(zoo: Any) -> Iterator[list[WarcRecord]]:
    """Every record of the zoo, in order."""
    with zoo.segment.path.open("rb") as file:
        found = [located.record for located in read_file(file)]
    yield found
    for record in found:
        record.block.close()


def test_every_kind_of_record_is_there(records: list[WarcRecord]) -> None:
    assert {record.type for record in records} == EVERY
    assert records[0].type == "warcinfo"
    profiles = {record.header("WARC-Profile") for record in records if record.type == "revisit"}
    assert {str(profile).rsplit("/", 1)[1] for profile in profiles} == {
        "identical-payload-digest",
        "server-not-modified",
    }


def test_fields_stand_where_they_may_and_once(records: list[WarcRecord]) -> None:
    for record in records:
        names = Counter(name for name, _ in record.headers)
        for name in names:
            assert record.type in ALLOWED[name], (record.type, name)
        assert {name for name, count in names.items() if count > 1} <= {"WARC-Concurrent-To", "WARC-Protocol"}
        assert names.keys() >= set(ALWAYS), record.type
        assert record.type == "warcinfo" or record.header("WARC-Target-URI")


def test_ids_times_and_types_are_of_their_form(records: list[WarcRecord]) -> None:
    ids = [record.header("WARC-Record-ID") or "" for record in records]
    assert all(URN.fullmatch(each) for each in ids)
    assert len(set(ids)) == len(ids)
    assert all(TIME.fullmatch(record.date) for record in records)
    assert any("." in record.date for record in records)
    kinds = {(record.type, record.header("Content-Type")) for record in records}
    assert kinds == {
        ("warcinfo", "application/warc-fields"),
        ("metadata", "application/warc-fields"),
        ("request", "application/http; msgtype=request"),
        ("response", "application/http; msgtype=response"),
        ("revisit", "application/http; msgtype=response"),
        ("conversion", "text/plain; charset=utf-8"),
        ("resource", "image/png; x=y"),
    }


def test_records_of_one_capture_point_at_each_other_and_share_their_date(records: list[WarcRecord]) -> None:
    by_id = {record.id: record for record in records}
    pairs = 0
    for record in records:
        for value in record.header_all("WARC-Concurrent-To"):
            other = by_id[value.strip("<>")]
            assert other.type in CAPTURED
            assert (other.type == "resource") or record.type == "resource" or other.date == record.date
            pairs += 1
        if record.type == "request":
            (answer,) = record.header_all("WARC-Concurrent-To")
            back = by_id[answer.strip("<>")]
            assert back.header_all("WARC-Concurrent-To") == (f"<{record.id}>",)
            assert back.header("WARC-Target-URI") == record.header("WARC-Target-URI")
    assert pairs > 40


def test_every_record_names_the_warcinfo_of_its_file(records: list[WarcRecord]) -> None:
    assert {record.reference("WARC-Warcinfo-ID") for record in records[1:]} == {records[0].id}


def test_messages_say_where_they_came_from(records: list[WarcRecord]) -> None:
    for record in records:
        if record.type in MESSAGES:
            assert record.header("WARC-IP-Address") == "127.0.0.1"
            assert record.header_all("WARC-Protocol") == ("http/1.1",)


def test_a_revisit_refers_to_a_response_that_stands_before_it(records: list[WarcRecord]) -> None:
    """6.7.2 and 6.7.3: the original's digest, all three Refers-To fields; `length` where the payload was left out."""
    seen: dict[str, WarcRecord] = {}
    count = 0
    for record in records:
        if record.type == "revisit":
            original = seen[record.reference("WARC-Refers-To") or ""]
            assert original.type == "response"
            assert record.header("WARC-Refers-To-Target-URI") == original.header("WARC-Target-URI")
            assert record.header("WARC-Refers-To-Date") == original.date
            assert record.header("WARC-Payload-Digest") == original.header("WARC-Payload-Digest")
            identical = str(record.header("WARC-Profile")).endswith("identical-payload-digest")
            assert record.header("WARC-Truncated") == ("length" if identical else None)
            assert bool(record.block.size) is identical
            count += 1
        seen[record.id] = record
    assert count == 2


def test_what_was_cut_off_says_why(records: list[WarcRecord], zoo: Any) -> None:
    reasons = Counter(r.header("WARC-Truncated") for r in records if r.type == "response")
    assert {reason: count for reason, count in reasons.items() if reason} == {"length": 1, "time": 1, "disconnect": 1}
    assert reasons[None] == len(zoo.exchanges) - 3


def test_a_payload_type_is_given_with_a_payload_alone(records: list[WarcRecord], zoo: Any) -> None:
    """5.18: not on records without a well-defined payload, and never what the server said of it."""
    types = {}
    for record in records:
        found = record.header("WARC-Identified-Payload-Type")
        if found is not None:
            assert record.header("WARC-Payload-Digest") is not None
            types[record.header("WARC-Target-URI")] = found
    urls = {exchange.url: name for name, exchange in zoo.exchanges.items()}
    named = {urls[url]: kind for url, kind in types.items()}
    assert {named[name] for name in ("plain", "chunked", "gzip", "brotli", "latin-1", "cut off")} == {"text/html"}
    assert "empty 404" not in named
    assert "not gzip" not in named
    assert named.get("large") != "application/pdf"
