from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from schemas.records.snapshot import Snapshot


@pytest.fixture
def snapshot_of() -> Callable[..., Snapshot]:
    """A snapshot with these fields; the rest is of a page that was read well."""

    def make(**fields: object) -> Snapshot:
        base: dict[str, object] = {
            "schema": "citevault/snapshot@1",
            "id": "snap-000000000000-20260822T031500Z-00000000",
            "source_id": "src-" + "0" * 16,
            "job_id": "job-1",
            "collection": "default",
            "visit": 0,
            "requested_url": "https://a.example/x",
            "final_url": "https://a.example/x",
            "declared_canonical": None,
            "normalized_url": "https://a.example/x",
            "fragment": None,
            "retrieved_at": "2026-08-22T03:15:00.250Z",
            "http_status": 200,
            "content_type": "text/html",
            "charset": "utf-8",
            "etag": None,
            "last_modified": None,
            "content_sha256": "0" * 64,
            "raw_sha256": "0" * 64,
            "repr_sha256": None,
            "decoded_sha256": None,
            "text_sha256": "1" * 64,
            "content_bytes": 1,
            "text_chars": 1,
            "extractor": None,
            "normalizer": "text-v1",
            "url_policy": "conservative@1",
            "reader_status": "ok",
            "reader_reason": None,
            "title": "A [bold] *title* <b>& more</b> {50%}",
            "author": "Ada Lovelace; Jörg Müller",
            "publisher": "The Courier",
            "published_at": "2026-08-21T10:00:00+02:00",
            "published_source": None,
            "modified_at": None,
            "language": "en",
            "records": {"response": "urn:uuid:" + "0" * 36, "payload": "urn:uuid:" + "0" * 36},
            "text_path": None,
            "archive_url": None,
        }
        return Snapshot.model_validate_json(json.dumps(base | fields))

    return make
