"""Keys of the self-test, from fixed seeds so that every run signs alike. Everybody has them: they prove nothing."""

from __future__ import annotations

import hashlib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from schemas.dsse import envelope_bytes, key_id, pae, statement_bytes
from schemas.records.base import Record
from schemas.records.manifest import PAYLOAD_TYPE
from validator.trust import TrustedKeys


class SigningKey:
    """An Ed25519 key and what it signs."""

    def __init__(self, seed: str) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(seed.encode()).digest())
        public = self._private.public_key()
        self.id = key_id(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
        self.pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        self.trusted = TrustedKeys({self.id: public})

    def envelope(self, name: str, sha256: str, predicate_type: str, predicate: Record) -> bytes:
        """A DSSE envelope around a statement about one subject."""
        payload = statement_bytes(name, sha256, predicate_type, predicate)
        return envelope_bytes(payload, [(self.id, self._private.sign(pae(PAYLOAD_TYPE, payload)))])


PUBLISHER, AUTHOR, STRANGER = (SigningKey(f"self-test {name}") for name in ("publisher", "author", "stranger"))
