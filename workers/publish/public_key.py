"""A public key as PEM (RFC 7468): what lies beside a bundle, for whoever is handed the same key on another way."""

from __future__ import annotations

import base64
import binascii

_BEGIN, _END = "-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----"
LINE_CHARS = 64


def pem_of(der_spki: bytes) -> str:
    """PEM of a DER SubjectPublicKeyInfo."""
    body = base64.b64encode(der_spki).decode("ascii")
    lines = [body[at : at + LINE_CHARS] for at in range(0, len(body), LINE_CHARS)]
    return "\n".join([_BEGIN, *lines, _END, ""])


def spki_of(pem: str) -> bytes | None:
    """The DER SubjectPublicKeyInfo of a PEM text, or None where it is none."""
    lines = [line.strip() for line in pem.strip().splitlines()]
    if len(lines) < 3 or lines[0] != _BEGIN or lines[-1] != _END:
        return None
    try:
        return base64.b64decode("".join(lines[1:-1]), validate=True)
    except binascii.Error:
        return None
