"""Who signs."""

from __future__ import annotations

from typing import Protocol


class Signer(Protocol):
    """Holds the private key of the log or of a bundle's author."""

    @property
    def keyid(self) -> str:
        """SHA-256 of the DER SubjectPublicKeyInfo, hex."""

    def public_spki(self) -> bytes:
        """DER SubjectPublicKeyInfo."""

    def sign(self, data: bytes) -> bytes:
        """Raw Ed25519 signature."""
