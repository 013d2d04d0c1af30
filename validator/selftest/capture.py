"""From a page to its WARC records, its snapshot and its leaf, as an archive would have made them."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import Any

from schemas.canonical import canonical_sha256, sha256_hex
from schemas.description import DESCRIBED
from schemas.records.manifest import SAID_TWICE
from schemas.urls.policy import conservative_1
from validator.selftest.pages import RETRIEVED_AT, Page

Json = dict[str, Any]
"""A document as a forger has it: plain JSON, since he may write what no record type would take."""
WARCINFO_ID = "urn:uuid:00000000-0000-4000-8000-000000000001"
PRINTS, CONFIRMATION, EXTRACTOR, TIERS = "minhash-w5-p128-affine32-s1-sha1-32", "confirm@3", "plain@1", "tiers@0"
SUFFIX_RULES = ("edu", "example", "info", "org")
SUFFIXES = f"public-suffixes@0+{canonical_sha256({'rules': list(SUFFIX_RULES)})}"


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """One WARC record as its gzip member."""

    id: str
    type: str
    role: str
    """As in a leaf's `records`."""
    block_sha256: str
    member: bytes


def record(kind: str, role: str, record_id: str, block: bytes, *fields: tuple[str, str]) -> StoredRecord:
    """A record with its block digest, in one gzip member."""
    named = [("WARC-Type", kind), ("WARC-Record-ID", f"<{record_id}>"), ("WARC-Date", RETRIEVED_AT), *fields]
    named += [("WARC-Block-Digest", f"sha256:{sha256_hex(block)}"), ("Content-Length", str(len(block)))]
    head = "".join(f"{name}: {value}\r\n" for name, value in named)
    member = gzip.compress(b"WARC/1.1\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n", 1, mtime=0)
    return StoredRecord(record_id, kind, role, sha256_hex(block), member)


def warcinfo() -> StoredRecord:
    fields = ("Content-Type", "application/warc-fields")
    return record("warcinfo", "warcinfo", WARCINFO_ID, b"software: citevault-validate selftest\r\n", fields)


def records_of(page: Page) -> list[StoredRecord]:
    """Request, response and conversion."""
    target, info = ("WARC-Target-URI", page.url), ("WARC-Warcinfo-ID", f"<{WARCINFO_ID}>")
    content = page.content
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n\r\n"
    digest = ("WARC-Payload-Digest", f"sha256:{sha256_hex(content)}")
    request, response, conversion = (page.record_id(role) for role in ("request", "response", "conversion"))
    http = "application/http; msgtype="
    return [
        record(
            *("request", "request", request, b"GET / HTTP/1.1\r\n\r\n", target, info),
            ("Content-Type", f"{http}request"),
        ),
        record(
            *("response", "response", response, head + content, target, info, digest),
            ("Content-Type", f"{http}response"),
        ),
        record(
            *("conversion", "conversion", conversion, page.text.encode(), target, info),
            ("WARC-Refers-To", f"<{response}>"),
            ("Content-Type", "text/plain; charset=utf-8"),
        ),
    ]


def snapshot_of(page: Page) -> Json:
    """`citevault/snapshot@1`, without what a bundle adds."""
    content, text = page.content, page.text
    unknown = ("publisher", "published_at", "published_source", "modified_at", "language")
    return {
        "schema": "citevault/snapshot@1",
        "id": page.snapshot_id,
        "source_id": page.source_id,
        "job_id": "job-01J5ZK3V4Q8X9Y0A1B2C3D4E5F",
        "collection": "self-test",
        "visit": 1,
        "requested_url": page.url,
        "final_url": page.url,
        "declared_canonical": None,
        "normalized_url": page.url,
        "fragment": None,
        "retrieved_at": RETRIEVED_AT,
        "http_status": 200,
        "content_type": "text/html; charset=utf-8",
        "charset": "utf-8",
        "etag": None,
        "last_modified": None,
        "content_sha256": sha256_hex(content),
        "raw_sha256": sha256_hex(content),
        "repr_sha256": sha256_hex(content),
        "decoded_sha256": sha256_hex(page.decoded),
        "text_sha256": sha256_hex(text.encode()),
        "content_bytes": len(content),
        "text_chars": len(text),
        "extractor": EXTRACTOR,
        "normalizer": "text-v1",
        "url_policy": conservative_1().id,
        "reader_status": "ok",
        "reader_reason": None,
        "title": page.name,
        "author": page.author,
        **dict.fromkeys(unknown),
        "records": {
            "request": page.record_id("request"),
            "response": page.record_id("response"),
            "payload": page.record_id("response"),
            "conversion": page.record_id("conversion"),
            "metadata": None,
        },
        "text_path": f"texts/{page.snapshot_id}.txt",
        "archive_url": None,
        "retention": "full",
        "robots_directives": [],
        "server_digests": [],
        "headings": page.headings,
        "pages": [],
    }


def leaf_of(page: Page, snapshot: Json, records: list[StoredRecord]) -> Json:
    """`citevault/leaf@1`."""
    return {
        "schema": "citevault/leaf@1",
        "kind": "snapshot",
        "snapshot_id": snapshot["id"],
        **{name: snapshot[name] for name in SAID_TWICE},
        "description_sha256": canonical_sha256({name: snapshot[name] for name in (*DESCRIBED, "headings", "pages")}),
        "records": [{"role": r.role, "record_id": r.id, "block_sha256": r.block_sha256} for r in records],
        "fingerprint_params": None,
        "minhash_sha256": None,
        "policies": sorted([conservative_1().id, TIERS, EXTRACTOR, SUFFIXES]),
        "cluster_id": None,
        "tier": {"tier": page.tier.value, "policy": TIERS, "reason": "self-test"},
        "group": "unknown",
        "decisions_sequence": 0,
    }


def policies() -> list[Json]:
    """One entry for each parameter id that the bundle names."""
    own = conservative_1()
    out: list[Json] = [
        {"id": own.id, "kind": "url", "sha256": own.digest, "value": own.model_dump(mode="json", by_alias=True)}
    ]
    for kind, name in (
        ("tier", TIERS),
        ("suffixes", SUFFIXES),
        ("extractor", EXTRACTOR),
        ("normalizer", "text-v1"),
        ("fingerprint", PRINTS),
        ("confirmation", CONFIRMATION),
    ):
        value: Json = {"rules": list(SUFFIX_RULES)} if kind == "suffixes" else {"of": "self-test"}
        out.append({"id": name, "kind": kind, "sha256": canonical_sha256(value), "value": value})
    return out
