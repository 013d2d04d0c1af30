"""Public keys: those that the caller trusts, and those that merely lie in the input.

Ed25519 only. A key's id is recomputed from its DER SubjectPublicKeyInfo; no name of a file and no
`keyid` of a signature is believed (`schemas/README.md, Trust`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from schemas.dsse import key_id

_PEM = re.compile(rb"-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]{1,4096}?-----END PUBLIC KEY-----")
MAX_KEYS_PER_FILE = 1_000


@dataclass(frozen=True, slots=True)
class TrustedKeys:
    """Keys by recomputed id. `given` tells no trust at all from an empty list."""

    keys: Mapping[str, Ed25519PublicKey] = field(default_factory=dict)

    @property
    def given(self) -> bool:
        return bool(self.keys)

    def beside(self, others: TrustedKeys) -> TrustedKeys:
        """These keys and others."""
        return TrustedKeys({**self.keys, **others.keys})


def read_keys(pem: bytes) -> dict[str, Ed25519PublicKey] | str:
    """All Ed25519 keys of a PEM file by id, or a sentence that says why there is none."""
    blocks = _PEM.findall(pem)
    if not blocks:
        return "no PEM block `PUBLIC KEY` in it"
    if len(blocks) > MAX_KEYS_PER_FILE:
        return f"more than {MAX_KEYS_PER_FILE} keys in it"
    keys: dict[str, Ed25519PublicKey] = {}
    for block in blocks:
        try:
            key = load_pem_public_key(block)
        except (ValueError, UnsupportedAlgorithm):
            return "a PEM block in it is no public key"
        if not isinstance(key, Ed25519PublicKey):
            return "a key in it is not Ed25519"
        keys[key_id(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))] = key
    return keys


def verifies(key: Ed25519PublicKey, signature: bytes, data: bytes) -> bool:
    """Whether the signature over these bytes is the key's."""
    try:
        key.verify(signature, data)
    except InvalidSignature:
        return False
    return True
