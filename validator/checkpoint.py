"""The last state of the log that the caller accepted: rollback and fork are seen against it, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.findings import FindingKind
from schemas.merkle import CompactTree
from schemas.records.manifest import Checkpoint, ManifestHead
from validator.found import Found


def check_bundle_checkpoint(head: ManifestHead, head_sha256: str, checkpoint: Checkpoint | None, found: Found) -> None:
    """A bundle holds one head and no consistency proof, so only an equal state can be confirmed.

    A smaller head than the checkpoint's is no rollback: the bundle may be older than the checkpoint.
    """
    if checkpoint is None:
        found.add(FindingKind.CHECKPOINT_NOT_GIVEN)
        return
    found.looked_at("checkpoints")
    same_number, same_size = head.sequence == checkpoint.sequence, head.tree_size == checkpoint.tree_size
    if same_number != same_size:
        _fork(checkpoint, f"number {head.sequence}, size {head.tree_size}", found)
    elif not same_size:
        found.add(
            FindingKind.CHECKPOINT_NO_PROOF,
            pointer="/head/tree_size",
            expected=checkpoint.tree_size,
            actual=head.tree_size,
        )
    elif head.root_sha256 != checkpoint.root_sha256 or head_sha256 != checkpoint.head_sha256:
        _fork(checkpoint, f"root {head.root_sha256}, head {head_sha256}", found)


class LogCheckpoint:
    """A checkpoint along a log that is read from its first leaf: the old root is recomputed, not proved."""

    def __init__(self, checkpoint: Checkpoint | None, found: Found) -> None:
        self._checkpoint = checkpoint
        self._found = found
        self._root: str | None = None
        self._head_sha256: str | None = None
        self._tree_lost = False
        if checkpoint is None:
            found.add(FindingKind.CHECKPOINT_NOT_GIVEN)
        elif checkpoint.tree_size == 0:
            self._root = CompactTree().root().hex()

    def before_growth(self, tree: CompactTree, leaves: Sequence[bytes]) -> None:
        """Remember the root at the checkpoint's size, which need not be a head's."""
        wanted = self._checkpoint.tree_size if self._checkpoint else 0
        if tree.size < wanted <= tree.size + len(leaves):
            self._root = tree.extend(leaves[: wanted - tree.size]).root().hex()

    def after_head(self, head: ManifestHead, head_sha256: str) -> None:
        if self._checkpoint is not None and head.sequence == self._checkpoint.sequence:
            self._head_sha256 = head_sha256

    def lose_the_tree(self) -> None:
        self._tree_lost = True

    def at_end(self, last: ManifestHead | None, *, whole: bool) -> None:
        """Judge. `whole` tells a log that ends from one that the caller cut short."""
        checkpoint, found = self._checkpoint, self._found
        if checkpoint is None:
            return
        found.looked_at("checkpoints")
        shown = f"size {checkpoint.tree_size}, root {checkpoint.root_sha256}, head {checkpoint.head_sha256}"
        if self._root is not None and self._root != checkpoint.root_sha256:
            _fork(checkpoint, f"root {self._root}", found)
        elif self._head_sha256 is not None and self._head_sha256 != checkpoint.head_sha256:
            _fork(checkpoint, f"head {self._head_sha256}", found)
        elif self._root is not None and (self._head_sha256 is not None or checkpoint.tree_size == 0):
            return
        elif last is not None and whole and last.tree_size < checkpoint.tree_size and not self._tree_lost:
            found.add(FindingKind.CHECKPOINT_ROLLBACK, expected=shown, actual=f"size {last.tree_size}")
        else:
            found.add(FindingKind.CHECKPOINT_NO_PROOF, expected=shown)


def _fork(checkpoint: Checkpoint, actual: str, found: Found) -> None:
    shown = f"number {checkpoint.sequence}, size {checkpoint.tree_size}, root {checkpoint.root_sha256}"
    found.add(FindingKind.CHECKPOINT_FORK, expected=f"{shown}, head {checkpoint.head_sha256}", actual=actual)
