from __future__ import annotations

import hashlib
import random
from collections.abc import Callable

import pytest

from schemas.ids import snapshot_id, source_id
from schemas.records.snapshot import ReaderStatus, Snapshot, SnapshotRecords

VOCABULARY = [
    a + b + c for a in ("ka", "to", "mi", "re", "su") for b in ("lan", "dor", "vek", "bri") for c in ("a", "en", "is")
]
NewSnapshot = Callable[..., Snapshot]


@pytest.fixture
def prose() -> Callable[[int, int], list[str]]:
    """`prose(seed, count)`: that many words, other ones for another seed."""

    def make(seed: int, count: int) -> list[str]:
        generator = random.Random(seed)
        return [generator.choice(VOCABULARY) + str(generator.randrange(40)) for _ in range(count)]

    return make


@pytest.fixture
def new_snapshot() -> NewSnapshot:
    """A snapshot of a text at a URL; keyword arguments change its fields."""

    def make(text: str, url: str, **changes: object) -> Snapshot:
        digest = hashlib.sha256(text.encode()).hexdigest()
        retrieved_at = str(changes.pop("retrieved_at", "2026-08-22T03:15:00Z"))
        record = "urn:uuid:00000000-0000-4000-8000-" + hashlib.sha256((url + retrieved_at).encode()).hexdigest()[:12]
        fields: dict[str, object] = {
            "schema_id": "citevault/snapshot@1",
            "id": snapshot_id(source_id(url), retrieved_at, record),
            "source_id": source_id(url),
            "job_id": "job-01j0000000000000000000000a",
            "collection": "default",
            "visit": 1,
            "requested_url": url,
            "final_url": url,
            "declared_canonical": None,
            "normalized_url": url,
            "fragment": None,
            "retrieved_at": retrieved_at,
            "http_status": 200,
            "content_type": "text/html",
            "charset": "utf-8",
            "etag": None,
            "last_modified": None,
            "content_sha256": "0" * 64,
            "raw_sha256": "0" * 64,
            "repr_sha256": None,
            "decoded_sha256": None,
            "text_sha256": digest if text else None,
            "content_bytes": 1,
            "text_chars": len(text),
            "extractor": "trafilatura@2.3.1+00000000",
            "normalizer": "text-v1",
            "url_policy": "conservative@1+00000000",
            "reader_status": ReaderStatus.OK,
            "reader_reason": None,
            "title": None,
            "author": None,
            "publisher": None,
            "published_at": None,
            "published_source": None,
            "modified_at": None,
            "language": "en",
            "records": SnapshotRecords(response=record, payload=record),
            "text_path": None,
            "archive_url": None,
        }
        fields.update(changes)
        fields["schema"] = fields.pop("schema_id")
        return Snapshot.model_validate(fields)

    return make
