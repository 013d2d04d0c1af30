"""What the last answer of a URL is: hops, revisits, 304, cut-off and malformed answers, codings, large bodies."""

from __future__ import annotations

import gzip

import pytest

from schemas.records.outcome import Outcome
from workers.extract.decode import DecodeLimits
from workers.flows.extract.answer import header_values

URL = "https://example.org/story"
GZIP_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"


def test_a_redirected_url_has_one_snapshot_of_its_last_hop(bench, captured, story) -> None:
    moved = captured("https://example.org/old#here", head=b"HTTP/1.1 301 Moved\r\nLocation: /story\r\n\r\n", status=301)
    (line,) = bench.lines(captured(URL, story, hops=[moved]))
    found = line.snapshot
    assert (found.requested_url, found.final_url) == ("https://example.org/old#here", URL)
    assert (found.fragment, found.http_status, found.reader_status) == ("here", 200, "ok")


def test_a_redirect_that_leads_nowhere_has_no_snapshot(bench, captured) -> None:
    moved = captured("https://example.org/old", head=b"HTTP/1.1 301 M\r\nLocation: /x\r\n\r\n", status=301)
    failed = captured("https://gone.example/", head=b"", status=None, outcome=Outcome.DNS_FAILED, hops=[moved])
    assert bench.lines(failed) == ()


def test_an_error_page_has_a_snapshot_that_is_not_citeable(bench, captured) -> None:
    head = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n"
    (line,) = bench.lines(captured(URL, b"<p>There is no such page.</p>", head=head, status=404))
    assert (line.snapshot.reader_status, line.snapshot.reader_reason) == ("http_error", "http-status.404")
    assert not line.snapshot.citeable
    assert line.conversion is not None  # what it said is kept all the same


def test_a_revisit_reads_its_original_with_headers_of_its_own(bench, captured, story, original_of) -> None:
    first = bench.commit(captured(URL, story))
    before = bench.extract(first).lines[0].snapshot
    head = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nETag: "second"\r\n\r\n'
    again = bench.commit(
        captured(URL, story, head=head, original=original_of(first), started_at="2026-11-30T12:00:00.000000Z")
    )
    assert again.outcomes[0].outcome is Outcome.REVISIT
    (line,) = bench.extract(again).lines
    found = line.snapshot
    assert (found.etag, found.text_sha256, found.content_sha256) == (
        '"second"',
        before.text_sha256,
        before.content_sha256,
    )
    assert found.repr_sha256 == before.repr_sha256
    assert found.records.payload == before.records.response != found.records.response
    assert found.id != before.id
    assert {block.record_id for block in line.blocks} >= {found.records.payload, found.records.response}


def test_a_revisit_of_a_record_in_its_own_file_needs_no_catalog(bench, captured, story) -> None:
    receipt = bench.commit(captured(URL, story), captured("https://example.org/copy", story))
    first, second = receipt.outcomes
    turned = second.hops[0].model_copy(
        update={
            "outcome": Outcome.REVISIT,
            "refers_to": first.hops[0].record("response").record_id,
            "records": tuple(
                place.model_copy(update={"type": "revisit"}) if place.type == "response" else place
                for place in second.hops[0].records
            ),
        }
    )
    from workers.flows.extract.members import SegmentRecords

    records = SegmentRecords(bench.store, bench.ports.catalog, receipt.model_copy(update={"outcomes": (first, second)}))
    place = records.find(turned.refers_to)
    assert place == bench.memory.places[turned.refers_to]
    assert records.find("urn:uuid:00000000-0000-4000-8000-000000000000") is None


def test_a_304_stands_for_the_representation_that_it_confirms(bench, captured, story, original_of) -> None:
    head = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nETag: "v1"\r\n\r\n'
    first = bench.commit(captured(URL, story, head=head))
    before = bench.extract(first).lines[0].snapshot
    unchanged = captured(
        URL,
        head=b'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\n\r\n',
        status=304,
        original=original_of(first),
        started_at="2026-11-30T12:00:00.000000Z",
    )
    receipt = bench.commit(unchanged)
    assert receipt.outcomes[0].outcome is Outcome.NOT_MODIFIED
    (line,) = bench.extract(receipt).lines
    found = line.snapshot
    assert (found.http_status, found.reader_status, found.etag) == (304, "ok", '"v1"')
    assert (found.content_sha256, found.text_sha256) == (before.content_sha256, before.text_sha256)
    assert found.records.metadata is not None


