"""The signature of a WACZ's package (WACZ Signing and Verification 0.1.0, `signedData`), as far as it can be checked
without a network: whether it is of this package, under the key that lies beside it.

ECDSA with SHA-256 over the ASCII of the package's `hash`. A signature by a public key alone is the two numbers of
IEEE P1363, as browsers make them; one with a domain's certificate is DER. Whose key it is (chain of certificates,
domain, time-stamp) needs roots and a clock that this program does not bring, so it is told as not checked.
"""

from __future__ import annotations

import base64
import binascii

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_der_public_key
from cryptography.x509 import load_pem_x509_certificate
from pydantic import JsonValue

from schemas.findings import FindingKind
from validator.found import Found

Signed = dict[str, JsonValue]


def check_package_signature(signed: JsonValue, package_hash: str, path: str, found: Found) -> None:
    """`signed`: the `signedData` of `datapackage-digest.json`; `package_hash`: `sha256:…` of the package's bytes."""
    if not isinstance(signed, dict):
        found.add(FindingKind.WACZ_SIGNATURE, path=path, pointer="/signedData", expected="an object")
        return
    found.looked_at("signatures of packages")
    if signed.get("hash") != package_hash:
        where = "/signedData/hash"
        found.add(
            FindingKind.WACZ_SIGNATURE, path=path, pointer=where, expected=package_hash, actual=signed.get("hash")
        )
        return
    key, by = _key(signed)
    signature = _base64(signed.get("signature"))
    if key is None or signature is None:
        unread = "no signature" if signature is None else by
        found.add(FindingKind.WACZ_SIGNER_UNCHECKED, path=path, pointer="/signedData", actual=unread)
    elif not _verifies(key, signature, package_hash):
        found.add(FindingKind.WACZ_SIGNATURE, path=path, pointer="/signedData/signature", expected=f"one by {by}")
    else:
        said = f"whole, by {by}; chain, domain and time are not checked"
        found.add(FindingKind.WACZ_SIGNER_UNCHECKED, path=path, pointer="/signedData", actual=said)


def _key(signed: Signed) -> tuple[EllipticCurvePublicKey | None, str]:
    """The key beside the signature, and how a report calls it."""
    certificate, bare = signed.get("domainCert"), _base64(signed.get("publicKey"))
    try:
        key: object
        if isinstance(certificate, str):
            key, by = load_pem_x509_certificate(certificate.encode("utf-8")).public_key(), "its certificate's key"
        elif bare is not None:
            key, by = load_der_public_key(bare), "the public key beside it"
        else:
            return None, "no key beside it"
    except (ValueError, UnsupportedAlgorithm):
        return None, "a key that cannot be read"
    return (key, by) if isinstance(key, EllipticCurvePublicKey) else (None, "a key of another kind than ECDSA")


def _base64(value: JsonValue) -> bytes | None:
    if not isinstance(value, str):
        return None
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None


def _verifies(key: EllipticCurvePublicKey, signature: bytes, package_hash: str) -> bool:
    half = (key.curve.key_size + 7) // 8
    if len(signature) == 2 * half:
        numbers = int.from_bytes(signature[:half]), int.from_bytes(signature[half:])
        if _holds(key, encode_dss_signature(*numbers), package_hash):
            return True
    return _holds(key, signature, package_hash)


def _holds(key: EllipticCurvePublicKey, der: bytes, package_hash: str) -> bool:
    try:
        key.verify(der, package_hash.encode("ascii"), ECDSA(SHA256()))
    except InvalidSignature:
        return False
    return True
