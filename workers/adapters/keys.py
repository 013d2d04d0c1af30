"""The signing key: Ed25519 in a PEM file that only its owner may read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from schemas.dsse import key_id
from workers.errors import PermanentError


class FileSigner:
    """Signs with the private key of a PEM file (PKCS #8)."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self._spki = key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )

    @property
    def keyid(self) -> str:
        """Hex SHA-256 of the DER SubjectPublicKeyInfo."""
        return key_id(self._spki)

    def public_spki(self) -> bytes:
        """DER SubjectPublicKeyInfo."""
        return self._spki

    def public_pem(self) -> str:
        """The public key as PEM, for `--trust`."""
        public = self._key.public_key()
        return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode(
            "ascii"
        )

    def sign(self, data: bytes) -> bytes:
        """Raw Ed25519 signature, 64 bytes."""
        return self._key.sign(data)


def create_key(path: Path) -> FileSigner:
    """Make a key file with mode 0600. PermanentError if something is there already: a key is never overwritten."""
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise PermanentError(
            "there is a signing key already",
            where=str(path),
            next_step="use it, or move it away first; what it signed stays valid under its old id",
        ) from None
    with os.fdopen(descriptor, "wb") as out:
        out.write(pem)
        out.flush()
        os.fsync(out.fileno())
    signer = FileSigner(key)
    path.with_suffix(".pub.pem").write_text(signer.public_pem(), encoding="ascii")
    return signer


def load_key(path: Path) -> FileSigner:
    """Read a key file. PermanentError where it is missing, readable by others, or no Ed25519 key."""
    try:
        mode = path.stat().st_mode
        pem = path.read_bytes()
    except FileNotFoundError:
        raise PermanentError(
            "there is no signing key", where=str(path), next_step="make one with `citevault keys init`"
        ) from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise PermanentError("the signing key can be read by others", where=str(path), next_step=f"chmod 600 {path}")
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError) as error:
        raise PermanentError(
            "the signing key cannot be read", where=str(path), next_step="give an unencrypted PKCS #8 PEM file"
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise PermanentError(
            "the signing key is no Ed25519 key", where=str(path), next_step="make one with `keys init`"
        )
    return FileSigner(key)
