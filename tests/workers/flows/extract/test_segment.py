"""A committed segment becomes snapshot lines, texts and fingerprints."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import io
from dataclasses import replace

import pytest
from fastwarc.warc import ArchiveIterator

from schemas import keys
from schemas.ids import snapshot_id, source_id
from schemas.reading import read_stored
from schemas.records.cluster import Fingerprint
from schemas.records.outcome import Outcome
from schemas.records.snapshot import ReaderStatus, SnapshotLine
from schemas.records.unread import UnreadAnswers
from schemas.text_v1 import is_normalized
from schemas.urls.policy import conservative_1
from workers.archive.reading import read_member
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.errors import CorruptError, RetryableError
from workers.extract.options import PLAIN_EXTRACTOR, html_extractor_id
from workers.flows.documents import read_lines_object

URL = "https://example.org/a/story?utm_source=x&id=7#part"


def test_r081_every_field_of_a_snapshot_is_filled(bench, captured, story, digest) -> None:
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"
        b'ETag: W/"abc123"\r\nLast-Modified: Fri, 27 Nov 2026 08:00:00 GMT\r\n\r\n'
    )
    coded = gzip.compress(story)
    receipt = bench.commit(captured(URL, coded, head=head))
    (line,) = bench.extract(receipt).lines
    found = line.snapshot
    hop = receipt.outcomes[0].hops[0]
    response = hop.record("response").record_id
    normalized = "https://example.org/a/story?id=7"
    assert found.id == snapshot_id(source_id(normalized), hop.retrieved_at, response)
    assert (found.requested_url, found.final_url) == (URL, "https://example.org/a/story?utm_source=x&id=7")
    assert (found.normalized_url, found.fragment) == (normalized, "part")
    assert (found.declared_canonical, found.source_id) == ("https://example.org/story", source_id(normalized))
    assert (found.job_id, found.collection, found.visit) == (receipt.job_id, "default", 1)
    assert (found.http_status, found.content_type, found.charset) == (200, "text/html; charset=utf-8", "utf-8")
    assert (found.etag, found.last_modified) == ('W/"abc123"', "Fri, 27 Nov 2026 08:00:00 GMT")  # R082
    assert found.content_sha256 == found.raw_sha256 == found.repr_sha256 == digest(coded)  # X25
    assert found.decoded_sha256 == digest(story)
    assert found.content_bytes == len(coded)
    assert (found.extractor, found.normalizer) == (html_extractor_id(), "text-v1")
    assert found.url_policy == conservative_1().id
    assert (found.reader_status, found.reader_reason, found.citeable) == (ReaderStatus.OK, None, True)
    assert (found.title, found.author, found.publisher, found.language) == (
        "Bridge to reopen",
        "Ada Example",
        "The Paper",
        "en",
    )
    assert (found.published_at, found.published_source) == ("2026-11-28T09:00:00Z", "meta:article:published_time")
    assert found.records.response == found.records.payload == response
    assert found.records.request == hop.record("request").record_id
    assert line.outlinks == (
        "https://example.org/more?x=1",
        "https://other.example/z",
    )


def test_what_server_and_page_wish_robots_to_do_is_recorded_and_changes_nothing_else(bench, captured, story) -> None:
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
        b"X-Robots-Tag: noarchive\r\nX-Robots-Tag: otherbot: noindex\r\n\r\n"
    )
    wishing = story.replace(b"<head>", b'<head><meta name="robots" content="NoIndex, max-snippet:5">', 1)
    assert wishing != story
    found, plain = (line.snapshot for line in bench.lines(captured(URL, wishing, head=head), captured(URL, story)))
    assert [(wish.source, wish.agent, wish.directive) for wish in found.robots_directives] == [
        ("header", None, "noarchive"),
        ("header", "otherbot", "noindex"),
        ("meta", None, "noindex"),
        ("meta", None, "max-snippet: 5"),
    ]
    assert (found.reader_status, found.text_sha256) == (ReaderStatus.OK, plain.text_sha256)
    assert plain.robots_directives == ()


def test_what_the_server_says_of_its_content_is_compared_with_what_came(bench, captured, story) -> None:
    """R055: Content-Digest, Repr-Digest and Digest, right and wrong; a wrong one changes nothing else."""
    right = base64.b64encode(hashlib.sha256(story).digest()).decode()
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
        f"Content-Digest: sha-256=:{right}:\r\nRepr-Digest: sha-256=:{'A' * 43}=:\r\nDigest: SHA-256={right}\r\n\r\n"
    ).encode()
    (found,) = (line.snapshot for line in bench.lines(captured(URL, story, head=head)))
    assert [(each.field, each.algorithm, each.agrees) for each in found.server_digests] == [
        ("content-digest", "sha-256", True),
        ("repr-digest", "sha-256", False),
        ("digest", "sha-256", True),
    ]
    assert found.reader_status is ReaderStatus.OK


def test_the_text_lies_in_a_conversion_record_that_refers_to_its_payload(bench, captured, story, digest) -> None:
    (line,) = bench.lines(captured(URL, story))
    place = line.conversion
    assert place.record_id == line.snapshot.records.conversion
    record = read_member(bench.get(place.key)[place.offset : place.offset + place.length])
    text = record.block.read().decode("utf-8")
    record.block.close()
    assert record.type == "conversion"
    assert record.reference("WARC-Refers-To") == line.snapshot.records.payload
    assert digest(text.encode()) == line.snapshot.text_sha256 == record.block.sha256
    assert (len(text), is_normalized(text)) == (line.snapshot.text_chars, True)
    (heading,) = [heading for heading in line.headings if heading.text == "The plan"]
    assert text[heading.start :].startswith("The plan\n")
    kinds = [
        record.headers["WARC-Type"] for record in ArchiveIterator(io.BytesIO(bench.get(place.key)), parse_http=False)
    ]
    assert kinds == ["warcinfo", "conversion", "metadata"]


def test_block_digests_of_all_named_records_stand_beside_the_snapshot(bench, captured, story, digest) -> None:
    (line,) = bench.lines(captured(URL, story))
    blocks = {block.record_id: block.block_sha256 for block in line.blocks}
    ids = line.snapshot.records
    assert set(blocks) == {ids.request, ids.response, ids.conversion}
    assert blocks[ids.response] == digest(captured(URL).head + story)
    assert blocks[ids.conversion] == line.snapshot.text_sha256


def test_fingerprints_are_stored_beside_the_lines(bench, captured, story) -> None:
    extracted = bench.extract(bench.commit(captured(URL, story), captured("https://example.org/b", b"<p>short</p>")))
    prints = asyncio.run(read_lines_object(bench.store, extracted.prints_key, Fingerprint))
    assert extracted.prints_key == keys.prints(PIPELINE_PARAMS, html_extractor_id(), extracted.segment_id)
    assert [(p.snapshot_id, p.text_sha256) for p in prints] == [
        (line.snapshot.id, line.snapshot.text_sha256) for line in extracted.lines
    ]
    assert [line.text_shingles for line in extracted.lines] == [p.shingles for p in prints]
    assert prints[0].minhash is not None
    assert prints[1].minhash is None  # none under 20 shingles


def test_ledger_catalog_and_queue_learn_of_the_segment(bench, captured, story) -> None:
    receipt = bench.commit(captured(URL, story))
    extracted = bench.extract(receipt)
    (entry,) = bench.memory.entries
    assert (entry.stage, entry.receipt_key) == ("extracted", bench.receipt_key(receipt))
    assert (entry.snapshots_key, entry.prints_key) == (extracted.snapshots_key, extracted.prints_key)
    assert bench.memory.snapshots == [(extracted.snapshots_key, extracted.lines)]
    (message,) = bench.memory.messages
    assert (message.snapshots_key, message.receipt_key, message.lane) == (
        extracted.snapshots_key,
        bench.receipt_key(receipt),
        receipt.lane,
    )


def test_a_queue_that_is_down_does_not_undo_the_stage(bench, captured, story) -> None:
    bench.memory.queue_is_down = True
    assert bench.extract(bench.commit(captured(URL, story))).created


def test_a_second_run_uses_what_is_there(bench, captured, story) -> None:
    receipt = bench.commit(captured(URL, story))
    first = bench.extract(receipt)
    second = bench.extract(receipt)
    assert (first.created, second.created) == (True, False)
    assert replace(second, created=True) == first
    assert bench.extractor.calls == 1


def test_of_two_workers_one_wins_and_the_other_goes_on_with_its_lines(bench, captured, story) -> None:
    from workers.flows.extract import extract_segment

    receipt = bench.commit(captured(URL, story))

    async def both() -> list[object]:
        key = bench.receipt_key(receipt)
        return list(await asyncio.gather(extract_segment(key, bench.ports), extract_segment(key, bench.ports)))

    one, other = asyncio.run(both())
    assert {one.created, other.created} == {True, False}
    assert one.lines == other.lines
    stored = asyncio.run(read_lines_object(bench.store, one.snapshots_key, SnapshotLine))
    assert tuple(stored) == one.lines


def test_a_segment_without_answers_passes_through_the_stage(bench, captured) -> None:
    failed = captured("https://gone.example/", head=b"", status=None, outcome=Outcome.DNS_FAILED)
    extracted = bench.extract(bench.commit(failed))
    assert extracted.lines == ()
    assert bench.memory.entries[0].stage == "extracted"
    assert asyncio.run(read_lines_object(bench.store, extracted.prints_key, Fingerprint)) == []


def test_each_snapshot_names_its_own_extractor(bench, captured, story) -> None:
    plain = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
    packed = b"HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\n\r\n"
    lines = bench.lines(
        captured(URL, story),
        captured("https://example.org/t.txt", b"Plain words.\r\n", head=plain),
        captured("https://example.org/d.zip", b"PK", head=packed),
    )
    assert [line.snapshot.extractor for line in lines] == [html_extractor_id(), PLAIN_EXTRACTOR, None]
    assert [line.snapshot.reader_status for line in lines] == ["ok", "ok", "unsupported_type"]
    assert lines[2].snapshot.reader_reason == "media-type.application/zip"
    assert (lines[2].conversion, lines[2].snapshot.text_sha256, lines[2].snapshot.text_chars) == (None, None, None)
    assert bench.extractor.calls == 2  # what nothing reads does not go to the sandbox


def test_equal_payloads_are_extracted_once_and_resolved_each_on_its_own_page(bench, captured, story) -> None:
    lines = bench.lines(captured("https://example.org/1", story), captured("https://mirror.example/2", story))
    assert bench.extractor.calls == 1
    assert [line.snapshot.declared_canonical for line in lines] == [
        "https://example.org/story",
        "https://mirror.example/story",
    ]
    assert lines[0].snapshot.text_sha256 == lines[1].snapshot.text_sha256


def test_a_record_that_was_changed_stops_the_segment_and_is_named(bench, captured, story) -> None:
    receipt = bench.commit(captured(URL, story))
    place = receipt.outcomes[0].hops[0].record("response")
    data = bytearray(bench.get(receipt.warc.key))
    data[place.offset + place.length // 2] ^= 0xFF
    asyncio.run(bench.store.put(receipt.warc.key, bytes(data)))
    with pytest.raises(CorruptError, match=place.record_id):
        bench.extract(receipt)
    assert bench.memory.entries == []


def test_one_bad_record_costs_only_itself_and_is_told(bench, captured, story) -> None:
    urls = [f"https://example.org/{number}" for number in range(3)]
    receipt = bench.commit(*(captured(url, story + b"%d" % number) for number, url in enumerate(urls)))
    place = receipt.outcomes[1].hops[0].record("response")
    data = bytearray(bench.get(receipt.warc.key))
    data[place.offset + place.length // 2] ^= 0xFF
    asyncio.run(bench.store.put(receipt.warc.key, bytes(data)))
    extracted = bench.extract(receipt)
    assert [line.snapshot.requested_url for line in extracted.lines] == [urls[0], urls[2]]
    told = read_stored(bench.get(keys.unread(receipt.job_id, html_extractor_id(), receipt.segment_id)), UnreadAnswers)
    assert isinstance(told, UnreadAnswers)
    assert [answer.requested_url for answer in told.answers] == [urls[1]]
    assert place.record_id in told.answers[0].error
    assert [entry.stage for entry in bench.memory.entries] == ["extracted"]


def test_bytes_that_went_wrong_on_the_way_are_fetched_again(bench, captured, story, monkeypatch) -> None:
    receipt = bench.commit(*(captured(f"https://example.org/{number}", story) for number in range(2)))
    get, asked = bench.store.get, []

    async def once_torn(key: str, *, limit: int | None = None) -> bytes:
        asked.append(key)
        data = await get(key, limit=limit)
        return data[:-40] if asked.count(receipt.warc.key) == 1 and key == receipt.warc.key else data

    monkeypatch.setattr(bench.store, "get", once_torn)
    assert len(bench.extract(receipt).lines) == 2
    assert asked.count(receipt.warc.key) == 2


def test_content_that_differs_from_the_receipt_is_corrupt(bench, captured, story) -> None:
    receipt = bench.commit(captured(URL, story), captured("https://example.org/other", b"<p>other</p>"))
    one, other = receipt.outcomes
    swapped = one.hops[0].model_copy(update={"records": other.hops[0].records})
    forged = receipt.model_copy(update={"outcomes": (one.model_copy(update={"hops": (swapped,)}),)})
    from schemas.canonical import canonical_bytes

    asyncio.run(bench.store.put(bench.receipt_key(receipt), canonical_bytes(forged)))
    with pytest.raises(CorruptError, match="not what its receipt says"):
        bench.extract(forged)


def test_an_original_that_is_not_known_yet_is_waited_for(bench, captured, story, original_of) -> None:
    first = bench.commit(captured(URL, story))
    again = bench.commit(captured(URL, story, original=original_of(first)))
    bench.memory.places.clear()
    with pytest.raises(RetryableError, match="not in the catalog"):
        bench.extract(again)
