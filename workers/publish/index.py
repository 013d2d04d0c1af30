"""What a publisher or a bundle builder has read of the log: all leaf hashes, and which snapshot is which leaf.

Every manifest is verified as it is read: digest of the leaf file, order, chain, size and root. A log
that does not add up is corrupt, and nothing is appended to it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from schemas.merkle import HASH_BYTES, CompactTree, Tree, leaf_hash
from schemas.reading import DocumentError, read_document
from schemas.records.manifest import Leaf, ManifestHead
from workers.errors import CorruptError
from workers.packed import unpack
from workers.publish.log import LogState


@dataclass(frozen=True, slots=True)
class LeafPlace:
    """A leaf's index in the tree, and in which manifest's file its text stands."""

    index: int
    sequence: int


class LogIndex:
    """The log as read so far. About 180 bytes a leaf."""

    def __init__(self) -> None:
        self.state = LogState()
        self.heads: list[ManifestHead] = []
        self._hashes = bytearray()
        self._places: dict[str, LeafPlace] = {}
        self._tree: Tree | None = None
        self.seen_whole = False
        """Whether its end was found to be the end of the log."""

    def place(self, snapshot_id: str) -> LeafPlace | None:
        """Where the snapshot's first leaf stands, or None if it is not published."""
        return self._places.get(snapshot_id)

    def __contains__(self, snapshot_id: str) -> bool:
        return snapshot_id in self._places

    def add(self, head_bytes: bytes, leaves_bytes: bytes) -> ManifestHead:
        """Read the next manifest. CorruptError where it does not follow from what was read before."""
        head = read_head(head_bytes)
        where = f"manifest {head.sequence}"
        if head.sequence != self.state.sequence + 1 or head.previous_sha256 != self.state.head_sha256:
            raise CorruptError("the manifest does not follow its predecessor", where=where, next_step=_RESTORE)
        if hashlib.sha256(leaves_bytes).hexdigest() != head.leaves_sha256:
            raise CorruptError("the leaf file has another digest than its head says", where=where, next_step=_RESTORE)
        lines = unpack(leaves_bytes, where)
        hashes = [leaf_hash(line) for line in lines]
        tree = self.state.tree.extend(hashes)
        if (head.first_leaf, head.tree_size, head.root_sha256) != (self.state.tree.size, tree.size, tree.root().hex()):
            raise CorruptError("size or root do not follow from the leaves", where=where, next_step=_RESTORE)
        self._remember(head, lines, hashes, tree, hashlib.sha256(head_bytes).hexdigest())
        return head

    def inclusion(self, index: int) -> list[bytes]:
        """Audit path of a leaf in the whole tree."""
        if self._tree is None:
            size = HASH_BYTES
            self._tree = Tree(bytes(self._hashes[i : i + size]) for i in range(0, len(self._hashes), size))
        return self._tree.inclusion_proof(index)

    def _remember(
        self, head: ManifestHead, lines: list[bytes], hashes: list[bytes], tree: CompactTree, digest: str
    ) -> None:
        for offset, line in enumerate(lines):
            leaf = read_leaf(line, f"manifest {head.sequence}, leaf {head.first_leaf + offset}")
            self._places.setdefault(leaf.snapshot_id, LeafPlace(head.first_leaf + offset, head.sequence))
        for item in hashes:
            self._hashes += item
        self._tree = None
        self.heads.append(head)
        self.state = LogState(head.sequence, digest, tree)


_RESTORE = "stop publishing, and restore the object from a copy of the bucket"


def read_head(data: bytes) -> ManifestHead:
    """A stored head; CorruptError where it cannot be read."""
    head = read_document(data, ManifestHead)
    if isinstance(head, DocumentError):
        raise CorruptError(f"a manifest head cannot be read: {head.message}", where=head.pointer, next_step=_RESTORE)
    return head


def read_leaf(line: bytes, where: str) -> Leaf:
    """A stored leaf; CorruptError where it cannot be read."""
    leaf = read_document(line, Leaf)
    if isinstance(leaf, DocumentError):
        raise CorruptError(f"a leaf cannot be read: {leaf.message}", where=where, next_step=_RESTORE)
    return leaf
