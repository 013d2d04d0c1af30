"""A snapshot becomes a leaf: what the log promises about it, without any location."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.description import description_sha256
from schemas.records.cluster import Fingerprint
from schemas.records.manifest import Leaf, LeafRecord
from schemas.records.snapshot import SnapshotLine
from schemas.records.source import TierVerdict


@dataclass(frozen=True, slots=True)
class Standing:
    """What was known of a snapshot's source when the leaf was made."""

    cluster_id: str | None
    tier: TierVerdict
    group: str
    decisions_sequence: int
    policies: tuple[str, ...]
    """Ids of every policy that shaped the record, sorted."""


def leaf_of(line: SnapshotLine, fingerprint: Fingerprint | None, standing: Standing) -> Leaf:
    """The leaf of one extracted snapshot."""
    snapshot = line.snapshot
    return Leaf(
        schema="citevault/leaf@1",
        kind="snapshot",
        snapshot_id=snapshot.id,
        source_id=snapshot.source_id,
        job_id=snapshot.job_id,
        collection=snapshot.collection,
        requested_url=snapshot.requested_url,
        final_url=snapshot.final_url,
        normalized_url=snapshot.normalized_url,
        declared_canonical=snapshot.declared_canonical,
        retrieved_at=snapshot.retrieved_at,
        http_status=snapshot.http_status,
        content_type=snapshot.content_type,
        reader_status=snapshot.reader_status,
        records=_records(line),
        content_sha256=snapshot.content_sha256,
        repr_sha256=snapshot.repr_sha256,
        decoded_sha256=snapshot.decoded_sha256,
        text_sha256=snapshot.text_sha256,
        description_sha256=description_sha256(snapshot, line.headings, line.pages),
        fingerprint_params=fingerprint.params if fingerprint else None,
        minhash_sha256=fingerprint.minhash_sha256 if fingerprint else None,
        extractor=snapshot.extractor,
        normalizer=snapshot.normalizer,
        policies=tuple(sorted({*standing.policies, snapshot.url_policy})),
        cluster_id=standing.cluster_id,
        tier=standing.tier,
        group=standing.group,
        decisions_sequence=standing.decisions_sequence,
    )


def sorted_leaves(leaves: Iterable[Leaf]) -> tuple[Leaf, ...]:
    """Leaves in the order of their file: by snapshot id, as bytes."""
    return tuple(sorted(leaves, key=lambda leaf: leaf.snapshot_id.encode("ascii")))


def _records(line: SnapshotLine) -> tuple[LeafRecord, ...]:
    """The records that the snapshot rests on, each with its block digest; a role without a digest is left out."""
    digests = {block.record_id: block.block_sha256 for block in line.blocks}
    ids = line.snapshot.records
    roles = [("request", ids.request), ("response", ids.response)]
    if ids.payload != ids.response:
        roles.append(("payload", ids.payload))
    roles += [("conversion", ids.conversion), ("metadata", ids.metadata)]
    return tuple(
        LeafRecord.model_validate({"role": role, "record_id": record_id, "block_sha256": digests[record_id]})
        for role, record_id in roles
        if record_id is not None and record_id in digests
    )
