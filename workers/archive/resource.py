"""A `resource` record: bytes without HTTP around them, such as a picture made of a page (WARC 1.1, 6.4).

The payload of a resource is its block, and it carries a payload digest all the same: without one,
cdxj-indexer invents a SHA-1 for the index line.
"""

from __future__ import annotations

from workers.archive.record import Block, IndexFacts, Record, build, sha256_label, target_uri


def resource_record(
    data: bytes, url: str, content_type: str, *, record_id: str, date: str, warcinfo_id: str, concurrent_to: str | None
) -> Record:
    """A resource under this URL, made in the same capture event as `concurrent_to`, if any."""
    block = Block.of(data)
    uri = target_uri(url)
    fields = [("WARC-Target-URI", uri), ("WARC-Warcinfo-ID", f"<{warcinfo_id}>")]
    if concurrent_to is not None:
        fields.append(("WARC-Concurrent-To", f"<{concurrent_to}>"))
    fields.append(("WARC-Payload-Digest", sha256_label(block.sha256)))
    facts = IndexFacts(uri, date, content_type.partition(";")[0].strip(), None, block.sha256)
    return build("resource", record_id, date, block, content_type=content_type, fields=fields, index=facts)