def test_a_truncated_answer_is_no_representation_and_not_citeable(bench, captured, story) -> None:
    cut = captured(URL, story[:900], outcome=Outcome.TRUNCATED, truncated="length")
    (line,) = bench.lines(cut)
    assert (line.snapshot.reader_status, line.snapshot.repr_sha256) == ("truncated", None)
    assert line.snapshot.decoded_sha256 == line.snapshot.content_sha256


def test_a_range_answer_is_no_representation(bench, captured, story) -> None:
    head = b"HTTP/1.1 206 Partial Content\r\nContent-Type: text/html\r\n\r\n"
    (line,) = bench.lines(captured(URL, story, head=head, status=206))
    assert (line.snapshot.reader_status, line.snapshot.repr_sha256) == ("truncated", None)


@pytest.mark.parametrize(
    ("content", "status", "reason"),
    [
        (gzip.compress(b"<p>x</p>" * 99, mtime=0)[:-9], "truncated", "content-coding.truncated"),
        (b"<p>not coded at all</p>", "extract_failed", "content-coding.broken"),
        (gzip.compress(bytes(70 * 1024 * 1024), mtime=0), "extract_failed", "content-coding.ratio"),
    ],
)
def test_a_coding_that_cannot_be_undone_gives_no_decoded_digest(bench, captured, content, status, reason) -> None:
    (line,) = bench.lines(captured(URL, content, head=GZIP_HEAD))
    found = line.snapshot
    assert (found.reader_status, found.reader_reason, found.decoded_sha256) == (status, reason, None)
    assert found.repr_sha256 == found.content_sha256


def test_an_answer_without_a_head_is_read_by_its_content(bench, captured) -> None:
    old = captured(
        URL, b"<html><p>From an HTTP/0.9 server.</p>", head=b"", status=None, framing="close", outcome=Outcome.MALFORMED
    )
    (line,) = bench.lines(old)
    found = line.snapshot
    assert (found.reader_status, found.content_type, found.http_status) == ("ok", None, None)
    assert found.repr_sha256 is None


def test_an_empty_body_is_empty(bench, captured) -> None:
    (line,) = bench.lines(captured(URL, b""))
    assert (line.snapshot.reader_status, line.snapshot.text_chars, line.conversion) == ("empty", 0, None)


def test_a_body_above_the_limit_is_not_brought_into_memory(bench, captured) -> None:
    bench.decoding = DecodeLimits(max_bytes=1000)
    video = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n"
    lines = bench.lines(
        captured("https://example.org/v.mp4", bytes(2000), head=video),
        captured("https://example.org/big", b"<p>" + b"x" * 2000),
        captured("https://example.org/coded", gzip.compress(bytes(range(256)) * 20, 0), head=GZIP_HEAD),
    )
    found = [line.snapshot for line in lines]
    assert [s.reader_reason for s in found] == [
        "media-type.video/mp4",
        "content-coding.too-large",
        "content-coding.too-large",
    ]
    assert [s.decoded_sha256 == s.content_sha256 for s in found] == [True, True, False]
    assert found[2].decoded_sha256 is None


def test_records_of_a_large_file_are_fetched_by_ranges(bench, captured, story, monkeypatch) -> None:
    from workers.flows.extract import members

    expected = bench.lines(captured(URL, story))[0].snapshot
    monkeypatch.setattr(members, "WHOLE_FILE_BYTES", 10)
    assert bench.lines(captured(URL, story))[0].snapshot.text_sha256 == expected.text_sha256
    monkeypatch.setattr(members, "RANGE_BYTES", 100)
    assert bench.lines(captured(URL, story))[0].snapshot.text_sha256 == expected.text_sha256


def test_header_values_are_read_in_order_with_folds_and_any_case() -> None:
    head = b"HTTP/1.1 200 OK\r\nx-a: 1\r\nX-A : 2\r\n 3\r\nx-b: y\r\n\tz\r\nX-a:\xe9\r\n\r\n"
    assert header_values(head, "X-A") == ["1", "2 3", "\xe9"]
    assert header_values(b"", "X-A") == []
