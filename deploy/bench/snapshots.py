"""Snapshots that a benchmark or a test makes up: HTML pages that were read. What is not given stays unsaid."""

from __future__ import annotations

from typing import Any, Final

from schemas import ids
from schemas.records.snapshot import ReaderStatus, Snapshot, SnapshotRecords

_UNSAID: Final[dict[str, Any]] = {
    "job_id": "job-1",
    "collection": "default",
    "visit": 1,
    "declared_canonical": None,
    "fragment": None,
    "http_status": 200,
    "content_type": "text/html",
    "charset": "utf-8",
    "etag": None,
    "last_modified": None,
    "repr_sha256": None,
    "decoded_sha256": None,
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
    "language": None,
    "text_path": None,
    "archive_url": None,
}


def made_up_snapshot(
    url: str, retrieved_at: str, records: SnapshotRecords, content_sha256: str, **said: Any
) -> Snapshot:
    """A page that answers at its own address. `said`: fields of the snapshot."""
    source = ids.source_id(url)
    own = {"requested_url": url, "final_url": url, "normalized_url": url, "raw_sha256": content_sha256}
    return Snapshot(
        schema="citevault/snapshot@1",
        id=ids.snapshot_id(source, retrieved_at, records.response),
        source_id=source,
        retrieved_at=retrieved_at,
        records=records,
        content_sha256=content_sha256,
        **{**_UNSAID, **own, **said},
    )
