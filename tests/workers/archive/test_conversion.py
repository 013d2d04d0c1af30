"""Text bound to the record that it was made from (R083)."""

import hashlib
from collections.abc import Callable

from workers.archive.conversion import ConversionMethod, ConversionSource, conversion_records
from workers.archive.gzip_member import compress
from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_member

TEXT = "Preis: 10 €\n".encode()


def test_conversion_refers_to_the_response_and_metadata_to_the_conversion(new_ids: Callable[[], str]) -> None:
    records = conversion_records(
        TEXT,
        ConversionSource("urn:uuid:33333333-3333-4333-8333-333333333333", "http://example.org/é", "ab" * 32),
        ConversionMethod("trafilatura@2.3.1+01234567", "text-v1", "text/html", "utf-8", ("conservative@1+89abcdef",)),
        converted_at="2026-11-29T12:00:01Z",
        warcinfo_id="urn:uuid:22222222-2222-4222-8222-222222222222",
        new_id=new_ids,
    )
    conversion, metadata = (read_member(compress(record.data() or b"")) for record in records.all)
    assert isinstance(conversion, WarcRecord)
    assert isinstance(metadata, WarcRecord)
    assert (conversion.type, conversion.block.read()) == ("conversion", TEXT)
    assert conversion.header("Content-Type") == "text/plain; charset=utf-8"
    assert conversion.header("WARC-Target-URI") == "http://example.org/%C3%A9"
    assert conversion.reference("WARC-Refers-To") == "urn:uuid:33333333-3333-4333-8333-333333333333"
    assert conversion.header("WARC-Block-Digest") == "sha256:" + hashlib.sha256(TEXT).hexdigest()
    assert metadata.reference("WARC-Refers-To") == conversion.id
    assert metadata.fields() == (
        ("extractor", "trafilatura@2.3.1+01234567"),
        ("normalizer", "text-v1"),
        ("policy", "conservative@1+89abcdef"),
        ("source-record", "urn:uuid:33333333-3333-4333-8333-333333333333"),
        ("source-content-type", "text/html"),
        ("source-charset", "utf-8"),
        ("decoded-sha256", "ab" * 32),
        ("text-sha256", hashlib.sha256(TEXT).hexdigest()),
    )
    for forbidden in ("WARC-Concurrent-To", "WARC-IP-Address"):
        assert conversion.header(forbidden) is None
    conversion.block.close()
    metadata.block.close()
