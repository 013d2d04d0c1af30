"""What a signature covers: DSSE envelopes around in-toto Statements (`schemas/README.md, Manifest log`).

No cryptography here: whoever signs or verifies takes the bytes of `pae`. The payload is always
inside the envelope, and it is hashed and read as those bytes, never re-serialised.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from schemas.canonical import canonical_bytes
from schemas.records.base import Record, Sha256, ShortText
from schemas.records.manifest import PAYLOAD_TYPE, STATEMENT_TYPE

Base64 = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]*={0,2}$", max_length=1_000_000)]


def pae(payload_type: str, payload: bytes) -> bytes:
    """Pre-Authentication Encoding of DSSE 1.0.2: the bytes that are signed.

    `DSSEv1 SP len(type) SP type SP len(payload) SP payload`, lengths in decimal ASCII, of bytes.
    """
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def key_id(der_spki: bytes) -> str:
    """`keyid` of a public key: hex SHA-256 of its DER SubjectPublicKeyInfo."""
    return hashlib.sha256(der_spki).hexdigest()


class Signature(Record):
    """One signature over the PAE bytes; `keyid` is a hint where to look, never a reason to trust."""

    keyid: Sha256
    sig: Base64

    def sig_bytes(self) -> bytes | None:
        """The raw signature, or None where it is no padded base64."""
        return decode_base64(self.sig)


class Envelope(Record):
    """A DSSE envelope as it is stored. Field names are those of DSSE."""

    payload_type: Literal["application/vnd.in-toto+json"] = Field(alias="payloadType")
    payload: Base64
    signatures: tuple[Signature, ...] = Field(min_length=1, max_length=64)

    def payload_bytes(self) -> bytes | None:
        """The signed document, or None where it is no padded base64."""
        return decode_base64(self.payload)


class SubjectDigest(Record):
    sha256: Sha256


class Subject(Record):
    """What a statement speaks of: `name` is for people, the digest decides."""

    name: ShortText
    digest: SubjectDigest


class Statement(Record):
    """An in-toto Statement v1. `predicate` is read again, strictly, as what `predicateType` names."""

    type: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: tuple[Subject, ...] = Field(min_length=1, max_length=10_000)
    predicate_type: ShortText = Field(alias="predicateType")
    predicate: dict[str, JsonValue]


def statement_bytes(name: str, subject_sha256: str, predicate_type: str, predicate: Record) -> bytes:
    """RFC 8785 bytes of a statement about one subject: the payload of an envelope."""
    return canonical_bytes(
        {
            "_type": STATEMENT_TYPE,
            "subject": [{"name": name, "digest": {"sha256": subject_sha256}}],
            "predicateType": predicate_type,
            "predicate": predicate.model_dump(mode="json", by_alias=True),
        }
    )


def envelope_bytes(payload: bytes, signatures: list[tuple[str, bytes]]) -> bytes:
    """RFC 8785 bytes of an envelope; `signatures` are (keyid, raw signature over `pae`)."""
    return canonical_bytes(
        {
            "payloadType": PAYLOAD_TYPE,
            "payload": base64.b64encode(payload).decode("ascii"),
            "signatures": [{"keyid": k, "sig": base64.b64encode(s).decode("ascii")} for k, s in signatures],
        }
    )


def decode_base64(text: str) -> bytes | None:
    """Padded standard base64 whose unused bits are zero (RFC 4648, 3.5 and 4), or None."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode("ascii") == text else None
