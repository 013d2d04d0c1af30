"""DSSE envelopes: what was signed, that it speaks of these bytes, and by whom.

(`schemas/README.md`, Manifest log and Trust.)

Order: envelope read strictly, payload read strictly, subject and predicate compared, and only then
signatures. A statement about other bytes is worth nothing however well it is signed (C47).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from schemas.canonical import CanonicalError, canonical_bytes
from schemas.dsse import Envelope, Statement, pae
from schemas.findings import FindingKind
from schemas.reading import DocumentError, read_document
from schemas.records.base import Record
from schemas.records.finding import Severity
from validator.found import Found
from validator.trust import TrustedKeys, verifies


@dataclass(frozen=True, slots=True)
class Signers:
    """Whose signature is asked for, and how much it matters."""

    whose: str
    option: str
    """How the caller names the key."""
    trusted: TrustedKeys
    untrusted: Severity
    """Of a signature by nobody who is trusted."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a statement has to say."""

    name: str
    sha256: str
    predicate_type: str
    predicate: Record


def check_signature(
    data: bytes,
    path: str,
    expected: Expected,
    signers: Signers,
    keys_at_hand: Mapping[str, Ed25519PublicKey],
    found: Found,
) -> None:
    """Check one envelope. `keys_at_hand` come from the input: they show that a signature is whole, never whose."""
    found.looked_at("signatures")
    envelope = read_document(data, Envelope)
    if isinstance(envelope, DocumentError):
        found.add(FindingKind.SIGNATURE_UNREADABLE, path=path, actual=envelope)
        return
    unknown = _extensions(envelope, *envelope.signatures)
    payload = envelope.payload_bytes()
    if payload is None or unknown:
        found.add(
            FindingKind.SIGNATURE_UNREADABLE,
            path=path,
            expected="the fields of DSSE and padded base64",
            actual=unknown or "a payload that is no base64",
        )
        return
    if not _says_so(payload, path, expected, found):
        return
    check_signers(envelope, pae(envelope.payload_type, payload), path, signers, keys_at_hand, found)


def _extensions(*records: Record) -> str:
    """Names beyond the format's. Envelope and statement take none, not even `x_*`."""
    return " ".join(sorted(name for record in records for name in record.model_extra or {}))


def _says_so(payload: bytes, path: str, expected: Expected, found: Found) -> bool:
    statement = read_document(payload, Statement)
    if isinstance(statement, DocumentError):
        found.add(FindingKind.SIGNATURE_UNREADABLE, path=path, actual=statement)
        return False
    unknown = _extensions(statement, *statement.subject, *(s.digest for s in statement.subject))
    if unknown:
        found.add(FindingKind.SIGNATURE_UNREADABLE, path=path, expected="the fields of in-toto v1", actual=unknown)
        return False
    try:
        predicate = canonical_bytes(statement.predicate)
    except CanonicalError as error:
        found.add(FindingKind.SIGNATURE_UNREADABLE, path=path, actual=error)
        return False
    subject = statement.subject[0]
    said = (len(statement.subject), subject.name, subject.digest.sha256, statement.predicate_type)
    wanted = (1, expected.name, expected.sha256, expected.predicate_type)
    if said != wanted or predicate != canonical_bytes(expected.predicate):
        same_subject = said == wanted
        found.add(
            FindingKind.SIGNATURE_SUBJECT,
            path=path,
            expected=canonical_bytes(expected.predicate).decode() if same_subject else " ".join(map(str, wanted)),
            actual=predicate.decode() if same_subject else " ".join(map(str, said)),
        )
        return False
    return True


def check_signers(
    envelope: Envelope,
    data: bytes,
    path: str,
    signers: Signers,
    keys_at_hand: Mapping[str, Ed25519PublicKey],
    found: Found,
) -> None:
    """The signatures alone, over the PAE bytes of what the envelope says."""
    trusted = signers.trusted
    valid: list[str] = []
    missing: list[str] = []
    invalid: list[str] = []
    for signature in envelope.signatures:
        key = trusted.keys.get(signature.keyid) or keys_at_hand.get(signature.keyid)
        if key is None:
            missing.append(signature.keyid)
            continue
        raw = signature.sig_bytes()
        if raw is None or not verifies(key, raw, data):
            invalid.append(signature.keyid)
        elif signature.keyid in trusted.keys:
            return  # one by a trusted key that verifies is enough
        else:
            valid.append(signature.keyid)
    if invalid:
        found.add(FindingKind.SIGNATURE_INVALID, path=path, ids=invalid)
        return
    # Where nobody trusted signed and that is an error, it does not matter whose key is not at hand.
    if valid or (trusted.given and signers.untrusted is Severity.ERROR):
        found.add(
            FindingKind.SIGNATURE_UNTRUSTED,
            path=path,
            ids=(*valid, *missing),
            severity=signers.untrusted,
            next_step=f"Obtain the {signers.whose}'s key by another way and give it with {signers.option}.",
        )
    else:
        step = f"Give the {signers.whose}'s key with {signers.option}."
        found.add(FindingKind.SIGNATURE_KEY_MISSING, path=path, ids=missing, next_step=step)
