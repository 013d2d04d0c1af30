"""A manifest head on its own: its stored bytes, its name, its signature. The chain is `manifest.py`."""

from __future__ import annotations

from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from schemas.canonical import sha256_hex
from schemas.findings import FindingKind
from schemas.records.finding import Severity
from schemas.records.manifest import MANIFEST_PREDICATE, ManifestHead, ManifestPredicate
from validator.form import canonical_form
from validator.found import Found
from validator.limits import LIMITS
from validator.place import Place, Unavailable, read_all
from validator.settings import Settings
from validator.signature import Expected, Signers, check_signature


def head_name(sequence: int) -> str:
    return f"{sequence:010d}.json"


def check_head_signature(
    head: ManifestHead,
    data: bytes,
    place: Place,
    folder: str,
    keys_at_hand: Mapping[str, Ed25519PublicKey],
    settings: Settings,
    found: Found,
) -> None:
    """The envelope beside a head. `folder` ends in `/`; `data` are the head's stored bytes."""
    digest = sha256_hex(data)
    path = f"{folder}{head.sequence:010d}-{digest[:16]}.dsse.json"
    envelope = read_all(place, path, LIMITS.small_file)
    if isinstance(envelope, Unavailable):
        missing = envelope.kind is FindingKind.FILE_MISSING
        found.add(FindingKind.SIGNATURE_MISSING if missing else envelope.kind, path=path, detail=envelope.detail)
        return
    expected = Expected(
        name=f"manifests/{head_name(head.sequence)}",
        sha256=digest,
        predicate_type=MANIFEST_PREDICATE,
        predicate=ManifestPredicate(
            sequence=head.sequence,
            tree_size=head.tree_size,
            root_sha256=head.root_sha256,
            previous_sha256=head.previous_sha256,
            created_at=head.created_at,
        ),
    )
    # With --trust the caller named the publisher: another one's log is not the log that was asked about.
    untrusted = Severity.ERROR if settings.strict or settings.trusted.given else Severity.WARNING
    signers = Signers("publisher", "--trust", settings.trusted, untrusted)
    check_signature(envelope, path, expected, signers, keys_at_hand, found)


def is_canonical(head: ManifestHead, data: bytes) -> bool:
    """Whether the stored bytes are the head's RFC 8785 form: every digest of a head is of these bytes."""
    return canonical_form(head) == data
