"""The log's part of a bundle: what is cited is published, the head that covers it, and a proof for each snapshot."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.dsse import Envelope, key_id
from schemas.merkle import leaf_hash, verify_inclusion
from schemas.records.manifest import Inclusion, Leaf, ManifestHead, PublicKeyFile
from workers.errors import CorruptError, ObjectMissingError
from workers.flows.bundle_ports import BundlePorts
from workers.flows.documents import MAX_OBJECT_BYTES, parse, read_object
from workers.flows.publish import publish, sync
from workers.packed import unpack
from workers.publish.index import LogIndex, read_leaf
from workers.publish.public_key import spki_of

MAX_ROUNDS = 100  # one round publishes up to 1,000 segments
RESTORE = "restore the object from a copy of the bucket"


@dataclass(frozen=True, slots=True)
class SignedHead:
    """The newest head with its stored bytes, its envelope, and the public keys that lie beside the log."""

    head: ManifestHead
    head_bytes: bytes
    envelope_key: str
    envelope_bytes: bytes
    pems: dict[str, str]
    """Key id to PEM."""


async def publish_missing(ports: BundlePorts, snapshot_ids: Iterable[str]) -> list[str]:
    """Bring the index up to date, publish what waits where one of these is missing; those that are missing still."""
    wanted = sorted(set(snapshot_ids))
    await sync(ports.store, ports.index)
    for _ in range(MAX_ROUNDS):
        missing = [snapshot_id for snapshot_id in wanted if snapshot_id not in ports.index]
        if not missing or ports.publishing is None or not await publish(ports.publishing):
            break
        await sync(ports.store, ports.index)
    return [snapshot_id for snapshot_id in wanted if snapshot_id not in ports.index]


async def signed_head(ports: BundlePorts) -> SignedHead:
    """The newest head of the index."""
    head, digest = ports.index.heads[-1], ports.index.state.head_sha256 or ""
    head_bytes = await ports.store.get(keys.manifest_head(head.sequence), limit=MAX_OBJECT_BYTES)
    if hashlib.sha256(head_bytes).hexdigest() != digest:
        raise CorruptError("a manifest head has changed", where=f"manifest {head.sequence}", next_step=RESTORE)
    envelope_key = keys.manifest_envelope(head.sequence, digest)
    try:
        envelope_bytes = await ports.store.get(envelope_key, limit=MAX_OBJECT_BYTES)
    except ObjectMissingError as error:
        raise CorruptError("a manifest head has no signature", where=envelope_key, next_step=RESTORE) from error
    envelope = parse(envelope_bytes, Envelope, envelope_key)
    pems: dict[str, str] = {}
    for signature in envelope.signatures:
        pem = await _public_key(ports, signature.keyid)
        if pem is not None:
            pems[signature.keyid] = pem
    return SignedHead(head, head_bytes, envelope_key, envelope_bytes, pems)


async def _public_key(ports: BundlePorts, keyid: str) -> str | None:
    """The key beside the log; None where none lies there, since whoever checks has it from elsewhere."""
    key = keys.public_key(keyid)
    try:
        record = await read_object(ports.store, key, PublicKeyFile)
    except ObjectMissingError:
        return None
    spki = spki_of(record.spki_pem)
    if spki is None or key_id(spki) != keyid:
        raise CorruptError("a public key is not the one that its name says", where=key, next_step=RESTORE)
    return record.spki_pem


class Proofs:
    """Leaves and their audit paths under one head; a leaf file is read once."""

    def __init__(self, ports: BundlePorts, head: ManifestHead) -> None:
        self._store = ports.store
        self._index: LogIndex = ports.index
        self._head = head
        self._lines: dict[int, list[bytes]] = {}

    async def of(self, snapshot_id: str) -> Inclusion:
        """The proof of a published snapshot, verified. CorruptError where leaf, index and head do not fit."""
        place = self._index.place(snapshot_id)
        if place is None:
            raise CorruptError("the snapshot is not in the log", where=snapshot_id, next_step="publish it first")
        manifest = self._index.heads[place.sequence - 1]
        lines = await self._leaf_lines(manifest)
        leaf = read_leaf(lines[place.index - manifest.first_leaf], f"manifest {manifest.sequence}, {snapshot_id}")
        hashes = self._index.inclusion(place.index)
        root, size = bytes.fromhex(self._head.root_sha256), self._head.tree_size
        if leaf.snapshot_id != snapshot_id or not verify_inclusion(_hash(leaf), place.index, size, hashes, root):
            raise CorruptError("a leaf is not in the tree", where=f"manifest {manifest.sequence}", next_step=RESTORE)
        return Inclusion(leaf=leaf, leaf_index=place.index, tree_size=size, hashes=tuple(item.hex() for item in hashes))

    async def _leaf_lines(self, manifest: ManifestHead) -> list[bytes]:
        if manifest.sequence not in self._lines:
            key = keys.manifest_leaves(manifest.sequence, manifest.leaves_sha256)
            data = await self._store.get(key, limit=MAX_OBJECT_BYTES)
            if hashlib.sha256(data).hexdigest() != manifest.leaves_sha256:
                raise CorruptError("a leaf file has changed", where=key, next_step=RESTORE)
            self._lines[manifest.sequence] = unpack(data, key)
        return self._lines[manifest.sequence]


def _hash(leaf: Leaf) -> bytes:
    return leaf_hash(canonical_bytes(leaf))
