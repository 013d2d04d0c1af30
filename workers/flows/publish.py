"""Publishing: what is clustered becomes leaves of the signed log.

Order: leaf file and envelope first (their keys carry digests, so a dead publisher blocks nobody),
then the head with `If-None-Match: *`, which alone commits; then the ledger. Who loses the race for a
head reads the winner's manifest and tries again with what is still missing.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.cluster import Fingerprint
from schemas.records.manifest import MANIFEST_PREDICATE, Leaf, ManifestHead, PublicKeyFile
from schemas.records.snapshot import SnapshotLine
from workers import metrics
from workers.errors import ObjectMissingError
from workers.flows.documents import read_lines_object
from workers.flows.numbered import is_end, is_end_nearby
from workers.ports import Ledger, ObjectStore, SegmentEntry, Signer
from workers.publish.envelope import signed_statement
from workers.publish.index import LogIndex, read_head
from workers.publish.leaves import Standing, leaf_of
from workers.publish.log import MAX_LEAVES, NewManifest, append

LOG = logging.getLogger(__name__)
RACES = 10  # how often a lost race for a head is tried again before the next tick takes over

StandingOf = Callable[[SnapshotLine], Awaitable[Standing]]
"""Cluster, tier and group of a snapshot as known now."""


@dataclass(frozen=True, slots=True)
class PublishPorts:
    store: ObjectStore
    ledger: Ledger
    signer: Signer
    index: LogIndex
    standing_of: StandingOf
    now: Callable[[], str]
    """The time as RFC 3339 in UTC."""


async def publish(ports: PublishPorts) -> list[ManifestHead]:
    """Publish every snapshot whose segment is clustered. The heads that were made; empty where nothing waited."""
    entries = await ports.ledger.at("clustered")
    if not entries:
        return []
    await sync(ports.store, ports.index)
    waiting = await _leaves_of(ports, entries)
    heads: list[ManifestHead] = []
    while waiting:
        manifest = await _publish_some(ports, waiting)
        if manifest is None:
            break
        heads.append(manifest.head)
        waiting = [leaf for leaf in waiting if leaf.snapshot_id not in ports.index]
    if not waiting:
        for entry in entries:
            await ports.ledger.advance(replace(entry, stage="published"))
            metrics.SEGMENTS.labels("published").inc()
    return heads


async def sync(store: ObjectStore, index: LogIndex) -> None:
    """Read and verify all manifests that the index has not seen. CorruptError where one does not follow, or is gone."""
    while True:
        try:
            head_bytes = await store.get(keys.manifest_head(index.state.sequence + 1))
        except ObjectMissingError:
            if await _is_end(store, index):
                return
            continue
        leaves_key = keys.manifest_leaves(index.state.sequence + 1, read_head(head_bytes).leaves_sha256)
        leaves_bytes = await store.get(leaves_key)
        index.add(head_bytes, leaves_bytes)


async def _is_end(store: ObjectStore, index: LogIndex) -> bool:
    """CorruptError where a head is gone: what would be signed in its place is a fork of the log."""
    last = index.state.sequence
    if index.seen_whole:
        return await is_end_nearby(store, last, keys.manifest_head)
    index.seen_whole = await is_end(store, keys.MANIFESTS, last, keys.manifest_head)
    return index.seen_whole


async def publish_key(store: ObjectStore, signer: Signer, *, spki_pem: str, now: str) -> None:
    """Put the public key beside the log, for convenience: nobody may trust a key because it lies there."""
    document = PublicKeyFile(
        schema="citevault/public-key@1", keyid=signer.keyid, algorithm="ed25519", spki_pem=spki_pem, created_at=now
    )
    await store.create(keys.public_key(signer.keyid), canonical_bytes(document), content_type="application/json")


async def _leaves_of(ports: PublishPorts, entries: Sequence[SegmentEntry]) -> list[Leaf]:
    """Leaves of all snapshots of these segments that the log does not hold yet."""
    leaves: list[Leaf] = []
    for entry in entries:
        lines = await read_lines_object(ports.store, entry.snapshots_key, SnapshotLine)
        prints = await read_lines_object(ports.store, entry.prints_key, Fingerprint) if entry.prints_key else []
        by_snapshot = {item.snapshot_id: item for item in prints}
        for line in lines:
            if line.snapshot.id not in ports.index:
                standing = await ports.standing_of(line)
                leaves.append(leaf_of(line, by_snapshot.get(line.snapshot.id), standing))
    return leaves


async def _publish_some(ports: PublishPorts, waiting: Sequence[Leaf]) -> NewManifest | None:
    """Publish up to one manifest's worth. None where every race was lost, or another publisher took them all."""
    for _ in range(RACES):
        leaves = [leaf for leaf in waiting if leaf.snapshot_id not in ports.index][:MAX_LEAVES]
        if not leaves:
            return None
        manifest = append(ports.index.state, leaves, created_at=ports.now())
        await ports.store.put(manifest.leaves_key, manifest.leaves_bytes, content_type="application/gzip")
        await ports.store.put(manifest.envelope_key, _envelope(ports.signer, manifest), content_type="application/json")
        if await ports.store.create(manifest.head_key, manifest.head_bytes, content_type="application/json"):
            ports.index.add(manifest.head_bytes, manifest.leaves_bytes)
            metrics.HEADS.inc()
            metrics.LEAVES.inc(len(leaves))
            LOG.info("manifest published sequence=%d leaves=%d", manifest.head.sequence, len(leaves))
            return manifest
        await sync(ports.store, ports.index)
    return None


def _envelope(signer: Signer, manifest: NewManifest) -> bytes:
    return signed_statement(
        manifest.head_key,
        manifest.state.head_sha256 or "",
        MANIFEST_PREDICATE,
        manifest.predicate,
        keyid=signer.keyid,
        sign=signer.sign,
    )
