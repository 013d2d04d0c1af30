"""The append-only log: from the state so far and new leaves to the objects of the next manifest.

Pure. Names carry digests (`schemas.keys`), so that leaves and envelope can be stored before the
head, and the head, created with `If-None-Match: *`, alone commits. What no head names is garbage.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.merkle import CompactTree, leaf_hash
from schemas.records.manifest import Leaf, ManifestHead, ManifestPredicate
from workers.packed import pack
from workers.publish.leaves import sorted_leaves

MAX_LEAVES = 10_000  # one manifest, `schemas/README.md, Manifest log`


@dataclass(frozen=True, slots=True)
class LogState:
    """Where the log stands: the last head with its stored bytes' digest, and the tree below it."""

    sequence: int = 0
    head_sha256: str | None = None
    tree: CompactTree = field(default_factory=CompactTree)


@dataclass(frozen=True, slots=True)
class NewManifest:
    """The next manifest as objects to be stored, leaves first, head last."""

    head: ManifestHead
    head_bytes: bytes
    leaves: tuple[Leaf, ...]
    leaves_bytes: bytes
    state: LogState

    @property
    def head_key(self) -> str:
        return keys.manifest_head(self.head.sequence)

    @property
    def leaves_key(self) -> str:
        return keys.manifest_leaves(self.head.sequence, self.head.leaves_sha256)

    @property
    def envelope_key(self) -> str:
        return keys.manifest_envelope(self.head.sequence, self.state.head_sha256 or "")

    @property
    def predicate(self) -> ManifestPredicate:
        """What the signature says of the head."""
        return ManifestPredicate(
            sequence=self.head.sequence,
            tree_size=self.head.tree_size,
            root_sha256=self.head.root_sha256,
            previous_sha256=self.head.previous_sha256,
            created_at=self.head.created_at,
        )


def append(state: LogState, leaves: Iterable[Leaf], *, created_at: str) -> NewManifest:
    """The manifest that follows `state` and holds these leaves (at least one, at most `MAX_LEAVES`)."""
    ordered = sorted_leaves(leaves)
    if not 1 <= len(ordered) <= MAX_LEAVES:
        raise ValueError(f"a manifest holds 1 to {MAX_LEAVES} leaves, not {len(ordered)}")
    lines = [canonical_bytes(leaf) for leaf in ordered]
    leaves_bytes = pack(lines)
    tree = state.tree.extend(leaf_hash(line) for line in lines)
    head = ManifestHead(
        schema="citevault/manifest@1",
        sequence=state.sequence + 1,
        previous_sha256=state.head_sha256,
        created_at=created_at,
        tree_size=tree.size,
        root_sha256=tree.root().hex(),
        first_leaf=state.tree.size,
        leaves_sha256=hashlib.sha256(leaves_bytes).hexdigest(),
    )
    head_bytes = canonical_bytes(head)
    digest = hashlib.sha256(head_bytes).hexdigest()
    return NewManifest(head, head_bytes, ordered, leaves_bytes, LogState(head.sequence, digest, tree))
