"""The last state of the log that the caller accepted: rollback and fork are seen against it, or not at all."""

from __future__ import annotations

from schemas.findings import FindingKind
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
    if (head.sequence == checkpoint.sequence) != (head.tree_size == checkpoint.tree_size):
        _fork(checkpoint, head, found)
    elif head.tree_size != checkpoint.tree_size:
        found.add(
            FindingKind.CHECKPOINT_NO_PROOF,
            pointer="/head/tree_size",
            expected=checkpoint.tree_size,
            actual=head.tree_size,
        )
    elif head.root_sha256 != checkpoint.root_sha256 or head_sha256 != checkpoint.head_sha256:
        _fork(checkpoint, head, found)


def _fork(checkpoint: Checkpoint, head: ManifestHead, found: Found) -> None:
    found.add(
        FindingKind.CHECKPOINT_FORK,
        pointer="/head",
        expected=f"size {checkpoint.tree_size} root {checkpoint.root_sha256}",
        actual=f"size {head.tree_size} root {head.root_sha256}",
    )
