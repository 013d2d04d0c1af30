"""Whether the log holds the snapshot: leaf fields, leaf records, text, and the inclusion proof (RFC 9162, 2.1.3.2).

Read from the outside in: the head's root, the proof, the leaf, the snapshot, the text. Only what
hangs on that chain is proved.
"""

from __future__ import annotations

from schemas.findings import FindingKind
from schemas.merkle import leaf_hash, verify_inclusion
from schemas.pointer import pointer
from schemas.records.bundle import BundleSnapshot
from schemas.records.manifest import SAID_TWICE, Leaf, ManifestHead
from validator.form import canonical_form
from validator.found import Found


def check_inclusion(snapshot: BundleSnapshot, index: int, head: ManifestHead, found: Found) -> None:
    """Bindings 1 to 3 of the format's list, without the text file itself."""
    at = ("snapshots", index, "inclusion")
    proof = snapshot.inclusion
    leaf = canonical_form(proof.leaf)
    found.looked_at("inclusion proofs")
    if proof.tree_size != head.tree_size:
        found.add(
            FindingKind.INCLUSION_SIZE,
            pointer=pointer((*at, "tree_size")),
            ids=(snapshot.id,),
            expected=head.tree_size,
            actual=proof.tree_size,
        )
    elif leaf is None or not verify_inclusion(
        leaf_hash(leaf),
        proof.leaf_index,
        proof.tree_size,
        [bytes.fromhex(h) for h in proof.hashes],
        bytes.fromhex(head.root_sha256),
    ):
        found.add(FindingKind.INCLUSION_FAILS, pointer=pointer(at), ids=(snapshot.id,), expected=head.root_sha256)
    _fields(snapshot, proof.leaf, at, found)
    _records(snapshot, proof.leaf, at, found)


def _fields(snapshot: BundleSnapshot, leaf: Leaf, at: tuple[str | int, ...], found: Found) -> None:
    pairs = [(name, getattr(snapshot, name), getattr(leaf, name)) for name in SAID_TWICE]
    for name, own, bound in [("snapshot_id", snapshot.id, leaf.snapshot_id), *pairs]:
        if own != bound:
            found.add(
                FindingKind.LEAF_DIFFERS,
                pointer=pointer((*at, "leaf", name)),
                ids=(snapshot.id,),
                expected=bound,
                actual=own,
            )
    if leaf.kind != "snapshot":
        found.add(
            FindingKind.LEAF_DIFFERS,
            pointer=pointer((*at, "leaf", "kind")),
            ids=(snapshot.id,),
            expected="snapshot",
            actual=leaf.kind,
        )
    if snapshot.url_policy not in leaf.policies:
        found.add(
            FindingKind.LEAF_DIFFERS,
            pointer=pointer((*at, "leaf", "policies")),
            ids=(snapshot.id,),
            expected=" ".join(leaf.policies),
            actual=snapshot.url_policy,
        )


def _records(snapshot: BundleSnapshot, leaf: Leaf, at: tuple[str | int, ...], found: Found) -> None:
    named = snapshot.records
    expected = {("response", named.response)}
    for role, record_id in (
        ("request", named.request),
        ("payload", named.payload if named.payload != named.response else None),
        ("conversion", named.conversion),
        ("metadata", named.metadata),
    ):
        if record_id is not None:
            expected.add((role, record_id))
    actual = [(r.role, r.record_id) for r in leaf.records]
    if sorted(actual) != sorted(expected):
        found.add(
            FindingKind.LEAF_RECORDS,
            pointer=pointer((*at, "leaf", "records")),
            ids=(snapshot.id,),
            expected=" ".join(sorted(f"{role} {record}" for role, record in expected)),
            actual=" ".join(sorted(f"{role} {record}" for role, record in actual)),
        )
    check_text_binding(leaf, pointer((*at, "leaf", "records")), None, found)


def check_text_binding(leaf: Leaf, where: str, path: str | None, found: Found) -> None:
    """The block of the conversion record is the text, so their digests are one."""
    conversion = next((r.block_sha256 for r in leaf.records if r.role == "conversion"), None)
    if conversion != leaf.text_sha256:
        found.add(
            FindingKind.LEAF_TEXT_UNBOUND,
            pointer=where,
            path=path,
            ids=(leaf.snapshot_id,),
            expected=leaf.text_sha256,
            actual=conversion,
        )
