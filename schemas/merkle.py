"""The Merkle tree of RFC 9162 (Certificate Transparency 2.0), over SHA-256.

Pure: 32-byte hashes in, hashes or a verdict out. Leaf data is hashed with a leading 0x00, pairs
with a leading 0x01 (2.1.1), so that no leaf can pass for a node. The verifiers follow 2.1.3.2 and
2.1.4.2 and believe nothing about the shape of a proof.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    """Hash of one leaf: SHA-256(0x00 || data). For a manifest leaf `data` is its RFC 8785 bytes without LF."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash of an inner node: SHA-256(0x01 || left || right)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True)
class CompactTree:
    """A tree that can only grow, held as the roots of its perfect subtrees, largest first.

    There is one hash for each bit that is set in `size`, so a log of any length fits in some 60
    hashes; it is what a publisher stores and what a checker streams leaves into.
    """

    size: int = 0
    hashes: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        if self.size < 0 or len(self.hashes) != self.size.bit_count():
            raise ValueError("a compact tree holds one hash for each bit set in its size")
        if any(len(item) != HASH_BYTES for item in self.hashes):
            raise ValueError("a hash is 32 bytes")

    def append(self, leaf: bytes) -> CompactTree:
        """The tree with one more leaf hash."""
        return self.extend((leaf,))

    def extend(self, leaves: Iterable[bytes]) -> CompactTree:
        """The tree with more leaf hashes, in the order given."""
        size, hashes = self.size, list(self.hashes)
        for leaf in leaves:
            top, low = leaf, size
            while low & 1:  # every trailing 1 is a perfect subtree that this leaf completes
                top = node_hash(hashes.pop(), top)
                low >>= 1
            hashes.append(top)
            size += 1
        return CompactTree(size, tuple(hashes))

    def root(self) -> bytes:
        """Merkle Tree Hash of all leaves so far; of no leaves: SHA-256 of nothing."""
        if not self.hashes:
            return EMPTY_ROOT
        top = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            top = node_hash(left, top)
        return top

    def to_hex(self) -> tuple[int, tuple[str, ...]]:
        """Size and hashes as they are written down."""
        return self.size, tuple(item.hex() for item in self.hashes)

    @classmethod
    def from_hex(cls, size: int, hashes: Sequence[str]) -> CompactTree:
        """The inverse of `to_hex`. Raises ValueError where the two do not fit together."""
        return cls(size, tuple(bytes.fromhex(item) for item in hashes))


class Tree:
    """All leaf hashes, with the perfect subtrees kept, so that each proof costs a few hashes (2.1.3.1)."""

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        levels = [list(leaves)]
        while len(levels[-1]) > 1:
            below = levels[-1]
            levels.append([node_hash(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)])
        self._levels = levels
        self.size = len(levels[0])

    def root(self) -> bytes:
        return self._hash(0, self.size) if self.size else EMPTY_ROOT

    def inclusion_proof(self, index: int) -> list[bytes]:
        """Audit path of one leaf, nearest sibling first. Raises IndexError outside the tree."""
        if not 0 <= index < self.size:
            raise IndexError(f"no leaf {index} in a tree of {self.size}")
        proof: list[bytes] = []
        start, end = 0, self.size
        while end - start > 1:
            split = start + _split(end - start)
            if index < split:
                proof.append(self._hash(split, end))
                end = split
            else:
                proof.append(self._hash(start, split))
                start = split
        return proof[::-1]

    def consistency_proof(self, old_size: int) -> list[bytes]:
        """Proof that the first `old_size` leaves are a prefix (2.1.4.1). Empty for 0 and for the whole tree."""
        if not 0 <= old_size <= self.size:
            raise IndexError(f"a tree of {self.size} has no earlier state of {old_size}")
        if old_size in (0, self.size):
            return []
        proof: list[bytes] = []
        start, end = 0, self.size
        whole = True  # the old tree is exactly the part that is left: the verifier knows its hash
        while old_size != end:
            split = start + _split(end - start)
            if old_size <= split:
                proof.append(self._hash(split, end))
                end = split
            else:
                proof.append(self._hash(start, split))
                start, whole = split, False
        if not whole:
            proof.append(self._hash(start, end))
        return proof[::-1]

    def _hash(self, start: int, end: int) -> bytes:
        size = end - start
        if size & (size - 1) == 0:  # `_split` makes every such range aligned
            level = size.bit_length() - 1
            return self._levels[level][start >> level]
        split = start + _split(size)
        return node_hash(self._hash(start, split), self._hash(split, end))


def _split(size: int) -> int:
    """Largest power of two below `size` (2.1.1), for size > 1."""
    return 1 << ((size - 1).bit_length() - 1)


def root(leaves: Iterable[bytes]) -> bytes:
    """Merkle Tree Hash of leaf hashes."""
    return CompactTree().extend(leaves).root()


def inclusion_proof(index: int, leaves: Iterable[bytes]) -> list[bytes]:
    """Audit path of one leaf; for several proofs of one tree build a `Tree`."""
    return Tree(leaves).inclusion_proof(index)


def consistency_proof(old_size: int, leaves: Iterable[bytes]) -> list[bytes]:
    """Proof that the first `old_size` of these leaf hashes are the older tree."""
    return Tree(leaves).consistency_proof(old_size)


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root_hash: bytes) -> bool:
    """Whether `proof` shows the leaf hash at `index` in the tree of `size` with this root (2.1.3.2)."""
    if not 0 <= index < size or not _well_formed(leaf, root_hash, *proof):
        return False
    position, last, top = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if position & 1 or position == last:
            top = node_hash(sibling, top)
            while not position & 1 and position:  # a node on the right edge without a sibling moves up
                position, last = position >> 1, last >> 1
        else:
            top = node_hash(top, sibling)
        position, last = position >> 1, last >> 1
    return last == 0 and top == root_hash


def verify_consistency(old_size: int, old_root: bytes, size: int, root_hash: bytes, proof: Sequence[bytes]) -> bool:
    """Whether `proof` shows that the tree of `size` grew out of the tree of `old_size` (2.1.4.2).

    The RFC defines proofs for 0 < old_size < size. Two cases need none and take none: the same
    tree, and growth from the empty tree.
    """
    if not 0 <= old_size <= size or not _well_formed(old_root, root_hash, *proof):
        return False
    if old_size == size:
        return not proof and old_root == root_hash
    if old_size == 0:
        return not proof and old_root == EMPTY_ROOT
    path = list(proof)
    if old_size & (old_size - 1) == 0:
        path.insert(0, old_root)
    if not path:
        return False
    position, last = old_size - 1, size - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    old_top = new_top = path[0]
    for item in path[1:]:
        if last == 0:
            return False
        if position & 1 or position == last:
            old_top, new_top = node_hash(item, old_top), node_hash(item, new_top)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            new_top = node_hash(new_top, item)
        position, last = position >> 1, last >> 1
    return last == 0 and old_top == old_root and new_top == root_hash


def _well_formed(*hashes: bytes) -> bool:
    return all(len(item) == HASH_BYTES for item in hashes)
