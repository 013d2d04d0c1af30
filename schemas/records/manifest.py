"""The signed log: head, leaf, and what the signature says (`schemas/README.md, Manifest log`; RFC 9162)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from schemas.records.base import Count, Id, ParameterId, Record, RecordId, Sha256, ShortText, Url, UtcTime
from schemas.records.cluster import ClusterId
from schemas.records.independence import GroupName
from schemas.records.job import CollectionName
from schemas.records.snapshot import ReaderStatus, SnapshotId
from schemas.records.source import SourceId, TierVerdict

MANIFEST_PREDICATE = "urn:citevault:predicate:manifest-head:1"
BUNDLE_PREDICATE = "urn:citevault:predicate:bundle:1"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"


class ManifestHead(Record):
    """Commits `tree_size` leaves. Root and size cover all leaves of the archive so far."""

    schema_id: Literal["citevault/manifest@1"] = Field(alias="schema")
    sequence: Annotated[int, Field(ge=1)]
    previous_sha256: Sha256 | None
    """Of the previous head's stored bytes; null in the first."""
    created_at: UtcTime
    tree_size: Count
    root_sha256: Sha256
    first_leaf: Count
    """Index of the first leaf of this head's leaf file."""
    leaves_sha256: Sha256
    """Of the stored gzip object."""


class LeafRecord(Record):
    """A WARC record that the leaf binds: its id, what it is to the snapshot, and the digest of its block."""

    role: Literal["request", "response", "payload", "conversion", "metadata"]
    record_id: RecordId
    block_sha256: Sha256


class Leaf(Record):
    """What is promised about one snapshot. No key and no offset: locations may change, this may not."""

    schema_id: Literal["citevault/leaf@1"] = Field(alias="schema")
    kind: Literal["snapshot", "revision"]
    snapshot_id: SnapshotId
    source_id: SourceId
    job_id: Id
    collection: CollectionName
    requested_url: Url
    final_url: Url
    normalized_url: Url
    declared_canonical: Url | None
    retrieved_at: UtcTime
    http_status: int | None
    content_type: ShortText | None
    reader_status: ReaderStatus
    records: tuple[LeafRecord, ...] = Field(min_length=1)
    content_sha256: Sha256
    repr_sha256: Sha256 | None
    decoded_sha256: Sha256 | None
    text_sha256: Sha256 | None
    description_sha256: Sha256 | None = Field(default=None, exclude_if=lambda digest: digest is None)
    """Of what `schemas/description.py` lists. Left out where it is None: older leaves have no such field, and their
    hashes stand."""
    fingerprint_params: ParameterId | None
    minhash_sha256: Sha256 | None
    extractor: ParameterId | None
    normalizer: ParameterId
    policies: tuple[ParameterId, ...]
    cluster_id: ClusterId | None
    tier: TierVerdict
    group: GroupName
    decisions_sequence: Count
    """How far the decision log had been read when cluster, tier and group were looked up."""


SAID_TWICE: Final = (
    "source_id",
    "job_id",
    "collection",
    "requested_url",
    "final_url",
    "normalized_url",
    "declared_canonical",
    "retrieved_at",
    "http_status",
    "content_type",
    "reader_status",
    "content_sha256",
    "repr_sha256",
    "decoded_sha256",
    "text_sha256",
    "extractor",
    "normalizer",
)
"""What a leaf and its snapshot both say, and must say alike (`schemas/README.md`, Bundle, bindings)."""


class Inclusion(Record):
    """RFC 9162 inclusion proof of one leaf under the bundle's head."""

    leaf: Leaf
    leaf_index: Count
    tree_size: Count
    hashes: tuple[Sha256, ...]


class ManifestPredicate(Record):
    """Predicate of the statement that signs a head."""

    sequence: Count
    tree_size: Count
    root_sha256: Sha256
    previous_sha256: Sha256 | None
    created_at: UtcTime


class BundlePredicate(Record):
    """Predicate of the statement by which a bundle's author stands for it."""

    report: Id
    created_at: UtcTime
    claims: Count
    evidence: Count


class PublicKeyFile(Record):
    """`keys/<keyid>.json`: a public key, for convenience only. Keys inside the input are never trusted."""

    schema_id: Literal["citevault/public-key@1"] = Field(alias="schema")
    keyid: Sha256
    """SHA-256 of the DER SubjectPublicKeyInfo."""
    algorithm: Literal["ed25519"]
    spki_pem: ShortText
    created_at: UtcTime
    retired_at: UtcTime | None = None


class Checkpoint(Record):
    """The last accepted state of the log, kept by whoever checks it."""

    schema_id: Literal["citevault/checkpoint@1"] = Field(alias="schema")
    sequence: Count
    tree_size: Count
    root_sha256: Sha256
    head_sha256: Sha256
