"""A bundle as records and bytes: pure assembly of `bundle.json` and of what it promises (`schemas/README.md, Bundle`).

What is asserted (claims, support) comes from the draft; everything else is copied from the archive or derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from schemas.canonical import canonical_sha256, sha256_hex
from schemas.description import description_sha256
from schemas.records.bundle import Bundle, BundleMember, BundlePolicy, BundleSnapshot, BundleWarc
from schemas.records.manifest import BUNDLE_PREDICATE, SAID_TWICE, BundlePredicate, Inclusion, Leaf
from schemas.records.snapshot import SnapshotLine
from workers.ports import Signer
from workers.publish.envelope import signed_statement

BUNDLE_FILE = "bundle.json"
SIGNATURE_FILE = "bundle.dsse.json"
WARC_PATH = "archive/records.warc.gz"

PolicyKind = Literal["url", "tier", "fingerprint", "confirmation", "normalizer", "extractor", "checker", "suffixes"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What a policy id stands for: it travels whole, so that whoever has the bundle can apply it again (X7)."""

    kind: PolicyKind
    value: JsonValue


def text_path(snapshot_id: str) -> str:
    """Where a snapshot's text lies within a bundle."""
    return f"texts/{snapshot_id}.txt"


def key_path(keyid: str) -> str:
    """Where a public key lies within a bundle; nobody trusts it because it lies there."""
    return f"keys/{keyid}.pem"


def disagreements(leaf: Leaf, line: SnapshotLine) -> tuple[str, ...]:
    """Fields of which the signed leaf and the snapshot say different things: it was extracted anew since."""
    snapshot = line.snapshot
    differing = [name for name in SAID_TWICE if getattr(leaf, name) != getattr(snapshot, name)]
    bound = {record.role: record.record_id for record in leaf.records}
    records = snapshot.records
    for role, record_id in (
        ("request", records.request),
        ("response", records.response),
        ("conversion", records.conversion),
        ("metadata", records.metadata),
    ):
        if role in bound and bound[role] != record_id:
            differing.append(f"records.{role}")
    described = description_sha256(snapshot, line.headings, line.pages)
    if leaf.description_sha256 not in (None, described):
        differing.append("what the page says of itself")
    return tuple(differing)


def bundle_snapshot(line: SnapshotLine, members: Sequence[BundleMember], inclusion: Inclusion) -> BundleSnapshot:
    """A snapshot with its outline, the places of its text and records, and its proof."""
    return BundleSnapshot.model_validate(
        {
            **line.snapshot.model_dump(by_alias=True),
            "headings": line.headings,
            "pages": line.pages,
            "text_path": text_path(line.snapshot.id) if line.snapshot.retention == "full" else None,
            "warc": BundleWarc(path=WARC_PATH, members=tuple(members)),
            "inclusion": inclusion,
        }
    )


def bundle_policies(wanted: Iterable[str], known: Mapping[str, Policy]) -> tuple[BundlePolicy, ...]:
    """The policies of these ids, whole, sorted by id. KeyError for one that is not known."""
    return tuple(_policy(policy_id, known[policy_id]) for policy_id in sorted(set(wanted)))


def _policy(policy_id: str, policy: Policy) -> BundlePolicy:
    digest = canonical_sha256(policy.value)
    suffix = policy_id.partition("+")[2]
    if suffix and not digest.startswith(suffix):
        raise ValueError(f"the policy {policy_id} has the digest {digest[:8]}")
    return BundlePolicy(id=policy_id, kind=policy.kind, sha256=digest, value=policy.value)


def author_signature(bundle: Bundle, bundle_bytes: bytes, signer: Signer) -> bytes:
    """`bundle.dsse.json`: the author stands for what the bundle asserts."""
    predicate = BundlePredicate(
        report=bundle.id,
        created_at=bundle.created_at,
        claims=len(bundle.claims),
        evidence=len(bundle.evidence),
    )
    return signed_statement(
        BUNDLE_FILE, sha256_hex(bundle_bytes), BUNDLE_PREDICATE, predicate, keyid=signer.keyid, sign=signer.sign
    )
