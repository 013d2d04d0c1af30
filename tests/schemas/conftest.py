"""Documents that the suites of the contract share."""

from typing import Any

import pytest

NORMALIZED = "https://docs.example.com/guide"


@pytest.fixture
def snapshot_document() -> dict[str, Any]:
    """A whole `citevault/snapshot@1` as it stands in a file."""
    record = "urn:uuid:3f1b2a60-7f5e-4a0e-9d7c-2b8c1a6d4e01"
    return {
        "schema": "citevault/snapshot@1",
        "id": "snap-0123456789ab-20260822T031500Z-01234567",
        "source_id": "src-0123456789abcdef",
        "job_id": "job-01J5ZK3V4Q8X9Y0A1B2C3D4E5F",
        "collection": "default",
        "visit": 1,
        "requested_url": f"{NORMALIZED}?utm_source=x#install",
        "final_url": NORMALIZED,
        "declared_canonical": None,
        "normalized_url": NORMALIZED,
        "fragment": "install",
        "retrieved_at": "2026-08-22T03:15:00.250000Z",
        "http_status": 200,
        "content_type": "text/html; charset=utf-8",
        "charset": "utf-8",
        "etag": '"abc123"',
        "last_modified": "Fri, 21 Aug 2026 10:00:00 GMT",
        "content_sha256": "aa" * 32,
        "raw_sha256": "aa" * 32,
        "repr_sha256": "aa" * 32,
        "decoded_sha256": "bb" * 32,
        "text_sha256": "cc" * 32,
        "content_bytes": 5120,
        "text_chars": 1200,
        "extractor": "trafilatura@2.3.1+0badcafe",
        "normalizer": "text-v1",
        "url_policy": "conservative@1+0badcafe",
        "reader_status": "ok",
        "reader_reason": None,
        "title": "Guide",
        "author": None,
        "publisher": None,
        "published_at": None,
        "published_source": None,
        "modified_at": None,
        "language": "en",
        "records": {
            "request": record[:-1] + "0",
            "response": record,
            "payload": record,
            "conversion": record[:-1] + "2",
            "metadata": None,
        },
        "text_path": None,
        "archive_url": None,
        "retention": "full",
    }
